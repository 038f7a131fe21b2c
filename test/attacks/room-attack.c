// room-attack NAME …: what a process tries with others of its room. Prints what it found; ends with 0 if it could do it.

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
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

/** Traces a process and stops it, for a while. */
static int stop(pid_t pid) {
  if (!tell("seize", ptrace(PTRACE_SEIZE, pid, NULL, NULL)) || !tell("interrupt", ptrace(PTRACE_INTERRUPT, pid, NULL, NULL))) return 1;
  waitpid(pid, NULL, __WALL);
  puts("stopped");
  sleep(30);
  return 0;
}

/** Every call that changes the limits or the scheduling of one process. */
static int change(pid_t pid) {
  const struct rlimit few = {64, 64}, small = {1 << 20, 1 << 20}, many = {4096, 4096};
  struct sched_param parameter = {.sched_priority = 0};
  const struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t times[3];
  } attributes = {.size = 48, .policy = SCHED_BATCH, .nice = 15};
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(0, &processors);
  tell("NOFILE", prlimit(pid, RLIMIT_NOFILE, &few, NULL));
  tell("FSIZE", prlimit(pid, RLIMIT_FSIZE, &small, NULL));
  tell("NPROC", prlimit(pid, RLIMIT_NPROC, &many, NULL));
  tell("setpriority", setpriority(PRIO_PROCESS, (id_t)pid, 10));
  tell("ioprio_set", syscall(SYS_ioprio_set, 1, pid, 3 << 13));
  tell("sched_setscheduler", sched_setscheduler(pid, SCHED_BATCH, &parameter));
  tell("sched_setparam", sched_setparam(pid, &parameter));
  tell("sched_setattr", syscall(SYS_sched_setattr, pid, &attributes, 0));
  tell("sched_setaffinity", sched_setaffinity(pid, sizeof processors, &processors));
  return 0;
}

/** The same by files. */
static int change_files(pid_t pid) {
  static const char *const FILES[] = {"oom_score_adj", "autogroup", "timerslack_ns", "coredump_filter", "comm", "clear_refs", "sched"};
  for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, FILES[i]);
    int fd = open(path, O_WRONLY);
    tell(FILES[i], fd < 0 ? -1 : write(fd, "5", 1));
    if (fd >= 0) close(fd);
  }
  return 0;
}

/** Also those that name a user or a group, which means more than one process. */
static int change_all(void) {
  tell("user", setpriority(PRIO_USER, 0, 10));
  tell("user by number", setpriority(PRIO_USER, getuid(), 10));
  tell("ioprio user", syscall(SYS_ioprio_set, 3, getuid(), 3 << 13));
  tell("group of the first", setpriority(PRIO_PGRP, 1, 10));
  tell("ioprio group of the first", syscall(SYS_ioprio_set, 2, 1, 3 << 13));
  return 0;
}

/** Changes the group of a process by joining it. */
static int change_group(pid_t pid) {
  if (tell("join", setpgid(0, getpgid(pid)))) tell("group", setpriority(PRIO_PGRP, 0, 19));
  return 0;
}

/** The first process of the room cannot wait for its descriptors any more. */
static int blind(pid_t pid) {
  const struct rlimit none = {0, 0};
  return !tell("blind", prlimit(pid, RLIMIT_NOFILE, &none, NULL));
}

/** A second thread changes itself by its number. */
static void *change_thread(void *unused) {
  (void)unused;
  change(gettid());
  return NULL;
}

static int change_threads(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, change_thread, NULL) != 0) return 1;
  return pthread_join(thread, NULL);
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
  if (argc == 3 && strcmp(name, "stop") == 0) return stop(atoi(argv[2]));
  if (argc == 3 && strcmp(name, "change") == 0) return change(atoi(argv[2]));
  if (argc == 3 && strcmp(name, "change-files") == 0) return change_files(atoi(argv[2]));
  if (argc == 3 && strcmp(name, "change-group") == 0) return change_group(atoi(argv[2]));
  if (argc == 3 && strcmp(name, "blind") == 0) return blind(atoi(argv[2]));
  if (strcmp(name, "change-all") == 0) return change_all();
  if (strcmp(name, "change-thread") == 0) return change_threads();
  if (strcmp(name, "jobs") == 0) return jobs();
  if (strcmp(name, "traceme") == 0) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0) return 1;
    raise(SIGSTOP);
    puts("continued");
    return 0;
  }
  return 2;
}
