// A command may change the limits, priorities and scheduling of its own processes, not of those that start and end the commands
// of its room: a first process that cannot open, wait or run ends nothing any more. Numbers are those that the command sees, so
// they are looked up in its own /proc.

#define _GNU_SOURCE
#include "own-process.h"
#include "keeper.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_DEPTH 8192

long process_status(const char *proc, pid_t pid, const char *name) {
  char path[96], text[4096];
  snprintf(path, sizeof path, "%s/%d/status", proc, pid);
  char *line = read_text(path, text, sizeof text) > 0 ? strstr(text, name) : NULL;
  if (line == NULL) return -1;
  *strchrnul(line + 1, '\n') = 0;
  char *last = strrchr(line + 1, '\t');
  return last == NULL ? -1 : strtol(last, NULL, 10);
}

/** The PID of a process in its own namespace. */
static pid_t inner_pid(pid_t pid) { return (pid_t)process_status("/proc", pid, "\nNSpid:"); }

/** What follows the name in /proc/PID/stat; NULL if it cannot be read. */
static const char *read_stat(const char *proc, pid_t pid, char *text, size_t size) {
  char path[96];
  snprintf(path, sizeof path, "%s/%d/stat", proc, pid);
  const char *at = read_text(path, text, size) > 0 ? strrchr(text, ')') : NULL;
  return at == NULL ? NULL : at + 1;
}

pid_t process_parent(const char *proc, pid_t pid) {
  char text[1024];
  int parent;
  const char *at = read_stat(proc, pid, text, sizeof text);
  return at != NULL && sscanf(at, " %*c %d", &parent) == 1 ? parent : 0;
}

uint64_t process_start(const char *proc, pid_t pid) {
  char text[1024];
  unsigned long long start;
  const char *at = read_stat(proc, pid, text, sizeof text);
  const char *fields = " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu";
  return at != NULL && sscanf(at, fields, &start) == 1 ? start : 0;
}

/** Without a /proc of its own: only threads of the caller, which are numbered from outside as well. */
static int is_own_thread(const struct notice *notice, pid_t pid) {
  char path[64];
  int is_own = 0;
  snprintf(path, sizeof path, "/proc/%u/task", notice->pid);
  DIR *threads = opendir(path);
  for (struct dirent *entry; threads != NULL && !is_own && (entry = readdir(threads)) != NULL;)
    is_own = atoi(entry->d_name) > 0 && inner_pid(atoi(entry->d_name)) == pid;
  if (threads != NULL) closedir(threads);
  return is_own;
}

// The init of the command is the parent of its orphans, so every process of the command is below it; the init itself is not.
static int is_below_init(const struct task *task, const struct notice *notice, pid_t pid) {
  char proc[64];
  pid_t init = spawned_has_company(&task->command) ? inner_pid(task->command.pid) : 1;
  if (!(task->command.confinement.held >> CONFINE_PROC & 1)) return is_own_thread(notice, pid);
  if (init <= 0) return 0;
  snprintf(proc, sizeof proc, "/proc/%u/root/proc", notice->pid);
  for (int depth = 0; depth < MAX_DEPTH && pid > 1; depth++) {
    pid = process_parent(proc, pid);
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

static int is_in_tree(const struct tree *tree, pid_t pid) {
  for (size_t i = 0; i < tree->count; i++)
    if (tree->list[i].pid == pid) return 1;
  return 0;
}

static int is_same_namespace(pid_t a, pid_t b) {
  char path[64], first[64], second[64];
  snprintf(path, sizeof path, "/proc/%d/ns/pid", a);
  ssize_t size = readlink(path, first, sizeof first);
  snprintf(path, sizeof path, "/proc/%d/ns/pid", b);
  return size > 0 && readlink(path, second, sizeof second) == size && memcmp(first, second, (size_t)size) == 0;
}

// A shell that waited for its command is traced by us.
void own_process_report_tracer(struct task *task) {
  char path[64], name[64];
  if (!task->command.has_init) return;
  tree_scan(&task->tree, NULL);
  for (size_t i = 0; i < task->tree.count; i++) {
    pid_t pid = task->tree.list[i].pid, tracer = (pid_t)process_status("/proc", pid, "\nTracerPid:");
    if (tracer <= 0 || tracer == getpid() || is_in_tree(&task->tree, tracer)) continue;
    snprintf(path, sizeof path, "/proc/%d/comm", tracer);
    long size = read_text(path, name, sizeof name);
    if (size <= 0) continue;
    name[strcspn(name, "\n")] = 0;
    pid_t inner = is_same_namespace(pid, tracer) ? inner_pid(tracer) : 0;
    report_traced(task, (uint32_t)(inner > 0 ? inner : 0), name);
    return;
  }
}
