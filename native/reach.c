// A folder by its path, without following links and regardless of mode changes by the command: a closed folder of ours
// is opened while it is inspected, and then gets its mode back.

#define _GNU_SOURCE
#include "reach.h"
#include "confine-calls.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int change_mode(int fd, mode_t mode) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return chmod(path, mode);
}

int reach_open_up(struct reach *reach, int fd) {
  struct stat status;
  if (fstat(fd, &status) < 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid()) return 0;
  mode_t mode = status.st_mode & 07777;
  if ((mode & 0700) == 0700 || reach->count == MAX_OPENED) return 0;
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0 || change_mode(copy, mode | 0700) < 0) {
    if (copy >= 0) close(copy);
    return 0;
  }
  reach->opened[reach->count++] = (struct opened){copy, mode};
  return 1;
}

static int open_part(struct reach *reach, int folder, const char *name) {
  int fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0 || errno != EACCES) return fd;
  if (!reach_open_up(reach, folder)) {
    errno = EACCES;
    return -1;
  }
  return openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

// If one call fails, part by part. -1, and ELOOP for a link: its folder and its name are in `reach`.
static int walk(const char *path, struct reach *reach) {
  char part[256];
  int at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (const char *next = path; at >= 0 && *(next += strspn(next, "/")) != 0;) {
    size_t length = strcspn(next, "/");
    if (length >= sizeof part) {
      close(at);
      errno = ENAMETOOLONG;
      return -1;
    }
    memcpy(part, next, length);
    part[length] = 0;
    next += length;
    struct stat status;
    int inner = open_part(reach, at, part), error = inner < 0 ? errno : fstat(inner, &status) < 0 ? errno : 0;
    if (error == 0 && S_ISLNK(status.st_mode)) {
      close(inner);
      reach->fd = at;
      reach->link_end = (size_t)(next - path);
      errno = ELOOP;
      return -1;
    }
    if (error == 0 && !S_ISDIR(status.st_mode)) error = ENOTDIR;
    close(at);
    at = inner;
    if (error == 0) continue;
    if (inner >= 0) close(inner);
    errno = error;
    return -1;
  }
  return reach->fd = at;
}

int reach_folder(const char *path, struct reach *reach) {
  struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
  reach->count = 0;
  reach->link_end = 0;
  reach->fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
  if (reach->fd >= 0 || (errno != EACCES && errno != ELOOP)) return reach->fd;
  return walk(path, reach);
}

int reach_list(struct reach *reach) {
  int fd = openat(reach->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0 || errno != EACCES) return fd;
  if (reach_open_up(reach, reach->fd)) return openat(reach->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  errno = EACCES;
  return -1;
}

void reach_end(struct reach *reach) {
  while (reach->count > 0) {
    struct opened *opened = &reach->opened[--reach->count];
    change_mode(opened->fd, opened->mode);
    close(opened->fd);
  }
  if (reach->fd >= 0) close(reach->fd);
  reach->fd = -1;
}
