// Removes a tree: in one step within a file system, otherwise file by file. Only by descriptors, so that no link
// redirects anything; what cannot be kept (devices, sockets, too much data) is deleted.

#define _GNU_SOURCE
#include "keeper.h"
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
#define COPY_BYTES (1ll << 20)
/** The end of a command does not wait for copies of files that it should not have created. */
#define MAX_COPY_MS 1000u

/** Total amount that may be copied for one task. */
static struct {
  unsigned names;
  long long bytes;
  uint64_t ms;
} budget;

/** Of the tree that is being removed: where a part that is too deep is moved to, and how many were. */
static struct {
  int folder;
  unsigned lifted;
} top;

void move_away_begin(void) {
  budget.names = MAX_NAMES;
  budget.bytes = MAX_BYTES;
  budget.ms = MAX_COPY_MS;
}

static int rename_to(int from, const char *name, int to, const char *as) {
  return (int)syscall(SYS_renameat2, from, name, to, as, NO_REPLACE);
}

// By the bytes read, not by the size of the file: it may grow, and some files never end.
static int copy_bytes(int in, int out) {
  while (budget.bytes > 0 && budget.ms > 0) {
    uint64_t began = now_ms();
    ssize_t count = sendfile(out, in, NULL, (size_t)(budget.bytes < COPY_BYTES ? budget.bytes : COPY_BYTES));
    uint64_t passed = now_ms() - began;
    budget.ms = passed < budget.ms ? budget.ms - passed : 0;
    if (count <= 0) return count == 0;
    budget.bytes -= count;
  }
  return 0;
}

static int copy_file(int from, const char *name, int to, const char *as) {
  struct stat status;
  int in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), is_copied = 0;
  if (in < 0) return 0;
  // A file that cannot fit is not started.
  if (fstat(in, &status) == 0 && status.st_size <= budget.bytes && budget.ms > 0) {
    int out = openat(to, as, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    is_copied = out >= 0 && copy_bytes(in, out);
    if (out >= 0) close(out);
    if (out >= 0 && !is_copied) unlinkat(to, as, 0);
  }
  close(in);
  return is_copied;
}

static int copy_link(int from, const char *name, int to, const char *as) {
  char text[4096];
  ssize_t size = readlinkat(from, name, text, sizeof text - 1);
  if (size < 0) return 0;
  text[size] = 0;
  return symlinkat(text, to, as) == 0;
}

static int move_tree(int from, const char *name, int to, const char *as, int depth);

// A folder without search or write permission hides and keeps its content.
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

static int empty_folder(int from, const char *name, int to, int depth) {
  int fd = claim_folder(from, name);
  DIR *folder = fd < 0 ? NULL : fdopendir(fd);
  if (folder == NULL && fd >= 0) close(fd);
  int is_kept = folder != NULL;
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (!move_tree(fd, entry->d_name, to, entry->d_name, depth + 1)) is_kept = 0;
  }
  if (folder != NULL) closedir(folder);
  return is_kept;
}

// Each level holds a descriptor open: deeper parts are removed separately.
static void lift(int from, const char *name) {
  char as[64];
  snprintf(as, sizeof as, ".hardshell-%d-%u", getpid(), top.lifted);
  if (rename_to(from, name, top.folder, as) == 0) top.lifted++;
}

/** Whether all of it was kept; the caller checks whether it is gone. */
static int move_tree(int from, const char *name, int to, const char *as, int depth) {
  struct stat status;
  if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) < 0) return 0;
  int is_kept = to >= 0 && budget.names > 0;
  if (is_kept) budget.names--;
  if (S_ISDIR(status.st_mode)) {
    if (depth > MAX_DEPTH) {
      lift(from, name);
      return 0;
    }
    int inner = is_kept && mkdirat(to, as, 0700) == 0 ? openat(to, as, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    is_kept = empty_folder(from, name, inner, depth) && inner >= 0;
    if (inner >= 0) close(inner);
    unlinkat(from, name, AT_REMOVEDIR);
    return is_kept;
  }
  if (is_kept && S_ISREG(status.st_mode)) is_kept = copy_file(from, name, to, as);
  else if (is_kept && S_ISLNK(status.st_mode)) is_kept = copy_link(from, name, to, as);
  else is_kept = 0;
  unlinkat(from, name, 0);
  return is_kept;
}

static void remove_lifted(int from) {
  char name[64];
  for (unsigned i = 0; i < top.lifted; i++) {
    snprintf(name, sizeof name, ".hardshell-%d-%u", getpid(), i);
    move_tree(from, name, -1, name, 0);
  }
}

static int is_gone(int from, const char *name) {
  struct stat status;
  return fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT;
}

int move_away(int from, const char *name, int to, const char *as, int *was_kept) {
  *was_kept = to >= 0 && rename_to(from, name, to, as) == 0;
  if (*was_kept) return 1;
  // Moving a folder changes its parent entry, so it must be writable itself.
  int folder = to >= 0 && errno == EACCES ? claim_folder(from, name) : -1;
  if (folder >= 0) {
    close(folder);
    *was_kept = rename_to(from, name, to, as) == 0;
    if (*was_kept) return 1;
  }
  top.folder = from;
  top.lifted = 0;
  *was_kept = move_tree(from, name, to, as, 0);
  remove_lifted(from);
  return is_gone(from, name);
}
