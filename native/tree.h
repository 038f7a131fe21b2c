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
  struct process *list;
  size_t count, capacity;
};

struct usage {
  uint64_t cpu_us, rss_bytes, read_bytes, write_bytes;
  uint32_t processes;
};

/** All live descendants. Children that `is_foreign` accepts are skipped, with everything below them. */
void tree_scan(struct tree *tree, int (*is_foreign)(pid_t pid));
/** Stops everything first, so that nothing forks between scan and kill, then kills. The number killed. */
size_t tree_kill(struct tree *tree, int (*is_foreign)(pid_t pid));
/** Only our own children, without inspection: for trees that are faster than that. The count; 0 if there are no more
 * than `few`, including dead ones. */
size_t tree_kill_children(int (*is_foreign)(pid_t pid), size_t few);
/** Skips the members of one group, which the caller has signalled as a group; 0 = none. */
size_t tree_signal(struct tree *tree, int signal, pid_t except_group);
void tree_measure(struct tree *tree, struct usage *usage);
void tree_free(struct tree *tree);

/** I/O of all children that this process has reaped, and of those that they reaped. */
int read_children_io(uint64_t *read_bytes, uint64_t *write_bytes);
/** From an open /proc/PID/io. */
int read_io_of(int fd, uint64_t *read_bytes, uint64_t *write_bytes);
/** Whether a process, or a thread, descends from this one. */
int tree_has(pid_t pid);
/** Start of this process, see struct process. */
uint64_t own_start(void);

#endif
