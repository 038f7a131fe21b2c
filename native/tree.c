// Descendants, through /proc. Orphans are reparented to us, their subreaper: a daemon that double-forks is a child again.
// A pid is signalled only through a pidfd whose process still has the start time that the scan saw.

#define _GNU_SOURCE
#include "tree.h"
#include "keeper.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/** More are found in the next round. */
#ifndef MAX_PROCESSES
#define MAX_PROCESSES 8192
#endif
#define STOP_ROUNDS 20
/** For one scan of the tree, and for one pass through it: a tree that forks endlessly leaves little time. */
#define LOOK_MS 100u
/** P_PIDFD, which older headers lack. */
#define P_OF_PIDFD ((idtype_t)3)

struct stat_line {
  char state;
  pid_t parent, group;
  uint64_t user_ticks, system_ticks, start, rss_pages;
  uint32_t threads;
};

static int read_stat(pid_t pid, struct stat_line *line) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  if (read_text(path, text, sizeof text) < 0) return 0;
  // The name is in brackets and may itself contain brackets and spaces: fields start after the last one.
  char *at = strrchr(text, ')');
  unsigned long long user, system, start;
  long long child_user, child_system, rss;
  int parent, group, threads;
  if (at == NULL || sscanf(at + 1, " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld %*d %*d %d %*d %llu %*u %lld",
                           &line->state, &parent, &group, &user, &system, &child_user, &child_system, &threads, &start, &rss) != 10)
    return 0;
  line->parent = parent;
  line->group = group;
  line->user_ticks = user + (uint64_t)child_user;
  line->system_ticks = system + (uint64_t)child_system;
  line->threads = threads > 0 ? (uint32_t)threads : 0;
  line->start = start;
  line->rss_pages = rss > 0 ? (uint64_t)rss : 0;
  return 1;
}

static int has(const struct tree *tree, pid_t pid) {
  for (size_t i = 0; i < tree->count; i++)
    if (tree->list[i].pid == pid) return 1;
  return 0;
}

/** A first thread that has ended is listed as a zombie while the other threads of its process go on. */
static int has_ended(const struct stat_line *line) { return line->state == 'X' || (line->state == 'Z' && line->threads <= 1); }

static void append(struct process **list, size_t *count, size_t *capacity, struct process process) {
  if (*count == MAX_PROCESSES) return;
  if (*count == *capacity) {
    size_t wanted = *capacity ? *capacity * 2 : 32;
    struct process *larger = realloc(*list, wanted * sizeof *larger);
    if (larger == NULL) return;
    *list = larger;
    *capacity = wanted;
  }
  (*list)[(*count)++] = process;
}

static void add(struct tree *tree, pid_t pid) {
  struct stat_line line;
  if (tree->count == MAX_PROCESSES || has(tree, pid) || !read_stat(pid, &line)) return;
  struct process process = {pid, line.group, line.start};
  if (has_ended(&line)) append(&tree->ended, &tree->ended_count, &tree->ended_capacity, process);
  else append(&tree->list, &tree->count, &tree->capacity, process);
}

/** As much as fits; the number of bytes, or -1. */
static ssize_t read_whole(const char *path, char *text, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t count = 1;
  size_t end = 0;
  if (fd < 0) return -1;
  while (end < size - 1 && (count = read(fd, text + end, size - 1 - end)) > 0) end += (size_t)count;
  close(fd);
  text[end] = 0;
  return count < 0 ? -1 : (ssize_t)end;
}

static int is_number(const char *name) { return name[0] >= '1' && name[0] <= '9'; }

static uint64_t look_until;

static void add_children_of_thread(struct tree *tree, const char *path, int (*is_foreign)(pid_t)) {
  FILE *file = fopen(path, "re");
  int pid;
  while (file != NULL && fscanf(file, "%d", &pid) == 1 && now_ms() < look_until)
    if (is_foreign == NULL || !is_foreign(pid)) add(tree, pid);
  if (file != NULL) fclose(file);
}

static void add_children(struct tree *tree, pid_t parent, int (*is_foreign)(pid_t)) {
  char path[96];
  snprintf(path, sizeof path, "/proc/%d/task", parent);
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    if (!is_number(entry->d_name)) continue;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", parent, atoi(entry->d_name));
    add_children_of_thread(tree, path, is_foreign);
  }
  if (folder != NULL) closedir(folder);
}

// For kernels without /proc/PID/task/TID/children: every process whose parent is ours, until a pass adds nothing.
static void add_by_parent(struct tree *tree, int (*is_foreign)(pid_t)) {
  size_t before;
  do {
    before = tree->count;
    // The last pass, which adds nothing, finds each of them once.
    tree->ended_count = 0;
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
      struct stat_line line;
      pid_t pid = atoi(entry->d_name);
      if (!is_number(entry->d_name) || !read_stat(pid, &line)) continue;
      int is_child = tree->root == 0 && line.parent == getpid() && (is_foreign == NULL || !is_foreign(pid));
      if (is_child || has(tree, line.parent)) add(tree, pid);
    }
    if (folder != NULL) closedir(folder);
  } while (tree->count > before);
}

