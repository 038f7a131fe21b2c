// Where the parts of a unit are: in the root, in the upper layer, and what it replaces in `undo`.

#define _GNU_SOURCE
#include "stage.h"
#include "git-index.h"
#include "whole-file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int find_unit_places(const struct stage *stage, size_t which, struct unit_places *places) {
  const struct unit *unit = &stage->units[which];
  const struct stage_root *root = &stage->roots[unit->root];
  *places = (struct unit_places){.real = -1, .upper = -1};
  snprintf(places->number, sizeof places->number, "%zu", which);
  if ((places->real = open_parent(root->fd, unit->path, &places->name)) < 0) return errno;
  if ((places->upper = open_parent(root->upper, unit->path, &places->name)) < 0) return errno;
  places->has_now = look_at(places->real, places->name, &places->now) == 0;
  if (!places->has_now && errno != ENOENT) return errno;
  places->has_ready = look_at(places->upper, places->name, &places->ready) == 0;
  places->has_kept = look_at(root->undo, places->number, &places->kept) == 0;
  return 0;
}

void leave_unit_places(const struct unit_places *places) {
  if (places->real >= 0) close(places->real);
  if (places->upper >= 0) close(places->upper);
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
  int folder = is_root ? stage->roots[unit->root].fd : open_parent(stage->roots[unit->root].fd, unit->path, &name);
  if (folder >= 0 && look_at(folder, name, &status) == 0) {
    mark->id = file_id_of(&status);
    mark->changed = unit->kind == UNIT_FOLDER ? status.st_mtim : status.st_ctim;
    mark->digest = S_ISREG(status.st_mode) ? digest_file(folder, name) : 0;
  }
  if (folder >= 0 && !is_root) close(folder);
}
