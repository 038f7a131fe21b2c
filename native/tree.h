// The descendants of this process: finding, measuring and signalling them.

#ifndef HARDSHELL_TREE_H
#define HARDSHELL_TREE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process {
  pid_t pid, group;
  /** In clock ticks since boot: together with the pid it identifies a process uniquely. */
  uint64_t start;
};

struct tree {
  /** 0 = this process, which is not in the list. Otherwise another one, which is: only while `root_fd` says that it lives, and
   * as the first. */
  pid_t root;
  int root_fd;
  struct process *list;
  size_t count, capacity;
  /** Those that have ended and were not reaped yet. */
  struct process *ended;
  size_t ended_count, ended_capacity;
};

/** Of the living processes; their times and I/O include children that they have reaped, and times also those not reaped yet. */
struct usage {
  uint64_t user_us, system_us, rss_bytes, largest_rss, read_bytes, write_bytes;
  uint32_t processes, threads;
};

/** All live descendants of this process, or of the root. Children that `is_foreign` accepts are skipped, with everything below them. */
void tree_scan(struct tree *tree, int (*is_foreign)(pid_t pid));
/** Stops everything first, so that nothing forks between scan and kill, then kills. The number killed. `except_group`: as
 * for `tree_signal`. */
size_t tree_kill(struct tree *tree, int (*is_foreign)(pid_t pid), pid_t except_group);
/** Only our own children, without inspection: for trees that are faster than that. The count; 0 if there are no more
 * than `few`, including dead ones. */
size_t tree_kill_children(int (*is_foreign)(pid_t pid), size_t few);
/** Skips the members of one group, which the caller has signalled as a group; 0 = none. */
size_t tree_signal(struct tree *tree, int signal, pid_t except_group);
/** `except`: the init of its namespaces, which is not a process of the command; only what it has reaped counts. 0 = none. */
void tree_measure(struct tree *tree, int (*is_foreign)(pid_t pid), pid_t except, struct usage *usage);
/** Adds the I/O of the measured processes, as far as it may be read. */
void tree_measure_io(const struct tree *tree, struct usage *usage);
/** Proportional memory of the measured processes: shared pages are counted once. At most their `rss_bytes`. */
uint64_t tree_memory(const struct tree *tree, pid_t except);
void tree_free(struct tree *tree);

/** I/O of all children that this process has reaped, and of those that they reaped. */
int read_children_io(uint64_t *read_bytes, uint64_t *write_bytes);
/** From an open /proc/PID/io. */
int read_io_of(int fd, uint64_t *read_bytes, uint64_t *write_bytes);
/** Whether a process, or a thread, descends from this one. */
int tree_has(pid_t pid);
/** The processes that the kernel lists as children in an open /proc/PID/task/TID/children; the count, or -1 with errno. */
ssize_t tree_read_children(int fd, pid_t *pids, size_t room);
/** The parent of a process; 0 if it is not known. */
pid_t tree_parent(pid_t pid);
/** As in /proc, of a process that began then; 0 if there is none. */
char process_state(pid_t pid, uint64_t start);
/** Start of this process, see struct process. */
uint64_t own_start(void);

#endif