// A PID that a living process had before and after the scan was its own all the time.
static void forget_if_gone(struct tree *tree) {
  if (tree->root == 0 || syscall(SYS_pidfd_send_signal, tree->root_fd, 0, NULL, 0) == 0) return;
  tree->count = 0;
  tree->ended_count = 0;
}

void tree_scan(struct tree *tree, int (*is_foreign)(pid_t)) {
  static int has_children_files = -1;
  if (has_children_files < 0) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    has_children_files = access(path, R_OK) == 0;
  }
  tree->count = 0;
  tree->ended_count = 0;
  look_until = now_ms() + LOOK_MS;
  if (tree->root > 0) add(tree, tree->root);
  if (!has_children_files) add_by_parent(tree, is_foreign);
  else {
    if (tree->root == 0) add_children(tree, getpid(), is_foreign);
    for (size_t i = 0; i < tree->count && now_ms() < look_until; i++) add_children(tree, tree->list[i].pid, NULL);
  }
  forget_if_gone(tree);
}

static int signal_process(const struct process *process, int signal) {
  struct stat_line line;
  int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
  if (fd < 0 && errno != ENOSYS && errno != EPERM) return 0;
  int is_same = read_stat(process->pid, &line) && line.start == process->start;
  int sent = 0;
  if (is_same)
    sent = (fd >= 0 ? (int)syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0) : kill(process->pid, signal)) == 0;
  if (fd >= 0) close(fd);
  return sent;
}

size_t tree_signal(struct tree *tree, int signal, pid_t except_group) {
  size_t sent = 0;
  uint64_t until = now_ms() + LOOK_MS;
  for (size_t i = 0; i < tree->count && now_ms() < until; i++)
    if (except_group == 0 || tree->list[i].group != except_group) sent += (size_t)signal_process(&tree->list[i], signal);
  return sent;
}

// Only a live child of ours. The descriptor stays with the process, even if its PID is reused.
static int kill_child(pid_t pid) {
  siginfo_t info = {0};
  int fd = (int)syscall(SYS_pidfd_open, pid, 0), sent = 0;
  // For kernels without it: the PID of a child is not reused until it is reaped.
  if (fd < 0 && errno != ENOSYS) return 0;
  int is_child = fd >= 0 ? waitid(P_OF_PIDFD, (id_t)fd, &info, WEXITED | WNOHANG | WNOWAIT) == 0
                         : waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
  if (is_child && info.si_pid == 0)
    sent = (fd >= 0 ? (int)syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) : kill(pid, SIGKILL)) == 0;
  if (fd >= 0) close(fd);
  return sent;
}

// Chains of processes that fork and exit are children of ours, link by link: each is gone before it could be inspected, but
// not before it is killed. The youngest are last.
size_t tree_kill_children(int (*is_foreign)(pid_t), size_t few) {
  static char text[MAX_PROCESSES * 8];
  char path[64];
  size_t count = 0, killed = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
  ssize_t at = read_whole(path, text, sizeof text);
  for (ssize_t i = 0; i < at; i++) count += text[i] == ' ';
  if (count == 0 || (few > 0 && count <= few)) return 0;
  // Each number ends in a space. One that does not was cut off at the end of the buffer.
  while (text[at - 1] != ' ') at--;
  while (at > 0) {
    text[--at] = 0;
    while (at > 0 && text[at - 1] != ' ') at--;
    pid_t pid = atoi(text + at);
    if (pid > 1 && (is_foreign == NULL || !is_foreign(pid))) killed += (size_t)kill_child(pid);
  }
  return killed;
}

size_t tree_kill(struct tree *tree, int (*is_foreign)(pid_t), pid_t except_group) {
  size_t stopped = 0;
  uint64_t until = now_ms() + LOOK_MS;
  for (int round = 0; round < STOP_ROUNDS; round++) {
    tree_scan(tree, is_foreign);
    tree_signal(tree, SIGSTOP, except_group);
    if (tree->count <= stopped || now_ms() >= until) break;
    stopped = tree->count;
  }
  return tree_signal(tree, SIGKILL, except_group);
}

int read_io_of(int fd, uint64_t *read_bytes, uint64_t *write_bytes) {
  char text[512];
  unsigned long long in, out;
  ssize_t count = pread(fd, text, sizeof text - 1, 0);
  if (count < 0) return 0;
  text[count] = 0;
  char *at = strstr(text, "\nread_bytes:");
  if (at == NULL || sscanf(at, "\nread_bytes: %llu write_bytes: %llu", &in, &out) != 2) return 0;
  *read_bytes = in;
  *write_bytes = out;
  return 1;
}

