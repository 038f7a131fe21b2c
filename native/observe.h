// Watching: what a command tries to do to files, told and never decided.

#ifndef HARDSHELL_OBSERVE_H
#define HARDSHELL_OBSERVE_H

#include "seccomp-notify.h"
#include "observe-calls.h"
#include "task.h"

/** Tells of the paths of a call, each once. The call must then be let pass, or be decided for other reasons. */
void observe_call(struct task *task, const struct notice *notice);
void observe_target(struct task *task, enum observed what, const char *target);
/** How many were not told; forgets all. */
uint32_t observe_end(void);

#endif
