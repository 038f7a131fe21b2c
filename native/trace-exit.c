// PTRACE_O_TRACEEXIT holds a process at its exit until its tracer continues it or is gone, also after SIGKILL. Processes that hold
// each other like this never end, and neither does their namespace. strace needs the option, so it is allowed as long as no circle
// can form: a traced process never becomes such a tracer, and a command only traces commands that started before it.

#define _GNU_SOURCE
#include "trace-exit.h"
#include "keeper.h"
#include "own-process.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_TARGETS 1024
#define MAX_THREADS 4096
#define MAX_DEPTH 8192
/** A process that starts or ends threads all the time is refused. */
#define MAX_TRIES 8

/** Threads and processes that a request of this command has named, by the numbers that the command sees. */
static pid_t targets[MAX_TARGETS];
static size_t target_count;

void trace_exit_begin(void) { target_count = 0; }

static int is_target(pid_t number) {
  for (size_t i = 0; i < target_count; i++)
    if (targets[i] == number) return 1;
  return 0;
}

/** Those that have ended need not be remembered: they trace nothing. */
static void forget_ended(const char *proc) {
  size_t kept = 0;
  char path[96];
  for (size_t i = 0; i < target_count; i++) {
    snprintf(path, sizeof path, "%s/%d", proc, targets[i]);
    if (access(path, F_OK) == 0) targets[kept++] = targets[i];
  }
  target_count = kept;
}

static int remember(const char *proc, pid_t number) {
  if (is_target(number)) return 1;
  if (target_count == MAX_TARGETS && proc != NULL) forget_ended(proc);
  if (target_count == MAX_TARGETS) return 0;
  targets[target_count++] = number;
  return 1;
}

/** In the order of the kernel; -1 if there are too many, or the process is gone. */
static ssize_t list_threads(pid_t process, pid_t *threads) {
  char path[64];
  ssize_t count = 0;
  snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR *folder = opendir(path);
  if (folder == NULL) return -1;
  for (struct dirent *entry; count >= 0 && (entry = readdir(folder)) != NULL;) {
    if (atoi(entry->d_name) <= 0) continue;
    if (count == MAX_THREADS) count = -1;
    else threads[count++] = atoi(entry->d_name);
  }
  closedir(folder);
  return count;
}

enum tracing { NOT_TRACED, TRACED, UNCLEAR };

// A traced thread passes its tracer on to the threads that it starts, so they must be seen all at once. Between the second and the
// third list the process has as many threads as both contain: no other thread existed at that moment.
static enum tracing find_tracer(pid_t process) {
  static pid_t before[MAX_THREADS], after[MAX_THREADS];
  ssize_t count = list_threads(process, before);
  if (count <= 0) return UNCLEAR;
  for (ssize_t i = 0; i < count; i++) {
    long tracer = process_status("/proc", before[i], "\nTracerPid:"), number = process_status("/proc", before[i], "\nNSpid:");
    if (tracer < 0 || number <= 0) return UNCLEAR;
    if (tracer > 0 || is_target((pid_t)number)) return TRACED;
  }
  size_t size = (size_t)count * sizeof *before;
  if (list_threads(process, after) != count || memcmp(before, after, size) != 0) return UNCLEAR;
  if (process_status("/proc", process, "\nThreads:") != count) return UNCLEAR;
  return list_threads(process, after) == count && memcmp(before, after, size) == 0 ? NOT_TRACED : UNCLEAR;
}

static int is_free(pid_t process) {
  enum tracing found = UNCLEAR;
  for (int i = 0; i < MAX_TRIES && found == UNCLEAR; i++) found = find_tracer(process);
  return found == NOT_TRACED;
}

/** The init of the command in a room that a process belongs to; 0 if it is unclear. */
static pid_t find_init(const char *proc, pid_t pid) {
  for (int depth = 0; depth < MAX_DEPTH && pid > 1; depth++) {
    pid_t parent = process_parent(proc, pid);
    // That of a visitor has its parent elsewhere.
    if (parent <= 1) return pid;
    pid = parent;
  }
  return 0;
}

// By the time at which their inits started, and then by their numbers: any order will do that both commands see in the same way.
static int is_own_or_earlier(const struct task *task, const char *proc, pid_t target) {
  long own = process_status("/proc", task->command.pid, "\nNSpid:");
  pid_t other = find_init(proc, target);
  if (own <= 1 || other <= 1 || other == target) return 0;
  uint64_t begun = process_start(proc, (pid_t)own), other_begun = process_start(proc, other);
  if (begun == 0 || other_begun == 0 || !spawned_has_init(&task->command)) return 0;
  return other == own || other_begun < begun || (other_begun == begun && other < own);
}

// The number and the options are in registers, so they stay what they were. Requests that were allowed and are not performed yet
// count as well.
int trace_exit_judge(const struct task *task, const struct notice *notice) {
  char proc[64];
  pid_t target = (pid_t)notice->arguments[1];
  long caller = process_status("/proc", (pid_t)notice->pid, "\nTgid:");
  int has_proc = (task->command.confinement.held >> CONFINE_PROC & 1) != 0;
  if (target <= 1 || caller <= 0 || !task->command.has_init || (spawned_has_company(&task->command) && !has_proc)) return EPERM;
  snprintf(proc, sizeof proc, "/proc/%u/root/proc", notice->pid);
  long process = has_proc ? process_status(proc, target, "\nTgid:") : target;
  if (process <= 0) return ESRCH;
  if (spawned_has_company(&task->command) && !is_own_or_earlier(task, proc, target)) return EPERM;
  if (!is_free((pid_t)caller)) return EPERM;
  const char *known = has_proc ? proc : NULL;
  return remember(known, target) && remember(known, (pid_t)process) ? 0 : EPERM;
}
