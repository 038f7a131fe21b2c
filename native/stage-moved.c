// A file that a command has moved to a name that is held: its deletion would land without it, and the content be gone from the
// project. So the deletion is held as well. The overlay notes that a file comes from the root, but not from which name.

#define _GNU_SOURCE
#include "stage-plan.h"
#include "keeper.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/** A held file that existed in the root, under another name. */
struct moved_file {
  /** Below the folder of the root in the stage. */
  char *place;
  uint32_t root;
  off_t size;
  struct timespec modified;
  enum held_why why;
  int is_found;
};

struct moved_files {
  const struct stage *stage;
  struct moved_file *list;
  size_t count, capacity;
};

static void add_file(struct moved_files *files, const struct moved_file *file) {
  if (files->count == files->capacity) {
    files->capacity = files->capacity > 0 ? 2 * files->capacity : 16;
    files->list = realloc(files->list, files->capacity * sizeof *files->list);
    if (files->list == NULL) die("memory for moved files");
  }
  files->list[files->count++] = *file;
}

/** Files at and below a place that come from the root. */
static void collect(struct moved_files *files, int folder, const char *name, const struct moved_file *at, int depth) {
  struct stat status;
  if (depth > MAX_STAGE_DEPTH || look_at(folder, name, &status) < 0) return;
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    int marks = read_overlay_marks(folder, name);
    struct moved_file file = *at;
    file.size = status.st_size;
    file.modified = status.st_mtim;
    if (marks < 0 || !(marks & OVERLAY_ORIGIN)) return;
    if ((file.place = strdup(at->place)) == NULL) die("memory for a moved file");
    add_file(files, &file);
  }
  if (!S_ISDIR(status.st_mode)) return;
  size_t count;
  int fd = openat(folder, name, FOLDER);
  char **names = fd < 0 ? NULL : list_names(fd, &count);
  for (size_t i = 0; names != NULL && i < count; i++) {
    struct moved_file inner = *at;
    if (asprintf(&inner.place, "%s/%s", at->place, names[i]) < 0) die("memory for a moved file");
    collect(files, fd, names[i], &inner, depth + 1);
    free(inner.place);
  }
  free(names);
  if (fd >= 0) close(fd);
}

static void collect_at(struct moved_files *files, struct moved_file *at) {
  const char *name;
  int folder = open_parent(files->stage->roots[at->root].folder, at->place, &name);
  if (folder < 0) return;
  collect(files, folder, name, at, 0);
  close(folder);
}

/** What is held in the upper layers. A name that is in the root as well was changed, not moved. */
static void collect_held(struct moved_files *files) {
  const struct buffer *held = &files->stage->held;
  for (const char *at = (const char *)held->data, *end = at + held->end; at < end; at += strlen(at) + 1) {
    struct held_record record;
    struct stat status;
    const char *name;
    if (!read_held(at, &record)) continue;
    int folder = open_parent(files->stage->roots[record.root].fd, record.path, &name);
    int is_there = folder >= 0 && look_at(folder, name, &status) == 0 && !S_ISDIR(status.st_mode);
    if (folder >= 0) close(folder);
    struct moved_file file = {.root = record.root, .why = record.why};
    if (is_there) continue;
    if (asprintf(&file.place, "upper/%s", record.path) < 0) die("memory for a moved file");
    collect_at(files, &file);
    free(file.place);
  }
}

/** What was taken out of new trees. */
static void collect_kept(struct moved_files *files) {
  for (uint32_t root = 0; root < files->stage->root_count; root++) {
    size_t count;
    int kept = openat(files->stage->roots[root].folder, "kept", FOLDER);
    char **names = kept < 0 ? NULL : list_names(kept, &count);
    for (size_t i = 0; names != NULL && i < count; i++) {
      struct moved_file file = {.root = root, .why = HELD_PROTECTED};
      if (asprintf(&file.place, "kept/%s/object", names[i]) < 0) die("memory for a moved file");
      collect_at(files, &file);
      free(file.place);
    }
    free(names);
    if (kept >= 0) close(kept);
  }
}

