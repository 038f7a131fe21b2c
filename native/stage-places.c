// Where the parts of a unit are: in the root, in the upper layer, and what it replaces in `undo`.

#define _GNU_SOURCE
#include "stage.h"
#include "git-index.h"
#include "whole-file.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** A folder is opened again after so many units: others may have moved it since. */
#define MAX_USES 64

/** Units follow each other by folder: the last one of each side is kept open. */
struct open_folder {
  int above, fd;
  unsigned uses;
  size_t length;
  char path[PATH_MAX];
};

static struct open_folder in_root = {.fd = -1}, in_upper = {.fd = -1};

static void close_folder(struct open_folder *folder) {
  if (folder->fd >= 0) close(folder->fd);
  folder->fd = -1;
}

void close_unit_folders(void) {
  close_folder(&in_root);
  close_folder(&in_upper);
}

static int folder_of(struct open_folder *folder, int above, const char *path, const char **name) {
  const char *slash = strrchr(path, '/');
  size_t length = slash == NULL ? 0 : (size_t)(slash - path);
  *name = slash == NULL ? path : slash + 1;
  int is_same = folder->fd >= 0 && folder->above == above && folder->length == length && memcmp(folder->path, path, length) == 0;
  if (is_same && folder->uses++ < MAX_USES) return folder->fd;
  close_folder(folder);
  if ((folder->fd = open_parent(above, path, name)) < 0) return -1;
  folder->above = above;
  folder->uses = 1;
  folder->length = length;
  memcpy(folder->path, path, length);
  return folder->fd;
}

int root_folder_of(const struct stage *stage, const struct unit *unit, const char **name) {
  return folder_of(&in_root, stage->roots[unit->root].fd, unit->path, name);
}

int upper_folder_of(const struct stage *stage, const struct unit *unit, const char **name) {
  return folder_of(&in_upper, stage->roots[unit->root].upper, unit->path, name);
}

int find_unit_places(const struct stage *stage, size_t which, struct unit_places *places) {
  const struct unit *unit = &stage->units[which];
  const struct stage_root *root = &stage->roots[unit->root];
  *places = (struct unit_places){.real = -1, .upper = -1};
  snprintf(places->number, sizeof places->number, "%zu", which);
  if ((places->real = root_folder_of(stage, unit, &places->name)) < 0) return errno;
  if ((places->upper = upper_folder_of(stage, unit, &places->name)) < 0) return errno;
  places->has_now = look_at(places->real, places->name, &places->now) == 0;
  if (!places->has_now && errno != ENOENT) return errno;
  places->has_ready = look_at(places->upper, places->name, &places->ready) == 0;
  places->has_kept = look_at(root->undo, places->number, &places->kept) == 0;
  return 0;
}

int set_folder(const struct stage *stage, const struct unit *unit, const struct folder_look *look) {
  struct stat status;
  int fd = open_below(stage->roots[unit->root].fd, strcmp(unit->path, ".") == 0 ? "" : unit->path);
  if (fd < 0) return errno;
  int error = fstat(fd, &status) < 0 ? errno : is_same_file(&unit->out, &status) ? 0 : ESTALE;
  const struct timespec times[2] = {{0, UTIME_OMIT}, look->modified};
  if (error == 0 && unit->before.mode != unit->after.mode && fchmod(fd, look->mode) < 0) error = errno;
  if (error == 0 && futimens(fd, times) < 0) error = errno;
  close(fd);
  return error;
}

/** 0 if it is no index. */
static uint64_t digest_file(int folder, const char *name) {
  size_t size;
  if (strcmp(name, "index") != 0) return 0;
  int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  uint8_t *bytes = fd < 0 ? NULL : read_whole_file(fd, MAX_INDEX_BYTES, &size);
  uint64_t digest = bytes == NULL ? 0 : digest_index(bytes, size);
  free(bytes);
  if (fd >= 0) close(fd);
  return digest;
}

int is_refreshed_index(const struct unit_places *places, const struct unit_mark *mark) {
  return mark->digest != 0 && places->has_now && digest_file(places->real, places->name) == mark->digest;
}

/** What is in the root now. */
void take_unit_mark(const struct stage *stage, const struct unit *unit, struct unit_mark *mark) {
  struct stat status;
  const char *name = unit->path;
  int is_root = strcmp(unit->path, ".") == 0;
  int folder = is_root ? stage->roots[unit->root].fd : root_folder_of(stage, unit, &name);
  if (folder >= 0 && look_at(folder, name, &status) == 0) {
    mark->id = file_id_of(&status);
    mark->changed = unit->kind == UNIT_FOLDER ? status.st_mtim : status.st_ctim;
    mark->digest = S_ISREG(status.st_mode) ? digest_file(folder, name) : 0;
  }
}
