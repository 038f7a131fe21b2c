// One set of namespaces per supervisor, made before the request is known. The process that waits in them serves one command
// or none; it is used or ended before the task runs, so a task finds nothing of it.

#ifndef HARDSHELL_PRESTART_H
#define HARDSHELL_PRESTART_H

#include "request.h"
#include "spawn.h"
#include <stdint.h>
#include <sys/types.h>

/** For the confinement of this request, or, unless `is_ahead`, for any that needs the same namespaces. */
void prestart_prepare(const struct request *request, int is_ahead);
/** Passes the request and its descriptors to the waiting process. Its pid, or 0: then none is waiting any more. `is_shared`: it
 * is in the network of its world. */
pid_t prestart_take(const struct request *request, const int fds[INIT_FDS], int *is_shared);
int prestart_is_waiting(void);
void prestart_drop(void);

#endif
