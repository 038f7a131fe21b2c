// The parts of a repository belong together: a branch without its index would show changes that no one made. If one of them is in
// conflict, all of them are held; the work tree lands, as if git had not run. Objects do no harm.

#define _GNU_SOURCE
#include "stage-plan.h"
#include <stdlib.h>
#include <string.h>

/** Where the git folder in a path ends; 0 if it is not in one. */
static size_t find_git_folder(const char *path) {
  for (const char *part = path; part != NULL; part = strchr(part, '/')) {
    part += part != path;
    if (strncmp(part, ".git/", 5) == 0) return (size_t)(part - path) + 5;
  }
  return 0;
}

struct repository {
  uint32_t root;
  const char *path;
  size_t length;
};

struct repositories {
  struct repository *list;
  size_t count;
};

static int is_part(const struct repositories *found, uint32_t root, const char *path) {
  for (size_t i = 0; i < found->count; i++) {
    const struct repository *one = &found->list[i];
    if (one->root == root && strncmp(path, one->path, one->length) == 0) return strncmp(path + one->length, "objects", 7) != 0;
  }
  return 0;
}

/** Of what is held because of a conflict; the paths point into `held`. */
static void find_repositories(const struct buffer *held, struct repositories *found) {
  for (const char *at = (const char *)held->data, *end = at + held->end; at < end; at += strlen(at) + 1) {
    const char *root = record_field(at, 3), *path = record_field(at, 4);
    size_t length = path == NULL || strncmp(at, "held\tconflict\t", 14) != 0 ? 0 : find_git_folder(path);
    if (length > 0) found->list[found->count++] = (struct repository){(uint32_t)strtoul(root, NULL, 10), path, length};
  }
}

static void forget_names(struct stage *stage, const struct repositories *found) {
  struct buffer kept = {0};
  const char *at = (const char *)stage->names.data, *end = at + stage->names.end;
  for (; at < end; at += strlen(at) + 1) {
    if (is_part(found, (uint32_t)strtoul(record_field(at, 4), NULL, 10), record_field(at, 5))) stage->name_count--;
    else buffer_append(&kept, at, strlen(at) + 1);
  }
  buffer_free(&stage->names);
  stage->names = kept;
}

void hold_together(struct stage *stage) {
  // A copy: more records are added while the paths are used.
  struct buffer held = {0};
  buffer_append(&held, stage->held.data, stage->held.end);
  struct repositories found = {calloc(stage->held_count + 1, sizeof *found.list), 0};
  if (found.list != NULL && held.end > 0) find_repositories(&held, &found);
  size_t kept = 0;
  for (size_t i = 0; i < stage->unit_count && found.count > 0; i++) {
    struct unit *unit = &stage->units[i];
    if (!is_part(&found, unit->root, unit->path)) {
      stage->units[kept++] = *unit;
      continue;
    }
    if (unit->kind != UNIT_FOLDER) journal_held(stage, HELD_CONFLICT, "its repository was changed", unit->root, unit->path);
    free(unit->path);
  }
  if (found.count > 0) {
    stage->unit_count = kept;
    forget_names(stage, &found);
  }
  free(found.list);
  buffer_free(&held);
}
