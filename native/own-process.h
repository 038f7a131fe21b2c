// The processes of a command and those of others in its room: which of them it may change, and which of them hold it.

#ifndef HARDSHELL_OWN_PROCESS_H
#define HARDSHELL_OWN_PROCESS_H

#include "seccomp-notify.h"
#include "task.h"

/** For a notified call that changes limits, priorities or scheduling: 0 if the kernel may perform it, or an errno. */
int own_process_judge(const struct task *task, const struct notice *notice);

/** Before a command of a room is ended: reports a process of another command that traces one of its processes, and may hold it. */
void own_process_report_tracer(struct task *task);

#endif
