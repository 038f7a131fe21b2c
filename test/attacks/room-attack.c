// room-attack NAME …: what a process tries with others of its room. Prints what it found; ends with 0 if it could do it.

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int tell(const char *what, long result) {
  printf("%s: %s\n", what, result >= 0 ? "done" : strerror(errno));
  return result >= 0;
}

/** Every way into one process: 0 if one of them worked. */
static int reach(pid_t pid) {
  char path[64], bytes[64];
  struct iovec here = {bytes, 1}, there = {(void *)1, 1};
  static const char *const FILES[] = {"environ", "mem", "maps", "auxv", "stack"};
  static const char *const LINKS[] = {"cwd", "root", "exe", "fd/0", "ns/net"};
  int worked = 0, pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
  for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
    snprintf(path, sizeof path, "/proc/%d/%s", pid, FILES[i]);
    int fd = open(path, O_RDONLY);
    worked += tell(FILES[i], fd < 0 ? -1 : strcmp(FILES[i], "mem") == 0 ? 0 : read(fd, bytes, sizeof bytes) > 0 ? 0 : -1);
    if (fd >= 0) close(fd);
  }
  for (size_t i = 0; i < sizeof LINKS / sizeof *LINKS; i++) {
    snprintf(path, sizeof path, "/proc/%d/%s", pid, LINKS[i]);
    worked += tell(LINKS[i], readlink(path, bytes, sizeof bytes));
  }
  long result = process_vm_readv(pid, &here, 1, &there, 1, 0);
  worked += tell("process_vm_readv", result < 0 && errno == EFAULT ? 0 : result);
  worked += tell("pidfd_getfd", syscall(SYS_pidfd_getfd, pidfd, 0, 0));
  worked += tell("ptrace", ptrace(PTRACE_SEIZE, pid, NULL, NULL));
  return worked == 0;
}

static int field(const char *text, const char *name, char *value, size_t size) {
  const char *at = strstr(text, name);
  if (at == NULL) return 0;
  snprintf(value, size, "%.*s", (int)strcspn(at + strlen(name), "\n"), at + strlen(name));
  return 1;
}

/** Attaches to each new process for a while, and prints what it caught: its capabilities and its filter. */
static int race(double seconds) {
  double until = now() + seconds;
  unsigned tries = 0, caught = 0;
  pid_t last = getpid();
  while (now() < until) {
    for (pid_t pid = last + 1; pid < last + 20; pid++) {
      if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0) {
        if (errno == EPERM) tries++;
        continue;
      }
      char path[64], text[4096] = "", capabilities[64] = "?", filter[64] = "?", fresh[64] = "?";
      snprintf(path, sizeof path, "/proc/%d/status", pid);
      int fd = open(path, O_RDONLY);
      if (fd >= 0 && read(fd, text, sizeof text - 1) > 0) {
        field(text, "\nCapEff:\t", capabilities, sizeof capabilities);
        field(text, "\nSeccomp:\t", filter, sizeof filter);
        field(text, "\nNoNewPrivs:\t", fresh, sizeof fresh);
      }
      if (fd >= 0) close(fd);
      caught++;
      printf("caught %s %s %s\n", capabilities, filter, fresh);
      ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
      waitpid(pid, NULL, __WALL);
      ptrace(PTRACE_DETACH, pid, NULL, NULL);
      if (pid > last) last = pid;
    }
    char text[128] = "";
    int fd = open("/proc/loadavg", O_RDONLY);
    if (fd >= 0 && read(fd, text, sizeof text - 1) > 0) {
      pid_t newest = atoi(strrchr(text, ' '));
      if (newest > last + 10) last = newest - 10;
    }
    if (fd >= 0) close(fd);
  }
  printf("refused %u caught %u\n", tries, caught);
  return 0;
}

/** A chain of processes, each of which forks the next and ends, in sessions of their own; at most `most`, and for `seconds`. */
static int chain(int most, double seconds) {
  double until = now() + seconds;
  for (int i = 0; i < most && now() < until; i++) {
    pid_t pid = fork();
    if (pid < 0) return 1;
    if (pid > 0) _exit(0);
    setsid();
    usleep(2000);
  }
  return 0;
}

/** Traces a process, lets it be killed, and never waits for it. */
static int keep(pid_t pid) {
  if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0) return tell("ptrace", -1);
  kill(pid, SIGKILL);
  puts("kept");
  sleep(30);
  return 0;
}

/** Lowers what a process may have; its own user may do that. */
static int limit(pid_t pid) {
  struct rlimit few = {5, 5}, none = {0, 0};
  tell("files", prlimit(pid, RLIMIT_NOFILE, &few, NULL));
  tell("size", prlimit(pid, RLIMIT_FSIZE, &none, NULL));
  tell("processes", prlimit(pid, RLIMIT_NPROC, &none, NULL));
  return 0;
}

/** The commands of the room, as their first processes: children of process 1. */
static int jobs(void) {
  DIR *folder = opendir("/proc");
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    char path[300], text[512] = "";
    int parent = 0;
    if (atoi(entry->d_name) <= 1) continue;
    snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
    int fd = open(path, O_RDONLY);
    if (fd >= 0 && read(fd, text, sizeof text - 1) > 0 && sscanf(strrchr(text, ')') + 1, " %*c %d", &parent) == 1 && parent == 1)
      printf("%s\n", entry->d_name);
    if (fd >= 0) close(fd);
  }
  return 0;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc == 3 && strcmp(name, "reach") == 0) return reach(atoi(argv[2]));
  if (argc == 3 && strcmp(name, "race") == 0) return race(atof(argv[2]));
  if (argc == 4 && strcmp(name, "chain") == 0) return chain(atoi(argv[2]), atof(argv[3]));
  if (argc == 3 && strcmp(name, "keep") == 0) return keep(atoi(argv[2]));
  if (argc == 3 && strcmp(name, "limit") == 0) return limit(atoi(argv[2]));
  if (strcmp(name, "jobs") == 0) return jobs();
  if (strcmp(name, "traceme") == 0) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0) return 1;
    raise(SIGSTOP);
    puts("continued");
    return 0;
  }
  return 2;
}