static int read_io(const char *path, uint64_t *read_bytes, uint64_t *write_bytes) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  int is_read = read_io_of(fd, read_bytes, write_bytes);
  close(fd);
  return is_read;
}

static void add_time(struct usage *usage, const struct stat_line *line) {
  static uint64_t tick_us;
  if (tick_us == 0) tick_us = 1000000u / (uint64_t)sysconf(_SC_CLK_TCK);
  usage->user_us += line->user_ticks * tick_us;
  usage->system_us += line->system_ticks * tick_us;
}

// Parents come before their children, and the ended last, so time that a parent takes over from a child in the meantime is
// not counted twice.
void tree_measure(struct tree *tree, int (*is_foreign)(pid_t), pid_t except, struct usage *usage) {
  static uint64_t page;
  struct stat_line line;
  if (page == 0) page = (uint64_t)sysconf(_SC_PAGESIZE);
  *usage = (struct usage){0};
  tree_scan(tree, is_foreign);
  for (size_t i = 0; i < tree->count; i++) {
    if (!read_stat(tree->list[i].pid, &line)) continue;
    add_time(usage, &line);
    if (tree->list[i].pid == except) continue;
    usage->processes += 1;
    usage->threads += line.threads;
    usage->rss_bytes += line.rss_pages * page;
    if (line.rss_pages * page > usage->largest_rss) usage->largest_rss = line.rss_pages * page;
  }
  for (size_t i = 0; i < tree->ended_count; i++)
    if (read_stat(tree->ended[i].pid, &line) && line.start == tree->ended[i].start) add_time(usage, &line);
}

void tree_measure_io(const struct tree *tree, struct usage *usage) {
  for (size_t i = 0; i < tree->count; i++) {
    char path[64];
    uint64_t in, out;
    snprintf(path, sizeof path, "/proc/%d/io", tree->list[i].pid);
    if (!read_io(path, &in, &out)) continue;
    usage->read_bytes += in;
    usage->write_bytes += out;
  }
}

// A process that may not be inspected counts with all of its pages.
static uint64_t memory_of(pid_t pid, uint64_t page) {
  char path[64], text[512];
  struct stat_line line;
  snprintf(path, sizeof path, "/proc/%d/smaps_rollup", pid);
  char *at = read_text(path, text, sizeof text) > 0 ? strstr(text, "\nPss:") : NULL;
  if (at != NULL) return strtoull(at + strlen("\nPss:"), NULL, 10) * 1024u;
  return read_stat(pid, &line) ? line.rss_pages * page : 0;
}

uint64_t tree_memory(const struct tree *tree, pid_t except) {
  uint64_t bytes = 0, page = (uint64_t)sysconf(_SC_PAGESIZE), until = now_ms() + LOOK_MS;
  for (size_t i = 0; i < tree->count && now_ms() < until; i++)
    if (tree->list[i].pid != except) bytes += memory_of(tree->list[i].pid, page);
  return bytes;
}

void tree_free(struct tree *tree) {
  free(tree->list);
  free(tree->ended);
  *tree = (struct tree){0};
}

// The process file includes reaped children, the thread file does not: the difference is theirs.
int read_children_io(uint64_t *read_bytes, uint64_t *write_bytes) {
  uint64_t all[2], own[2];
  if (!read_io("/proc/self/io", &all[0], &all[1]) || !read_io("/proc/thread-self/io", &own[0], &own[1])) return 0;
  *read_bytes = all[0] > own[0] ? all[0] - own[0] : 0;
  *write_bytes = all[1] > own[1] ? all[1] - own[1] : 0;
  return 1;
}

int tree_has(pid_t pid) {
  struct stat_line line;
  // Parents may change in the meantime, but only to us.
  for (int depth = 0; depth < MAX_PROCESSES && pid > 1 && read_stat(pid, &line); depth++) {
    if (line.parent == getpid()) return 1;
    pid = line.parent;
  }
  return 0;
}

// Each number ends in a space. One that does not was cut off at the end of the buffer.
ssize_t tree_read_children(int fd, pid_t *pids, size_t room) {
  static char text[65536];
  ssize_t size;
  size_t count = 0;
  do size = pread(fd, text, sizeof text - 1, 0);
  while (size < 0 && errno == EINTR);
  if (size < 0) return -1;
  text[size] = 0;
  for (char *at = text, *end; count < room && (end = strchr(at, ' ')) != NULL; at = end + 1) pids[count++] = atoi(at);
  return (ssize_t)count;
}

pid_t tree_parent(pid_t pid) {
  struct stat_line line;
  return read_stat(pid, &line) ? line.parent : 0;
}

char process_state(pid_t pid, uint64_t start) {
  struct stat_line line;
  return read_stat(pid, &line) && line.start == start ? line.state : 0;
}

uint64_t own_start(void) {
  struct stat_line line;
  return read_stat(getpid(), &line) ? line.start : 0;
}
