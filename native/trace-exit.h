// Tracers that hold other processes at their exit (PTRACE_O_TRACEEXIT).

#ifndef HARDSHELL_TRACE_EXIT_H
#define HARDSHELL_TRACE_EXIT_H

#include "seccomp-notify.h"
#include "task.h"

/** Forgets the targets of the previous task. */
void trace_exit_begin(void);
/** For a notified ptrace(2) with PTRACE_O_TRACEEXIT: 0 if the kernel may perform it, or an errno. */
int trace_exit_judge(const struct task *task, const struct notice *notice);

#endif
