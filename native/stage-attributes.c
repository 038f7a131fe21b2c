// Content and extended attributes of staged files. Nothing under user.overlay.* lands: neither the notes of the overlay, nor
// what a command stores under such a name, which would be a note for the overlay of the next command.

#define _GNU_SOURCE
#include "stage.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define PREFIX "user.overlay."
#define MAX_ATTRIBUTE (64u << 10)
#define MAX_DEPTH 1000

// Attributes of links and of files without permissions can only be read by path: relative to the folder that contains them.
static ssize_t list_attributes(int folder, const char *name, char **list) {
  *list = NULL;
  if (fchdir(folder) < 0) return -1;
  // Most files have none, or few.
  for (size_t space = 256;; space = MAX_ATTRIBUTE) {
    if ((*list = malloc(space)) == NULL) return -1;
    ssize_t size = llistxattr(name, *list, space);
    if (size >= 0) return size;
    free(*list);
    *list = NULL;
    if (errno != ERANGE || space == MAX_ATTRIBUTE) return errno == ENOTSUP ? 0 : -1;
  }
}

static int is_of_overlay(const char *attribute) { return strncmp(attribute, PREFIX, sizeof PREFIX - 1) == 0; }

/** Labels that the system gives each file by its place. */
static int is_of_system(const char *attribute) {
  if (strcmp(attribute, "security.capability") == 0) return 0;
  return strncmp(attribute, "security.", 9) == 0 || strncmp(attribute, "trusted.", 8) == 0;
}

int read_overlay_marks(int folder, const char *name) {
  char *list, value = 0;
  int marks = 0;
  ssize_t size = list_attributes(folder, name, &list);
  for (const char *at = list; size > 0 && at < list + size; at += strlen(at) + 1) {
    if (strcmp(at, PREFIX "origin") == 0) marks |= OVERLAY_ORIGIN;
    if (strcmp(at, PREFIX "opaque") == 0 && lgetxattr(name, at, &value, 1) == 1 && value == 'y') marks |= OVERLAY_OPAQUE;
  }
  free(list);
  return size < 0 ? -1 : marks;
}

static int strip_one(int folder, const char *name) {
  char *list;
  int error = 0;
  ssize_t size = list_attributes(folder, name, &list);
  if (size < 0) error = errno;
  for (const char *at = list; size > 0 && at < list + size && error == 0; at += strlen(at) + 1)
    if (is_of_overlay(at) && lremovexattr(name, at) < 0) error = errno;
  free(list);
  return error;
}

static int strip(int folder, const char *name, const struct stat *status, int depth) {
  if (is_whiteout(status)) return depth > 0 && unlinkat(folder, name, 0) < 0 ? errno : 0;
  int error = strip_one(folder, name);
  if (error != 0 || !S_ISDIR(status->st_mode)) return error;
  size_t count, removed = 0;
  int fd = depth > MAX_DEPTH ? -1 : openat(folder, name, FOLDER);
  if (fd < 0) return depth > MAX_DEPTH ? ELOOP : errno;
  char **names = list_names(fd, &count);
  if (names == NULL) error = errno;
  for (size_t i = 0; names != NULL && i < count && error == 0; i++) {
    struct stat inner;
    if (look_at(fd, names[i], &inner) < 0) error = errno;
    else error = strip(fd, names[i], &inner, depth + 1);
    removed += error == 0 && is_whiteout(&inner);
  }
  const struct timespec times[2] = {{0, UTIME_OMIT}, status->st_mtim};
  if (removed > 0 && error == 0 && futimens(fd, times) < 0) error = errno;
  free(names);
  close(fd);
  return error;
}

int strip_overlay_marks(int folder, const char *name, const struct stat *status) { return strip(folder, name, status, 0); }

/** Whether every attribute of the first file is one of the second, with the same value. */
static int has_attributes_of(int folder, const char *name, int other_folder, const char *other_name) {
  char *list, *value = malloc(2 * MAX_ATTRIBUTE);
  ssize_t size = value == NULL ? -1 : list_attributes(folder, name, &list);
  int is_same = size >= 0;
  for (const char *at = list; size > 0 && is_same && at < list + size; at += strlen(at) + 1) {
    if (is_of_overlay(at) || is_of_system(at)) continue;
    char *other = value + MAX_ATTRIBUTE;
    ssize_t here = fchdir(folder) < 0 ? -1 : lgetxattr(name, at, value, MAX_ATTRIBUTE);
    ssize_t there = fchdir(other_folder) < 0 ? -1 : lgetxattr(other_name, at, other, MAX_ATTRIBUTE);
    is_same = here >= 0 && here == there && memcmp(value, other, (size_t)here) == 0;
  }
  if (value != NULL) free(list);
  free(value);
  return is_same;
}

int has_same_attributes(int folder, const char *name, int other_folder, const char *other_name) {
  return has_attributes_of(folder, name, other_folder, other_name) && has_attributes_of(other_folder, other_name, folder, name);
}

static ssize_t read_all(int fd, char *bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t count = read(fd, bytes + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    done += (size_t)count;
  }
  return (ssize_t)done;
}

int has_same_content(int folder, const char *name, int other_folder, const char *other_name) {
  static char bytes[2][128u << 10];
  const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  int fds[2] = {openat(folder, name, flags), openat(other_folder, other_name, flags)};
  int is_same = fds[0] >= 0 && fds[1] >= 0;
  for (ssize_t size = 1; is_same && size > 0;) {
    size = read_all(fds[0], bytes[0], sizeof bytes[0]);
    is_same = size >= 0 && read_all(fds[1], bytes[1], sizeof bytes[1]) == size && memcmp(bytes[0], bytes[1], (size_t)size) == 0;
  }
  for (int i = 0; i < 2; i++)
    if (fds[i] >= 0) close(fds[i]);
  return is_same;
}
