// The indexes of a git folder that a command has touched: those that git cannot use safely are removed. `git reset` rebuilds
// an index from the last commit. `index.lock` is left alone: git only creates and renames it, and never reads it.

#define _GNU_SOURCE
#include "git-index.h"
#include "reach.h"
#include "sweep.h"
#include "undo.h"
#include "whole-file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_CONFIG_BYTES (256u << 10)
#define SHARED "sharedindex."

/** The settings may be a link or have a second name if the plan protects them. */
static size_t read_hash_size(const char *common) {
  char path[8192];
  struct reach reach;
  size_t size = 0, hash_size = 0;
  snprintf(path, sizeof path, "%.8180s/config", common);
  int follow = sweep_is_kept(path) ? 0 : O_NOFOLLOW;
  if (reach_folder(common, &reach) >= 0) {
    int fd = openat(reach.fd, "config", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | follow);
    if (fd < 0 && errno == ENOENT) hash_size = 20;
    char *text = fd < 0 ? NULL : read_whole_file(fd, MAX_CONFIG_BYTES, &size);
    if (text != NULL) hash_size = find_hash_size(text, size);
    free(text);
    if (fd >= 0) close(fd);
  }
  reach_end(&reach);
  return hash_size;
}

static int is_touched_in(int folder, const char *name) {
  struct file_status status;
  if (sweep_look(folder, name, &status) < 0) return errno != ENOENT;
  return sweep_is_touched(&status);
}

/** One with a second name could be changed by that later. */
static int is_safe_file(int folder, const char *name, size_t hash_size) {
  struct stat status;
  size_t size = 0;
  int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT;
  uint8_t *bytes = fstat(fd, &status) == 0 && status.st_nlink <= 1 ? read_whole_file(fd, MAX_INDEX_BYTES, &size) : NULL;
  close(fd);
  int is_safe = bytes != NULL && is_safe_index(bytes, size, hash_size);
  free(bytes);
  return is_safe;
}

static void take(struct task *task, int folder, const char *path, const char *name) {
  char inner[8192];
  int length = snprintf(inner, sizeof inner, "%s/%s", path, name);
  if (length > 0 && (size_t)length < sizeof inner && !sweep_is_kept(inner)) undo_take(task, folder, inner);
}

int is_index_name(const char *name) { return strcmp(name, "index") == 0 || strncmp(name, SHARED, sizeof SHARED - 1) == 0; }

static int judge_names(struct task *task, int folder, DIR *names, const char *path, const char *common, int is_new) {
  size_t hash_size = 0;
  int is_known = 0, has_bad = 0;
  for (struct dirent *entry; (entry = readdir(names)) != NULL;) {
    if (!is_index_name(entry->d_name) || (!is_new && !is_touched_in(folder, entry->d_name))) continue;
    if (!is_known) hash_size = read_hash_size(common);
    is_known = 1;
    if (is_safe_file(folder, entry->d_name, hash_size)) continue;
    has_bad = has_bad || strcmp(entry->d_name, "index") != 0;
    take(task, folder, path, entry->d_name);
  }
  return has_bad;
}

void judge_indexes(struct task *task, const char *path, const char *common, int is_new) {
  struct reach reach, shared;
  struct stat status;
  // With other settings, the same bytes are another index.
  int is_other = reach_folder(common, &shared) < 0 || is_touched_in(shared.fd, "config");
  int fd = reach_folder(path, &reach) < 0 ? -1 : reach_list(&reach);
  DIR *names = fd < 0 ? NULL : fdopendir(fd);
  if (names == NULL && fd >= 0) close(fd);
  // Of a split index, one part is of no use without the other: `git reset` would fail.
  if (names != NULL && judge_names(task, reach.fd, names, path, common, is_new || is_other) &&
      fstatat(reach.fd, "index", &status, AT_SYMLINK_NOFOLLOW) == 0)
    take(task, reach.fd, path, "index");
  if (names != NULL) closedir(names);
  reach_end(&reach);
  reach_end(&shared);
}
