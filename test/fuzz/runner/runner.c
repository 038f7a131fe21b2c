// Runs programs under a real shell, one after the other, each in a fresh private folder, all of them confined.
// In:  u32 length, u8 shell (0 bash, 1 sh), u16 limit in ms, then the text.
// Out: u32 length, u8 outcome (0 exited, 1 killed, 2 out of time), u8 status, u8 rejected by the shell's parser,
//      u32 length of the log, the log (see stub.c), then the changed files (see folder.c).

#define _GNU_SOURCE
#include "runner.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_PROGRAM 65536
#define MAX_LOG (1 << 20)
#define GRACE_MS 60
#define START_FAILURE 256

static char program[MAX_PROGRAM + 1];
static char reply[16 + MAX_LOG + 65536];
/** Shared with the child that becomes the shell. */
static char *start_failure;

void die(const char *what) {
  fprintf(stderr, "fuzz runner: %s: %s\n", what, strerror(errno));
  _exit(70);
}

static int read_fully(int fd, void *buffer, size_t size) {
  for (size_t at = 0; at < size;) {
    ssize_t count = read(fd, (char *)buffer + at, size - at);
    if (count <= 0) return 0;
    at += (size_t)count;
  }
  return 1;
}

static void write_fully(int fd, const void *buffer, size_t size) {
  for (size_t at = 0; at < size;) {
    ssize_t count = write(fd, (const char *)buffer + at, size - at);
    if (count <= 0) _exit(0);
    at += (size_t)count;
  }
}

static long long now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

/** Tells the runner that the shell could not be started: a silent failure would make every analysis look sound. */
static void give_up(const char *what) {
  snprintf(start_failure, START_FAILURE, "%s: %s", what, strerror(errno));
  _exit(70);
}

static void limit(int resource, rlim_t value) {
  struct rlimit both = {value, value};
  if (setrlimit(resource, &both) < 0) give_up("setrlimit");
}

static void start(int shell) {
  // Values that the analysis does not know: a variable without a seen assignment is unknown, not empty.
  static char *const ENVIRONMENT[] = {"PATH=/bin",   "HOME=/w/home",      "LC_ALL=C.UTF-8", "FUNCNEST=20", "z=c5 hidden",
                                      "E=rm hidden", "A=a[$(c9 hidden)]", "OLDPWD=/w/d",    NULL};
  char *bash[] = {"bash", "--norc", "--noprofile", "-p", "-c", program, NULL};
  char *sh[] = {"sh", "-c", program, NULL};
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setsid();
  int in = open(INPUT, O_RDONLY), out = open("/dev/null", O_WRONLY), errors = open(ERRORS, O_WRONLY | O_APPEND);
  if (in < 0 || out < 0 || errors < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(errors, 2) < 0)
    give_up("standard files");
  for (int fd = 3; fd < 16; fd++) close(fd);
  if (chdir(WORK) < 0) give_up(WORK);
  limit(RLIMIT_CPU, 1);
  limit(RLIMIT_FSIZE, MAX_LOG);
  limit(RLIMIT_NOFILE, 64);
  limit(RLIMIT_AS, 512u << 20);
  limit(RLIMIT_NPROC, 64);
  limit(RLIMIT_CORE, 0);
  if (shell == 1) execve("/real/sh", sh, ENVIRONMENT);
  else execve("/real/bash", bash, ENVIRONMENT);
  give_up("execve");
}

/** Waits until every process is gone, or the time is over and they are killed. */
static int wait_all(pid_t main_pid, int limit_ms, int *outcome) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  long long deadline = now_ms() + limit_ms;
  int main_status = 0, is_main_running = 1;
  *outcome = 0;
  for (;;) {
    int status;
    pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0) break;
    if (pid == main_pid) {
      main_status = status;
      is_main_running = 0;
      if (deadline > now_ms() + GRACE_MS) deadline = now_ms() + GRACE_MS;
    }
    if (pid > 0) continue;
    long long left = deadline - now_ms();
    if (left <= 0) break;
    struct timespec pause = {left / 1000, left % 1000 * 1000000};
    sigtimedwait(&child, NULL, &pause);
  }
  if (is_main_running) *outcome = 2;
  // Everything left in this pid namespace, in any group or session.
  kill(-1, SIGKILL);
  while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) {}
  if (*outcome == 0 && WIFSIGNALED(main_status)) *outcome = 1;
  return *outcome == 2 ? 0 : *outcome == 1 ? WTERMSIG(main_status) : WEXITSTATUS(main_status);
}

static int make_empty(const char *path) {
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) die(path);
  return fd;
}

static int is_rejected(int errors) {
  static const char *const SIGNS[] = {"syntax error near", "unexpected EOF", "Syntax error:", "unexpected end of file"};
  char text[4096];
  ssize_t count = pread(errors, text, sizeof text - 1, 0);
  text[count < 0 ? 0 : count] = 0;
  for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++)
    if (strstr(text, SIGNS[i]) != NULL) return 1;
  return 0;
}

static void run(int shell, int limit_ms) {
  int log = make_empty(LOG), errors = make_empty(ERRORS), outcome;
  pid_t pid = fork();
  if (pid < 0) die("fork");
  if (pid == 0) start(shell);
  int status = wait_all(pid, limit_ms, &outcome);
  if (*start_failure) die(start_failure);
  size_t at = 11;
  ssize_t logged = pread(log, reply + at, MAX_LOG, 0);
  uint32_t log_size = logged < 0 ? 0 : (uint32_t)logged;
  reply[4] = (char)outcome;
  reply[5] = (char)status;
  reply[6] = (char)is_rejected(errors);
  memcpy(reply + 7, &log_size, 4);
  at += log_size;
  at += folder_changes(reply + at, sizeof reply - at);
  uint32_t size = (uint32_t)at - 4;
  memcpy(reply, &size, 4);
  write_fully(1, reply, at);
  close(log);
  close(errors);
}

int main(int argc, char **argv) {
  if (argc < 4) return 64;
  confine(argv[1], argv[2], argv[3], argv + 4);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, NULL);
  umask(022);
  start_failure = mmap(NULL, START_FAILURE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (start_failure == MAP_FAILED) die("mmap");
  folder_make();
  struct stat space;
  if (stat("/proc/self/ns/pid", &space) < 0) die("namespace");
  unsigned long long id = space.st_ino;
  write_fully(1, &id, sizeof id);
  struct __attribute__((packed)) {
    uint32_t length;
    uint8_t shell;
    uint16_t limit_ms;
  } head;
  while (read_fully(0, &head, sizeof head)) {
    if (head.length > MAX_PROGRAM || !read_fully(0, program, head.length)) return 65;
    program[head.length] = 0;
    run(head.shell, head.limit_ms);
  }
  return 0;
}
