// trace-attack NAME …: processes that would hold each other at their exit (PTRACE_O_TRACEEXIT). A complete circle could not be killed,
// so the request that would close it has an option that no kernel knows: if nothing else refuses it, the kernel does, with another
// error than "Operation not permitted".

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT 0x40ul
#define UNKNOWN (1ul << 30)
#define OLD_SET_OPTIONS 21

static long request(long number, pid_t pid, unsigned long data) { return syscall(SYS_ptrace, number, pid, 0, data); }

static long number_of(const char *how) {
  if (strcmp(how, "seize") == 0) return PTRACE_SEIZE;
  return strcmp(how, "old") == 0 ? OLD_SET_OPTIONS : PTRACE_SETOPTIONS;
}

/** The request that would close the circle; what became of it. */
static void try_last(const char *how, pid_t pid) {
  printf("last %s: %s\n", how, request(number_of(how), pid, EXIT | UNKNOWN) == 0 ? "done" : strerror(errno));
}

static void detach(pid_t pid) {
  request(PTRACE_INTERRUPT, pid, 0);
  kill(pid, SIGSTOP);
  waitpid(pid, NULL, __WALL);
  request(PTRACE_DETACH, pid, 0);
  kill(pid, SIGCONT);
}

/** A real request, on a process that traces nothing. `more`: options. */
static int trace(const char *how, pid_t pid, unsigned long more) {
  long result;
  if (strcmp(how, "seize") == 0) result = request(PTRACE_SEIZE, pid, EXIT | more);
  else {
    if (strcmp(how, "traceme") != 0) request(PTRACE_ATTACH, pid, 0);
    waitpid(pid, NULL, __WALL);
    result = request(number_of(how), pid, EXIT | more);
    int error = errno;
    request(PTRACE_CONT, pid, 0);
    errno = error;
  }
  printf("first %s: %s\n", how, result == 0 ? "done" : strerror(errno));
  return result == 0;
}

struct call {
  const char *how;
  pid_t pid;
};

static void *try_in_thread(void *given) {
  const struct call *call = given;
  try_last(call->how, call->pid);
  return NULL;
}

static void *wait_here(void *unused) {
  pause();
  return unused;
}

/** A second thread makes the request, while the first is traced; or one of several untraced ones. */
static void try_from_thread(const char *how, pid_t pid) {
  struct call call = {how, pid};
  pthread_t thread;
  if (pthread_create(&thread, NULL, try_in_thread, &call) == 0) pthread_join(thread, NULL);
}

static void await(int fd) {
  char byte;
  if (read(fd, &byte, 1) != 1) _exit(3);
}

static void tell(int fd) {
  if (write(fd, "", 1) != 1) _exit(3);
}

/** We trace a child, and the child tries to trace us: from another thread, as a child of its own, or after it was released. */
static int circle(const char *first, const char *last, const char *who) {
  int to_child[2], to_parent[2];
  pid_t parent = getpid();
  if (pipe(to_child) < 0 || pipe(to_parent) < 0) return 3;
  pid_t child = fork();
  if (child == 0) {
    if (strcmp(first, "traceme") == 0 && (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 || raise(SIGSTOP) != 0)) _exit(3);
    await(to_child[0]);
    pid_t below = strcmp(who, "inherited") == 0 ? fork() : -1;
    if (below > 0) {
      pause();
      _exit(0);
    }
    if (strcmp(who, "thread") == 0) try_from_thread(last, parent);
    else try_last(last, parent);
    tell(to_parent[1]);
    pause();
    _exit(0);
  }
  if (!trace(first, child, strcmp(who, "inherited") == 0 ? 2 : 0)) return 1;
  if (strcmp(who, "after") == 0) detach(child);
  tell(to_child[1]);
  pid_t below = 0;
  int status;
  // The child stops when it forks, and so does what it has forked.
  if (strcmp(who, "inherited") == 0)
    for (int stops = 0; stops < 2; stops++) {
      pid_t pid = waitpid(-1, &status, __WALL);
      if (pid != child) below = pid;
      request(PTRACE_CONT, pid, 0);
    }
  await(to_parent[0]);
  if (below > 0) {
    detach(below);
    kill(below, SIGKILL);
  }
  if (strcmp(who, "after") != 0) detach(child);
  kill(child, SIGKILL);
  waitpid(child, NULL, __WALL);
  return 0;
}

