// An overlay of a user has its own inodes. A socket of the folder below is another one in it, to which no process listens; a file
// that gets a second name is copied first, and the new name has the inode number of the copy, the old one that of the original.

#define _GNU_SOURCE
#include "stage-layer.h"
#include "confine-calls.h"
#include "keeper.h"
#include "observe-calls.h"
#include "refusal-path.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#define OVERLAY_FILES 0x794c7630

const struct confine_entry *stage_root_of(const struct confinement *confinement, const char *path) {
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (entry->kind == ENTRY_STAGE && (strcmp(entry->path, path) == 0 || confine_is_below(path, entry->path))) return entry;
  }
  return NULL;
}

int is_on_overlay(int fd) {
  struct statfs status;
  return fstatfs(fd, &status) == 0 && status.f_type == OVERLAY_FILES;
}

// The command sees a staged folder under its own path. What it has put there itself has another number than what is below.
int stage_open_below(const struct confinement *confinement, int fd) {
  char path[PATH_MAX];
  struct stat seen, real;
  if (fd < 0 || !(confinement->flags & CONFINE_STAGED) || fstat(fd, &seen) < 0 || !S_ISSOCK(seen.st_mode) || !is_on_overlay(fd)) return fd;
  if (place_name(fd, path, sizeof path) != 0 || stage_root_of(confinement, path) == NULL) return fd;
  int below = confine_open(path);
  if (below < 0) return fd;
  int is_same = fstat(below, &real) == 0 && S_ISSOCK(real.st_mode) && real.st_ino == seen.st_ino;
  close(is_same ? fd : below);
  return is_same ? below : fd;
}

/** `git clone` is the only program known to compare the numbers after it has linked a file. */
static int is_git(const struct notice *notice) {
  char path[64], name[32];
  snprintf(path, sizeof path, "/proc/%u/comm", notice->pid);
  return read_text(path, name, sizeof name) > 0 && strcmp(name, "git\n") == 0;
}

/** Whether a file has the number that its copy in the upper layer has, or will have: a file that the command has made. */
static int is_of_upper(const struct confine_entry *root, const char *folder, const char *name, ino_t number) {
  char path[2 * PATH_MAX];
  struct stat status;
  int length = snprintf(path, sizeof path, "%s/upper%s/%s", root->from, folder + strlen(root->path), name);
  return length > 0 && (size_t)length < sizeof path && lstat(path, &status) == 0 && status.st_ino == number;
}

int stage_link_answer(const struct confinement *confinement, int notify_fd, const struct notice *notice) {
  static char given[PATH_MAX];
  char folder[PATH_MAX];
  struct place place;
  struct stat status;
  int is_at = notice->number == SYS_linkat;
#ifdef SYS_link
  if (!is_at && notice->number != SYS_link) return 0;
#else
  if (!is_at) return 0;
#endif
  if (!is_git(notice) || notice_read_text(notice, notice->arguments[is_at ? 1 : 0], given, sizeof given) < 0) return 0;
  if (place_find(notice, is_at ? (int)notice->arguments[0] : AT_FDCWD, given, 0, &place) != 0 || !is_on_overlay(place.folder)) return 0;
  if (place_name(place.folder, folder, sizeof folder) != 0) return 0;
  const struct confine_entry *root = stage_root_of(confinement, folder);
  if (root == NULL || fstatat(place.folder, place.name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode)) return 0;
  if (is_of_upper(root, folder, place.name, status.st_ino)) return 0;
  notice_answer(notify_fd, notice, EXDEV);
  return 1;
}
