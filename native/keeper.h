// Shared by the parts of the keeper: process-wide helpers and the two main loops.

#ifndef HARDSHELL_KEEPER_H
#define HARDSHELL_KEEPER_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <sys/types.h>

struct cgroup_support;

/** Prints the error to stderr and ends this process. */
_Noreturn void die(const char *what);
uint64_t now_ms(void);
uint64_t now_us(void);
/** Since 1970; for people and records, never for waiting. */
uint64_t wall_ms(void);
uint64_t timeval_us(struct timeval time);

/** Closes every descriptor from `first` on. */
void close_from(unsigned first);
/** A copy of another process's descriptor, or -1 with errno. Closes `pidfd`, which may be -1. */
int copy_descriptor(int pidfd, int number);
/** A namespace of a process ("net" …), or -1 with errno. */
int open_namespace(pid_t pid, const char *name);
/** The user namespace that owns it, which in a world is not that of the process; or -1 with errno. */
int open_owner(int namespace_fd);
/** Reads a small file as text; the number of bytes, or -1. */
long read_text(const char *path, char *text, size_t size);
/** Ends in 0. */
extern const int IGNORED_SIGNALS[];
/** SIGCHLD, SIGTERM and SIGUSR1 as a descriptor; signals that must not end us are ignored. */
int open_signals(void);

/** The host's socket, followed by the lanes: sockets on which a supervisor talks to the host directly. */
enum { HOST_FD = 3, LANE_FD = 4, MAX_LANES = 16 };
/** Where the channel for descriptors is in the keeper, and in a supervisor; see handover.h. */
enum { CHANNEL_FD = LANE_FD + MAX_LANES, SUPERVISOR_CHANNEL_FD = LANE_FD + 1 };

/** Serves the host until it is gone. At most `holders` supervisors keep a shell waiting. `has_channel`: see CHANNEL_FD. */
int keep(int lanes, int holders, int has_channel);
/** Runs the tasks that come over HOST_FD, one at a time, until it closes; its frames go over LANE_FD if it has
 * one, otherwise through the keeper. `holds`: it may keep a shell waiting between two tasks. Never returns. */
_Noreturn void supervise(int has_lane, int holds, const struct cgroup_support *cgroup);

#endif
