// A tree that is taken away: in one step within a file system, else file by file. By descriptors alone, so that no link
// decides where anything goes; what cannot be kept (devices, sockets, too much of it) is removed.

#define _GNU_SOURCE
#include "undo.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NO_REPLACE 1u
#define MAX_DEPTH 200
#define MAX_NAMES 20000u
#define MAX_BYTES (64ll << 20)

struct budget {
  unsigned names;
  long long bytes;
};

static int rename_to(int from, const char *name, int to, const char *as) {
  return (int)syscall(SYS_renameat2, from, name, to, as, NO_REPLACE);
}

static int copy_file(int from, const char *name, int to, const char *as, struct budget *budget) {
  struct stat status;
  int in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), is_copied = 0;
  if (in < 0) return 0;
  int out = openat(to, as, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (out >= 0 && fstat(in, &status) == 0 && status.st_size <= budget->bytes) {
    budget->bytes -= status.st_size;
    ssize_t count;
    while ((count = sendfile(out, in, NULL, 1 << 20)) > 0) continue;
    is_copied = count == 0;
  }
  close(in);
  if (out >= 0) close(out);
  return is_copied;
}

static int copy_link(int from, const char *name, int to, const char *as) {
  char text[4096];
  ssize_t size = readlinkat(from, name, text, sizeof text - 1);
  if (size < 0) return 0;
  text[size] = 0;
  return symlinkat(text, to, as) == 0;
}

static int move_tree(int from, const char *name, int to, const char *as, int depth, struct budget *budget);

// A folder that may not be searched or written hides and keeps what is in it.
static int claim_folder(int from, const char *name) {
  char path[64];
  int place = openat(from, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (place < 0) return -1;
  snprintf(path, sizeof path, "/proc/self/fd/%d", place);
  chmod(path, 0700);
  int fd = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  close(place);
  return fd;
}

static int empty_folder(int from, const char *name, int to, int depth, struct budget *budget) {
  int fd = claim_folder(from, name);
  DIR *folder = fd < 0 ? NULL : fdopendir(fd);
  if (folder == NULL && fd >= 0) close(fd);
  int is_kept = folder != NULL;
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (!move_tree(fd, entry->d_name, to, entry->d_name, depth + 1, budget)) is_kept = 0;
  }
  if (folder != NULL) closedir(folder);
  return is_kept;
}

/** Whether all of it was kept; whether it is gone, the caller sees for itself. */
static int move_tree(int from, const char *name, int to, const char *as, int depth, struct budget *budget) {
  struct stat status;
  if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || depth > MAX_DEPTH) return 0;
  int is_kept = to >= 0 && budget->names > 0;
  if (is_kept) budget->names--;
  if (S_ISDIR(status.st_mode)) {
    int inner = is_kept && mkdirat(to, as, 0700) == 0 ? openat(to, as, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    is_kept = empty_folder(from, name, inner, depth, budget) && inner >= 0;
    if (inner >= 0) close(inner);
    unlinkat(from, name, AT_REMOVEDIR);
    return is_kept;
  }
  if (is_kept && S_ISREG(status.st_mode)) is_kept = copy_file(from, name, to, as, budget);
  else if (is_kept && S_ISLNK(status.st_mode)) is_kept = copy_link(from, name, to, as);
  else is_kept = 0;
  unlinkat(from, name, 0);
  return is_kept;
}

static int is_gone(int from, const char *name) {
  struct stat status;
  return fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT;
}

int move_away(int from, const char *name, int to, const char *as, int *was_kept) {
  struct budget budget = {MAX_NAMES, MAX_BYTES};
  *was_kept = to >= 0 && rename_to(from, name, to, as) == 0;
  if (*was_kept) return 1;
  // A folder changes its parent with a move, and so must be writable itself.
  int folder = to >= 0 && errno == EACCES ? claim_folder(from, name) : -1;
  if (folder >= 0) {
    close(folder);
    *was_kept = rename_to(from, name, to, as) == 0;
    if (*was_kept) return 1;
  }
  *was_kept = move_tree(from, name, to, as, 0, &budget);
  return is_gone(from, name);
}
