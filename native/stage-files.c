// Files and folders of a stage and its roots: by descriptors, without following links.

#define _GNU_SOURCE
#include "stage.h"
#include "confine-calls.h"
#include "undo.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define BENEATH 0x08u
#define NOREPLACE 1u
#define MAX_DEPTH 1000

int is_same_file(const struct file_id *id, const struct stat *status) {
  return id->inode != 0 && id->inode == status->st_ino && id->device == status->st_dev;
}

struct file_id file_id_of(const struct stat *status) { return (struct file_id){status->st_dev, status->st_ino}; }

int is_same_time(const struct timespec *a, const struct timespec *b) { return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec; }

int is_since_time(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec >= b->tv_nsec);
}

int is_whiteout(const struct stat *status) { return S_ISCHR(status->st_mode) && status->st_rdev == 0; }

int open_below(int fd, const char *path) {
  struct open_how how = {.flags = FOLDER, .resolve = BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
  int below;
  do below = (int)syscall(SYS_openat2, fd, path[0] == 0 ? "." : path, &how, sizeof how);
  // Something else in the tree was renamed at the same time.
  while (below < 0 && errno == EAGAIN);
  return below;
}

int open_parent(int fd, const char *path, const char **name) {
  char parent[4096];
  const char *slash = strrchr(path, '/');
  size_t length = slash == NULL ? 0 : (size_t)(slash - path);
  *name = slash == NULL ? path : slash + 1;
  if (length >= sizeof parent) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(parent, path, length);
  parent[length] = 0;
  return open_below(fd, parent);
}

int look_at(int folder, const char *name, struct stat *status) { return fstatat(folder, name, status, AT_SYMLINK_NOFOLLOW); }

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

char **list_names(int folder, size_t *count) {
  struct buffer text = {0};
  int copy = openat(folder, ".", FOLDER);
  DIR *list = copy < 0 ? NULL : fdopendir(copy);
  *count = 0;
  if (list == NULL) {
    if (copy >= 0) close(copy);
    return NULL;
  }
  errno = 0;
  for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    buffer_append(&text, entry->d_name, strlen(entry->d_name) + 1);
    ++*count;
  }
  int error = errno;
  closedir(list);
  size_t head = (*count + 1) * sizeof(char *);
  char **names = error == 0 ? malloc(head + text.end + 1) : NULL;
  if (names != NULL) {
    char *at = (char *)names + head;
    if (text.end > 0) memcpy(at, text.data, text.end);
    for (size_t i = 0; i < *count; at += strlen(at) + 1) names[i++] = at;
    names[*count] = NULL;
    qsort(names, *count, sizeof *names, compare_names);
  }
  buffer_free(&text);
  if (names == NULL) errno = error != 0 ? error : ENOMEM;
  return names;
}

static int is_changed_below(const struct stage *stage, int folder, const char *name, const struct timespec *since, int depth) {
  struct stat status;
  if (depth > MAX_DEPTH || look_at(folder, name, &status) < 0) return 1;
  // The top was renamed; the caller knows its time.
  if (depth > 0 && is_changed_since(stage, &status, since)) return 1;
  if (!S_ISDIR(status.st_mode)) return 0;
  size_t count;
  int fd = openat(folder, name, FOLDER), is_changed = 0;
  char **names = fd < 0 ? NULL : list_names(fd, &count);
  if (names == NULL) is_changed = 1;
  for (size_t i = 0; names != NULL && i < count && !is_changed; i++) 
    is_changed = is_changed_below(stage, fd, names[i], since, depth + 1);
  free(names);
  if (fd >= 0) close(fd);
  return is_changed;
}

int is_tree_changed(const struct stage *stage, int folder, const char *name, const struct timespec *since) {
  return is_changed_below(stage, folder, name, since, 0);
}

int remove_tree(int folder, const char *name) {
  struct stat status;
  int was_kept;
  if (look_at(folder, name, &status) < 0) return errno == ENOENT ? 0 : errno;
  return move_away(folder, name, -1, name, &was_kept) ? 0 : ENOTEMPTY;
}

// Linux 6.13 gives a file that was looked at a finer time at its next change; before, the clock of files has ticks of some ms.
int take_time(int fd, struct timespec *time) {
  const struct timespec tick = {0, 500000}, now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
  struct stat first, status;
  if (fstat(fd, &first) < 0) return errno;
  for (int i = 0; i < 1000; i++) {
    if (futimens(fd, now) < 0 || fstat(fd, &status) < 0) return errno;
    *time = status.st_ctim;
    if (!is_since_time(&first.st_ctim, &status.st_ctim)) return 0;
    nanosleep(&tick, NULL);
  }
  return ETIME;
}

int rename_new(int from, const char *name, int to, const char *as) {
  return syscall(SYS_renameat2, from, name, to, as, NOREPLACE) < 0 ? errno : 0;
}
