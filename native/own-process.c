// A command may change the limits, priorities and scheduling of its own processes, not of those that start and end the commands
// of its room: a first process that cannot open, wait or run ends nothing any more. Numbers are those that the command sees, so
// they are looked up in its own /proc.

#define _GNU_SOURCE
#include "own-process.h"
#include "keeper.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define MAX_DEPTH 8192

/** The PID of a process in its own namespace; 0 if it is not known. */
static pid_t inner_pid(pid_t pid) {
  char path[64], text[4096];
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  char *line = read_text(path, text, sizeof text) > 0 ? strstr(text, "\nNSpid:") : NULL;
  if (line == NULL) return 0;
  char *end = strchrnul(line + 1, '\n');
  *end = 0;
  char *last = strrchr(line + 1, '\t');
  return last == NULL ? 0 : (pid_t)strtol(last, NULL, 10);
}

static pid_t parent_in(const char *proc, pid_t pid) {
  char path[96], text[1024];
  int parent;
  snprintf(path, sizeof path, "%s/%d/stat", proc, pid);
  char *at = read_text(path, text, sizeof text) > 0 ? strrchr(text, ')') : NULL;
  return at != NULL && sscanf(at + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

// The init of the command is the parent of its orphans, so every process of the command is below it; the init itself is not.
static int is_below_init(const struct task *task, const struct notice *notice, pid_t pid) {
  char proc[64];
  pid_t init = task->command.is_in_room ? inner_pid(task->command.pid) : 1;
  if (init <= 0 || !(task->command.confinement.held >> CONFINE_PROC & 1)) return 0;
  snprintf(proc, sizeof proc, "/proc/%u/root/proc", notice->pid);
  for (int depth = 0; depth < MAX_DEPTH && pid > 1; depth++) {
    pid = parent_in(proc, pid);
    if (pid == init) return 1;
  }
  return 0;
}

// The number is in a register, so it stays what it was. A process that ends at this moment may leave it to another one, but not
// to the first process of the room; an init could be killed as well.
int own_process_judge(const struct task *task, const struct notice *notice) {
  int index = notice->number == SYS_setpriority || notice->number == SYS_ioprio_set ? 1 : 0;
  pid_t pid = (pid_t)notice->arguments[index];
  if (pid <= 0) return EPERM;
  if (!task->command.has_init) return tree_has(pid) ? 0 : EPERM;
  // Limits of others may be read.
  if (notice->number == SYS_prlimit64 && notice->arguments[2] == 0) return 0;
  return is_below_init(task, notice, pid) ? 0 : EPERM;
}
