// Calls that change another process by its number: which of them a command may make.

#ifndef HARDSHELL_OWN_PROCESS_H
#define HARDSHELL_OWN_PROCESS_H

#include "seccomp-notify.h"
#include "task.h"

/** For a notified call that changes limits, priorities or scheduling: 0 if the kernel may perform it, or an errno. */
int own_process_judge(const struct task *task, const struct notice *notice);

#endif
