// One set of namespaces per supervisor, made ahead of the request that they are for. Whoever waits in them serves one command
// or none; what a task may find of it is nothing: it is used or ended before the task runs.

#ifndef HARDSHELL_PRESTART_H
#define HARDSHELL_PRESTART_H

#include "request.h"
#include "spawn.h"
#include <stdint.h>
#include <sys/types.h>

/** For this confinement, or, unless `is_ahead`, for any that needs the same namespaces. */
void prestart_prepare(const struct confinement *confinement, int is_ahead);
/** Gives the request and its descriptors to who waits. Its pid, or 0: then nobody waits any more. */
pid_t prestart_take(const struct request *request, const int fds[INIT_FDS]);
int prestart_is_waiting(void);
void prestart_drop(void);

#endif