/** Only another thread of the caller is traced: the one that its tracer got with a fork, and whose first thread it has released. */
static int hidden_thread(void) {
  int to_child[2], to_parent[2], status;
  pid_t parent = getpid(), threads[2] = {0, 0};
  if (pipe(to_child) < 0 || pipe(to_parent) < 0) return 3;
  pid_t child = fork();
  if (child == 0) {
    pthread_t thread;
    await(to_child[0]);
    if (fork() == 0) {
      if (pthread_create(&thread, NULL, wait_here, NULL) != 0) _exit(3);
      tell(to_parent[1]);
      await(to_child[0]);
      try_last("seize", parent);
      tell(to_parent[1]);
    }
    for (;;) pause();
  }
  // TRACEFORK, TRACECLONE
  if (!trace("seize", child, 2 | 8)) return 1;
  tell(to_child[1]);
  for (int stops = 0; stops < 4; stops++) {
    pid_t pid = waitpid(-1, &status, __WALL);
    if (pid != child && pid != threads[0] && threads[0] == 0) threads[0] = pid;
    else if (pid != child && pid != threads[0]) threads[1] = pid;
    request(PTRACE_CONT, pid, 0);
  }
  await(to_parent[0]);
  request(PTRACE_INTERRUPT, threads[0], 0);
  waitpid(threads[0], NULL, __WALL);
  printf("released: %s\n", request(PTRACE_DETACH, threads[0], 0) == 0 ? "done" : strerror(errno));
  tell(to_child[1]);
  await(to_parent[0]);
  // Each is released before it ends.
  for (int i = 0; i < 2; i++) {
    pid_t pid = i == 0 ? threads[1] : child;
    request(PTRACE_INTERRUPT, pid, 0);
    waitpid(pid, NULL, __WALL);
    request(PTRACE_DETACH, pid, 0);
  }
  kill(threads[0], SIGKILL);
  kill(child, SIGKILL);
  return 0;
}

/** A third process traces us, we trace a child, and the child tries to trace the third. */
static int triangle(const char *last) {
  int to_child[2], to_third[2], to_parent[2];
  pid_t parent = getpid();
  if (pipe(to_child) < 0 || pipe(to_third) < 0 || pipe(to_parent) < 0) return 3;
  pid_t third = fork();
  if (third == 0) {
    await(to_third[0]);
    trace("seize", parent, 0);
    tell(to_parent[1]);
    await(to_third[0]);
    detach(parent);
    _exit(0);
  }
  pid_t child = fork();
  if (child == 0) {
    await(to_child[0]);
    try_last(last, third);
    tell(to_parent[1]);
    pause();
  }
  if (!trace("seize", child, 0)) return 1;
  tell(to_third[1]);
  await(to_parent[0]);
  tell(to_child[1]);
  await(to_parent[0]);
  // First: as long as we are traced, the signals of our child stop us.
  tell(to_third[1]);
  waitpid(third, NULL, 0);
  detach(child);
  kill(child, SIGKILL);
  return 0;
}

/** Many children, one after the other: those that have ended need not be remembered. */
static int many(int count) {
  for (int i = 0; i < count; i++) {
    pid_t pid = fork();
    if (pid == 0) {
      pause();
      _exit(0);
    }
    if (request(PTRACE_SEIZE, pid, EXIT) < 0) return printf("%d: %s\n", i, strerror(errno)) < 0;
    request(PTRACE_INTERRUPT, pid, 0);
    waitpid(pid, NULL, __WALL);
    request(PTRACE_DETACH, pid, 0);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
  }
  puts("all");
  return 0;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc == 5 && strcmp(name, "circle") == 0) return circle(argv[2], argv[3], argv[4]);
  if (argc == 3 && strcmp(name, "triangle") == 0) return triangle(argv[2]);
  if (argc == 2 && strcmp(name, "hidden-thread") == 0) return hidden_thread();
  if (argc == 3 && strcmp(name, "many") == 0) return many(atoi(argv[2]));
  if (argc == 4 && strcmp(name, "last") == 0) {
    try_last(argv[2], atoi(argv[3]));
    return 0;
  }
  // Holds a process for a while.
  if (argc == 4 && strcmp(name, "hold") == 0) {
    if (!trace("seize", atoi(argv[2]), 0)) return 1;
    usleep((useconds_t)(atof(argv[3]) * 1e6));
    detach(atoi(argv[2]));
    return 0;
  }
  return 2;
}