static int is_same_content(const struct moved_files *files, const struct moved_file *file, int folder, const char *name) {
  const char *other;
  int place = open_parent(files->stage->roots[file->root].folder, file->place, &other);
  int is_same = place >= 0 && has_same_content(place, other, folder, name);
  if (place >= 0) close(place);
  return is_same;
}

/** The held file that one at or below a deleted name was moved to; NULL if there is none. */
static struct moved_file *find_moved(struct moved_files *files, int folder, const char *name, int depth) {
  struct stat status;
  struct moved_file *found = NULL;
  if (depth > MAX_STAGE_DEPTH || look_at(folder, name, &status) < 0) return NULL;
  for (size_t i = 0; S_ISREG(status.st_mode) && i < files->count; i++) {
    struct moved_file *file = &files->list[i];
    if (file->size != status.st_size || !is_same_time(&file->modified, &status.st_mtim)) continue;
    if (!is_same_content(files, file, folder, name)) continue;
    file->is_found = 1;
    found = file;
  }
  if (!S_ISDIR(status.st_mode)) return found;
  size_t count;
  int fd = openat(folder, name, FOLDER);
  char **names = fd < 0 ? NULL : list_names(fd, &count);
  // All of them: each finds the file that it was moved to.
  for (size_t i = 0; names != NULL && i < count; i++) {
    struct moved_file *inner = find_moved(files, fd, names[i], depth + 1);
    if (inner != NULL) found = inner;
  }
  free(names);
  if (fd >= 0) close(fd);
  return found;
}

static void hold_deletion(struct stage *stage, const struct unit *unit, const struct moved_file *to) {
  char detail[256];
  const char *path = to != NULL && strncmp(to->place, "upper/", 6) == 0 ? to->place + 6 : NULL;
  snprintf(detail, sizeof detail, "moved to %.200s", path != NULL ? path : "a name that is held");
  for (char *at = detail; *at != 0; at++)
    if ((unsigned char)*at < ' ') *at = '?';
  journal_held(stage, to != NULL ? to->why : HELD_PROTECTED, detail, unit->root, unit->path);
  forget_names_below(stage, unit->root, unit->path);
}

void hold_moved(struct stage *stage) {
  struct moved_files files = {.stage = stage};
  struct moved_file **targets = calloc(stage->unit_count + 1, sizeof *targets);
  size_t kept = 0, deleted = 0, lost = 0;
  if (targets == NULL) die("memory for moved files");
  for (size_t i = 0; i < stage->unit_count; i++) deleted += stage->units[i].kind == UNIT_DELETED;
  if (stage->held_count > 0 && deleted > 0) {
    collect_held(&files);
    collect_kept(&files);
  }
  for (size_t i = 0; i < stage->unit_count && files.count > 0; i++) {
    const struct unit *unit = &stage->units[i];
    const char *name;
    int folder = unit->kind == UNIT_DELETED ? open_parent(stage->roots[unit->root].fd, unit->path, &name) : -1;
    if (folder < 0) continue;
    targets[i] = find_moved(&files, folder, name, 0);
    close(folder);
  }
  // One that was changed after it was moved can be any of those that are deleted.
  for (size_t i = 0; i < files.count; i++) lost += !files.list[i].is_found;
  for (size_t i = 0; i < stage->unit_count; i++) {
    struct unit *unit = &stage->units[i];
    if (targets[i] == NULL && !(lost > 0 && unit->kind == UNIT_DELETED)) {
      stage->units[kept++] = *unit;
      continue;
    }
    hold_deletion(stage, unit, targets[i]);
    free(unit->path);
  }
  stage->unit_count = kept;
  for (size_t i = 0; i < files.count; i++) free(files.list[i].place);
  free(files.list);
  free(targets);
}
