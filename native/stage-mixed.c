// Undo and redo put names back beside what has landed since. The gate has judged each set of parts of a repository as it was then:
// parts of different times are refused, since together they may run what none of them runs alone.

#define _GNU_SOURCE
#include "stage-git.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define MAX_PATH 8192
#define MAX_DEPTH 1000

/** Units of one root, by path. */
struct unit_paths {
  const struct stage *stage;
  uint32_t root;
  const char **paths;
  size_t count;
};

static int compare_paths(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static int list_paths(struct unit_paths *list) {
  const struct stage *stage = list->stage;
  if ((list->paths = calloc(stage->unit_count + 1, sizeof *list->paths)) == NULL) return 0;
  for (size_t i = 0; i < stage->unit_count; i++)
    if (stage->units[i].root == list->root && stage->units[i].kind != UNIT_FOLDER) list->paths[list->count++] = stage->units[i].path;
  qsort(list->paths, list->count, sizeof *list->paths, compare_paths);
  return 1;
}

/** Whether a unit begins with this text. */
static int has_start(const struct unit_paths *list, const char *start) {
  size_t low = 0, high = list->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (strcmp(list->paths[middle], start) < 0) low = middle + 1;
    else high = middle;
  }
  return low < list->count && strncmp(list->paths[low], start, strlen(start)) == 0;
}

static int has_unit(const struct unit_paths *list, const char *path) {
  return bsearch(&path, list->paths, list->count, sizeof path, compare_paths) != NULL;
}

static int join_path(char path[MAX_PATH], const char *folder, const char *name, const char *end) {
  int length = snprintf(path, MAX_PATH, "%s%s%s%s", folder, folder[0] == 0 ? "" : "/", name, end);
  return length > 0 && length < MAX_PATH;
}

/** Now or afterwards. */
static int is_repository(const struct unit_paths *list, const char *folder) {
  const struct stage_root *root = &list->stage->roots[list->root];
  char path[MAX_PATH];
  if (has_repository_names(root, folder)) return 1;
  if (!join_path(path, folder, "HEAD", "") || has_unit(list, path)) return 1;
  if (!join_path(path, folder, "worktrees", "") || has_unit(list, path)) return 1;
  return !join_path(path, folder, "worktrees", "/") || has_start(list, path);
}

/** Whether something at or below a path is newer than the command, and not of its own making. */
static int has_newer(const struct unit_paths *list, int folder, const char *name, const char *path, int depth) {
  const struct stage *stage = list->stage;
  struct stat status;
  if (look_at(folder, name, &status) < 0) return errno != ENOENT;
  if (has_unit(list, path)) return 0;
  if (!S_ISDIR(status.st_mode)) return is_changed_since(stage, &status, &stage->begun);
  size_t count;
  int fd = depth > MAX_DEPTH ? -1 : openat(folder, name, FOLDER), is_newer = fd < 0;
  char **names = fd < 0 ? NULL : list_names(fd, &count);
  if (names == NULL) is_newer = 1;
  for (size_t i = 0; names != NULL && i < count && !is_newer; i++) {
    char inner[MAX_PATH];
    is_newer = !join_path(inner, path, names[i], "") || has_newer(list, fd, names[i], inner, depth + 1);
  }
  free(names);
  if (fd >= 0) close(fd);
  return is_newer;
}

static int is_mixed(const struct unit_paths *list, const char *folder) {
  char path[MAX_PATH];
  int fd = open_below(list->stage->roots[list->root].fd, folder), is_newer = 0;
  if (fd < 0) return 0;
  for (const char *const *part = REPOSITORY_PARTS; *part != NULL && !is_newer; part++)
    is_newer = !join_path(path, folder, *part, "") || has_newer(list, fd, *part, path, 0);
  close(fd);
  return is_newer;
}

/** Whether a folder above the path becomes, or is, a repository with parts of different times. */
static int is_in_mixed(const struct unit_paths *list, const char *path) {
  char folder[MAX_PATH];
  snprintf(folder, sizeof folder, "%s", path);
  while (folder[0] != 0) {
    char *slash = strrchr(folder, '/');
    if (slash == NULL) folder[0] = 0;
    else *slash = 0;
    // What is called so is judged whatever is in it.
    if (!is_repository_by_name(folder) && is_repository(list, folder) && is_mixed(list, folder)) return 1;
  }
  return 0;
}

static int is_in_same_folder(const char *a, const char *b) {
  size_t length = (size_t)(strrchr(a, '/') == NULL ? 0 : strrchr(a, '/') - a);
  return length == (size_t)(strrchr(b, '/') == NULL ? 0 : strrchr(b, '/') - b) && strncmp(a, b, length) == 0;
}

int find_mixed_repositories(const struct stage *stage, const struct unit_mark *marks, uint8_t *conflicts) {
  for (uint32_t root = 0; root < stage->root_count; root++) {
    struct unit_paths list = {stage, root, NULL, 0};
    const char *last = NULL;
    int is_last_mixed = 0;
    if (!list_paths(&list)) return ENOMEM;
    for (size_t i = 0; i < stage->unit_count; i++) {
      const struct unit *unit = &stage->units[i];
      if (unit->root != root || unit->kind == UNIT_FOLDER || marks[i].is_skipped) continue;
      if (last == NULL || !is_in_same_folder(last, unit->path)) is_last_mixed = is_in_mixed(&list, unit->path);
      last = unit->path;
      if (is_last_mixed) conflicts[i] = UNIT_BARRED;
    }
    free(list.paths);
  }
  return 0;
}
