// seccomp notifications. Another process is read only by its PID, so everything that is
// read may belong to a different process until the notification is confirmed as current.

#define _GNU_SOURCE
#include "seccomp-notify.h"
#include "confine-calls.h"
#include "keeper.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#define TAKE _IOWR('!', 0, struct notice)
#define ANSWER _IOWR('!', 1, struct answer)
#define IS_CURRENT _IOW('!', 2, uint64_t)
#define SET_FLAGS _IOW('!', 4, uint64_t)
#define WAKE_IN_TURN 1ul
#define LET_PASS 1u
#define THREAD_FLAG 0200u

struct answer {
  uint64_t id;
  int64_t value;
  int32_t error;
  uint32_t flags;
};

// The caller waits for the answer, so both may use the same CPU.
void notice_begin(int notify_fd) { ioctl(notify_fd, SET_FLAGS, WAKE_IN_TURN); }

int notice_take(int notify_fd, struct notice *notice) {
  memset(notice, 0, sizeof *notice);
  if (ioctl(notify_fd, TAKE, notice) == 0) return 1;
  return errno == ENOENT || errno == EINTR || errno == EAGAIN ? 0 : -1;
}

int notice_is_current(int notify_fd, const struct notice *notice) { return ioctl(notify_fd, IS_CURRENT, &notice->id) == 0; }

// A process that is gone needs no answer.
void notice_answer(int notify_fd, const struct notice *notice, int error) {
  struct answer answer = {.id = notice->id, .error = -error};
  ioctl(notify_fd, ANSWER, &answer);
}

void notice_let_pass(int notify_fd, const struct notice *notice) {
  struct answer answer = {.id = notice->id, .flags = LET_PASS};
  ioctl(notify_fd, ANSWER, &answer);
}

// No process has a page there; whether it may be read is decided first.
int notice_can_read(pid_t pid) {
  char byte;
  struct iovec here = {&byte, 1}, there = {(void *)1, 1};
  return process_vm_readv(pid, &here, 1, &there, 1, 0) < 0 && errno != EFAULT ? errno : 0;
}

int notice_read(const struct notice *notice, uint64_t address, void *bytes, size_t size) {
  struct iovec here = {bytes, size}, there = {(void *)(uintptr_t)address, size};
  if (size == 0) return 0;
  ssize_t count = process_vm_readv((pid_t)notice->pid, &here, 1, &there, 1, 0);
  return count == (ssize_t)size ? 0 : count < 0 ? errno : EFAULT;
}

// Page by page: the next one may not be mapped, and need not be.
ssize_t notice_read_text(const struct notice *notice, uint64_t address, char *text, size_t size) {
  for (size_t at = 0; at < size;) {
    size_t left = 4096 - (size_t)((address + at) % 4096), part = left < size - at ? left : size - at;
    int error = notice_read(notice, address + at, text + at, part);
    if (error != 0) {
      errno = error;
      return -1;
    }
    char *end = memchr(text + at, 0, part);
    if (end != NULL) return end - text;
    at += part;
  }
  errno = ENAMETOOLONG;
  return -1;
}

// The process of a thread: older kernels can only open processes.
static pid_t process_of(pid_t thread) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%d/status", thread);
  if (read_text(path, text, sizeof text) < 0) return -1;
  const char *line = strstr(text, "\nTgid:");
  return line == NULL ? -1 : (pid_t)strtol(line + 6, NULL, 10);
}

int notice_descriptor(const struct notice *notice, int number) {
  int pidfd = (int)syscall(SYS_pidfd_open, notice->pid, THREAD_FLAG);
  if (pidfd < 0) pidfd = (int)syscall(SYS_pidfd_open, notice->pid, 0);
  if (pidfd < 0) pidfd = (int)syscall(SYS_pidfd_open, process_of((pid_t)notice->pid), 0);
  return copy_descriptor(pidfd, number);
}

int notice_open_path(const struct notice *notice, const char *path) {
  char name[64], whole[PATH_MAX];
  struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
  errno = notice_absolute(notice, AT_FDCWD, path, whole, sizeof whole);
  if (errno != 0) return -1;
  snprintf(name, sizeof name, "/proc/%u/root", notice->pid);
  int root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) return -1;
  int fd = (int)syscall(SYS_openat2, root, whole, &how, sizeof how), error = errno;
  close(root);
  errno = error;
  return fd;
}

int notice_absolute(const struct notice *notice, int folder, const char *path, char *text, size_t size) {
  char name[64];
  size_t length = strlen(path);
  if (path[0] == '/') {
    if (length >= size) return ENAMETOOLONG;
    memcpy(text, path, length + 1);
    return 0;
  }
  if (folder == AT_FDCWD) snprintf(name, sizeof name, "/proc/%u/cwd", notice->pid);
  else snprintf(name, sizeof name, "/proc/%u/fd/%d", notice->pid, folder);
  // While it waits, a thread stays in its folder, unless another one of its process moves it.
  static uint64_t known;
  static char known_folder[PATH_MAX];
  static ssize_t known_size;
  if (folder != AT_FDCWD || known != notice->id || known_size <= 0) {
    ssize_t found = readlink(name, known_folder, sizeof known_folder);
    if (found < 0) return errno;
    known = folder == AT_FDCWD ? notice->id : 0;
    known_size = found;
  }
  ssize_t count = known_size;
  if ((size_t)count >= size) return ENAMETOOLONG;
  memcpy(text, known_folder, (size_t)count);
  if ((size_t)count + length + 2 > size) return ENAMETOOLONG;
  text[count] = 0;
  // A descriptor without a name, or a folder that was removed.
  if (text[0] != '/') return ENOENT;
  if (length == 0) return 0;
  if (count > 1) text[count++] = '/';
  memcpy(text + count, path, length + 1);
  return 0;
}
