// Observation: what a command tries to do to files, reported and never decided.

#ifndef HARDSHELL_OBSERVE_H
#define HARDSHELL_OBSERVE_H

#include "seccomp-notify.h"
#include "observe-calls.h"
#include "task.h"

/** Reports the paths of a call, each once. The call must then pass, or be decided for other reasons. */
void observe_call(struct task *task, const struct notice *notice);
void observe_target(struct task *task, enum observed what, const char *target);
/** How many were not reported; forgets all. */
uint32_t observe_end(void);

#endif
