// Used by every process: time, signals, descriptors, small files, and fatal errors.

#define _GNU_SOURCE
#include "keeper.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/** NS_GET_USERNS */
#define OWNER_OF_NAMESPACE 0xb701ul

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

const int IGNORED_SIGNALS[] = {SIGPIPE, SIGXFSZ, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2, 0};

void die(const char *what) {
  dprintf(2, "hardshell keeper: %s: %s\n", what, strerror(errno));
  _exit(70);
}

uint64_t now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_nsec / 1000u;
}

uint64_t now_ms(void) { return now_us() / 1000u; }

uint64_t wall_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (uint64_t)time.tv_sec * 1000u + (uint64_t)time.tv_nsec / 1000000u;
}

uint64_t timeval_us(struct timeval time) { return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_usec; }

int copy_descriptor(int pidfd, int number) {
  if (pidfd < 0) return -1;
  int fd = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0), error = errno;
  close(pidfd);
  if (fd >= 0) fcntl(fd, F_SETFD, FD_CLOEXEC);
  errno = error;
  return fd;
}

void close_from(unsigned first) {
  if (syscall(SYS_close_range, first, ~0u, 0) == 0) return;
  struct rlimit limit;
  unsigned last = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? (unsigned)limit.rlim_cur : 65536;
  for (unsigned fd = first; fd < last; fd++) close((int)fd);
}

int open_namespace(pid_t pid, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/ns/%s", pid, name);
  return open(path, O_RDONLY | O_CLOEXEC);
}

int open_owner(int namespace_fd) { return ioctl(namespace_fd, OWNER_OF_NAMESPACE); }

long read_text(const char *path, char *text, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t count = read(fd, text, size - 1);
  close(fd);
  if (count < 0) return -1;
  text[count] = 0;
  return (long)count;
}

int open_signals(void) {
  sigset_t set;
  struct sigaction action = {.sa_handler = SIG_DFL};
  for (int signal = 1; signal < NSIG; signal++)
    if (signal != SIGKILL && signal != SIGSTOP) sigaction(signal, &action, NULL);
  action.sa_handler = SIG_IGN;
  for (const int *signal = IGNORED_SIGNALS; *signal != 0; signal++) sigaction(*signal, &action, NULL);
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGUSR1);
  if (sigprocmask(SIG_SETMASK, &set, NULL) < 0) die("signals");
  int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd < 0) die("signalfd");
  return fd;
}
