// The path of a call → the folder that it resolves to, from outside the caller's namespaces. Changes nothing, and opens only
// folders, as O_PATH. The caller can change them at the same time, so the answer must not be used for a decision.

#define _GNU_SOURCE
#include "refusal-path.h"
#include "confine-calls.h"
#include "keeper.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PROC_FILES 0x9fa0
#define MAX_LINKS 40
#define REMEMBERED 8
/** How long a folder is cached: until then, one that replaces it is not noticed. */
#define REMEMBERED_MS 50

/** All processes of a task have the same root: the filter refuses calls that change it. */
static int root = -1;

struct remembered {
  char *path;
  int fd, note;
  unsigned long mount_flags;
  uint64_t until;
};

static struct remembered remembered[REMEMBERED];
static size_t next;

static void forget(struct remembered *item) {
  if (item->path == NULL) return;
  close(item->fd);
  free(item->path);
  item->path = NULL;
}

void place_end(void) {
  for (size_t i = 0; i < REMEMBERED; i++) forget(&remembered[i]);
  if (root >= 0) close(root);
  root = -1;
}

static int root_of(const struct notice *notice) {
  char name[64];
  if (root >= 0) return root;
  snprintf(name, sizeof name, "/proc/%u/root", notice->pid);
  return root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int place_name(int fd, char *text, size_t size) {
  char name[64];
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  ssize_t count = readlink(name, text, size - 1);
  if (count < 0) return errno;
  text[count] = 0;
  return text[0] == '/' ? 0 : ENOENT;
}

/** The caller's PID in the namespace of its /proc. */
static int own_number(const struct notice *notice, char *text, size_t size) {
  char path[64], status[2048];
  snprintf(path, sizeof path, "/proc/%u/status", notice->pid);
  if (read_text(path, status, sizeof status) < 0) return 0;
  const char *line = strstr(status, "\nNSpid:");
  if (line == NULL) return 0;
  line += strlen("\nNSpid:");
  size_t length = strcspn(line, "\n"), start = length;
  while (start > 0 && line[start - 1] != '\t') start--;
  return snprintf(text, size, "%.*s", (int)(length - start), line + start) < (int)size;
}

// `self` would be this process, and the target of a link to an open file cannot be found by its text.
static int follow_in_proc(const struct notice *notice, int folder, const char *name, char *text, size_t size) {
  char number[32];
  int is_self = strcmp(name, "self") == 0, is_thread = strcmp(name, "thread-self") == 0;
  if (is_self || is_thread) {
    if (!own_number(notice, number, sizeof number)) return ENOENT;
    snprintf(text, size, is_self ? "%s" : "%s/task/%s", number, number);
    return 0;
  }
  int fd = openat(folder, name, O_PATH | O_CLOEXEC);
  if (fd < 0) return errno;
  int error = place_name(fd, text, size);
  close(fd);
  return error;
}

static int is_in_proc(int folder) {
  struct statfs status;
  return fstatfs(folder, &status) == 0 && status.f_type == PROC_FILES;
}

/** Removes the first part of `rest`; returns the length of the remaining path.  */
static size_t take_part(char *rest, char *part, size_t size) {
  char *at = rest + strspn(rest, "/");
  size_t length = strcspn(at, "/");
  if (length >= size) return SIZE_MAX;
  memcpy(part, at, length);
  part[length] = 0;
  at += length;
  memmove(rest, at, strlen(at) + 1);
  return strspn(rest, "/") == strlen(rest) ? 0 : strlen(rest);
}

static int put_before(char *rest, size_t size, const char *text) {
  size_t length = strlen(text), left = strlen(rest);
  if (length + left + 2 > size) return ENAMETOOLONG;
  memmove(rest + length + 1, rest, left + 1);
  memcpy(rest, text, length);
  rest[length] = '/';
  return 0;
}

static int step(int *folder, const char *part, int is_root_kept) {
  int fd = is_root_kept ? root : openat(*folder, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno;
  if (*folder != root) close(*folder);
  *folder = fd;
  return 0;
}

static int is_same(int a, int b) {
  struct stat first, second;
  return fstat(a, &first) == 0 && fstat(b, &second) == 0 && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// Part by part, as the kernel does: for links into /proc, which openat2 cannot follow for another process.
static int walk(const struct notice *notice, const char *path, int *found) {
  char rest[2 * PATH_MAX], part[NAME_MAX + 1], link[PATH_MAX];
  struct stat status;
  int folder = root, error = 0, links = 0;
  if (strlen(path) >= sizeof rest) return ENAMETOOLONG;
  strcpy(rest, path);
  for (size_t left = strlen(rest); left > 0 && error == 0;) {
    left = take_part(rest, part, sizeof part);
    if (left == SIZE_MAX) error = ENAMETOOLONG;
    if (error != 0 || part[0] == 0 || strcmp(part, ".") == 0) continue;
    if (strcmp(part, "..") == 0) {
      if (!is_same(folder, root)) error = step(&folder, part, 0);
      continue;
    }
    if (fstatat(folder, part, &status, AT_SYMLINK_NOFOLLOW) < 0) error = errno;
    else if (!S_ISLNK(status.st_mode)) error = step(&folder, part, 0);
    else if (++links > MAX_LINKS) error = ELOOP;
    else {
      if (is_in_proc(folder)) error = follow_in_proc(notice, folder, part, link, sizeof link);
      else {
        ssize_t count = readlinkat(folder, part, link, sizeof link - 1);
        if (count < 0) error = errno;
        else link[count] = 0;
      }
      if (error == 0 && link[0] == '/') error = step(&folder, "", 1);
      if (error == 0) error = put_before(rest, sizeof rest, link);
      left = strlen(rest);
    }
  }
  if (error == 0 && folder == root && (folder = fcntl(root, F_DUPFD_CLOEXEC, 0)) < 0) error = errno;
  if (error != 0 && folder != root && folder >= 0) close(folder);
  *found = error == 0 ? folder : -1;
  return error;
}

static int open_folder(const struct notice *notice, const char *path, int *found) {
  struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
  // /proc/self of another namespace cannot be resolved from here.
  *found = strstr(path, "/proc/") != NULL ? -1 : (int)syscall(SYS_openat2, root, path, &how, sizeof how);
  return *found >= 0 ? 0 : walk(notice, path, found);
}

static struct remembered *find_folder(const struct notice *notice, const char *path, int *error) {
  struct statfs status;
  uint64_t now = now_ms();
  int fd;
  *error = 0;
  for (size_t i = 0; i < REMEMBERED; i++)
    if (remembered[i].path != NULL && remembered[i].until > now && strcmp(remembered[i].path, path) == 0) return &remembered[i];
  if ((*error = open_folder(notice, path, &fd)) != 0) return NULL;
  struct remembered *item = &remembered[next++ % REMEMBERED];
  forget(item);
  if (fstatfs(fd, &status) < 0 || (item->path = strdup(path)) == NULL) {
    *error = errno;
    close(fd);
    return NULL;
  }
  item->fd = fd;
  item->note = 0;
  item->mount_flags = (unsigned long)status.f_flags;
  item->until = now + REMEMBERED_MS;
  return item;
}

static void cut_slashes(char *path) {
  for (size_t length = strlen(path); length > 1 && path[length - 1] == '/'; length--) path[length - 1] = 0;
}

/** `.`, `..` and the root have no name in a parent folder. */
static int is_name(const char *text) { return text[0] != 0 && strcmp(text, ".") != 0 && strcmp(text, "..") != 0; }

static int rename_folder(const struct notice *notice, char *whole, size_t size) {
  int fd, error = open_folder(notice, whole, &fd);
  if (error != 0) return error;
  error = place_name(fd, whole, size);
  close(fd);
  return error;
}

int place_find(const struct notice *notice, int folder, const char *path, int follows, struct place *place) {
  static char whole[2 * PATH_MAX], link[PATH_MAX];
  if (path[0] == 0) return ENOENT;
  int error = notice_absolute(notice, folder, path, whole, sizeof whole);
  if (error != 0 || root_of(notice) < 0) return error != 0 ? error : EACCES;
  for (int links = 0; links <= MAX_LINKS; links++) {
    cut_slashes(whole);
    char *slash = strrchr(whole, '/');
    if (!is_name(slash + 1)) {
      if ((error = rename_folder(notice, whole, sizeof whole)) != 0) return error;
      if (strcmp(whole, "/") == 0) return EISDIR;
      slash = strrchr(whole, '/');
    }
    if (strlen(slash + 1) > NAME_MAX) return ENAMETOOLONG;
    strcpy(place->name, slash + 1);
    *slash = 0;
    struct remembered *found = find_folder(notice, whole[0] == 0 ? "/" : whole, &error);
    if (found == NULL) return error;
    place->folder = found->fd;
    place->mount_flags = found->mount_flags;
    place->note = &found->note;
    if (!follows) return 0;
    ssize_t count = readlinkat(place->folder, place->name, link, sizeof link - 1);
    if (count < 0) return 0;
    link[count] = 0;
    if (is_in_proc(place->folder) && (error = follow_in_proc(notice, place->folder, place->name, link, sizeof link)) != 0) return error;
    if (link[0] == '/') strcpy(whole, link);
    else {
      if (strlen(whole) + strlen(link) + 2 > sizeof whole) return ENAMETOOLONG;
      strcat(whole, "/");
      strcat(whole, link);
    }
  }
  return ELOOP;
}

