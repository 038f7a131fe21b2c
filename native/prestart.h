// One set of namespaces per supervisor, made before the request is known. The process that waits in them serves one command
// or none; it is used or ended before the task runs, so a task finds nothing of it.

#ifndef HARDSHELL_PRESTART_H
#define HARDSHELL_PRESTART_H

#include "request.h"
#include "spawn.h"
#include <stdint.h>
#include <sys/types.h>

/** For this confinement, or, unless `is_ahead`, for any that needs the same namespaces. */
void prestart_prepare(const struct confinement *confinement, int is_ahead);
/** Passes the request and its descriptors to the waiting process. Its pid, or 0: then none is waiting any more. */
pid_t prestart_take(const struct request *request, const int fds[INIT_FDS]);
int prestart_is_waiting(void);
void prestart_drop(void);

#endif
