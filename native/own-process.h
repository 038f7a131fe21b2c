// The processes of a command and those of others in its room: which of them it may change, and which of them hold it.

#ifndef HARDSHELL_OWN_PROCESS_H
#define HARDSHELL_OWN_PROCESS_H

#include "seccomp-notify.h"
#include "task.h"

/** For a notified call that changes limits, priorities or scheduling: 0 if the kernel may perform it, or an errno. */
int own_process_judge(const struct task *task, const struct notice *notice);

/** Before a command is ended: reports a process of another command, or outside, that traces one of its processes and may hold it. */
void own_process_report_tracer(struct task *task);

// By the numbers of a mounted /proc.
/** The last number of a line of PID/status, as `"\nTgid:"`; -1 if it cannot be read. Threads have a number there, too. */
long process_status(const char *proc, pid_t pid, const char *name);
/** 0 if it cannot be read. */
pid_t process_parent(const char *proc, pid_t pid);
/** When it started, in ticks of the kernel; 0 if it cannot be read. */
uint64_t process_start(const char *proc, pid_t pid);

#endif
