// Messages between a child and its supervisor, from the fork until the program runs.

#ifndef HARDSHELL_CHILD_CHANNEL_H
#define HARDSHELL_CHILD_CHANNEL_H

#include "spawn.h"

// The child's side; each returns 0, or -1 with errno.
/** Opens the listeners of the confinement and sends them first, so that the host takes them while the rest is prepared. */
int channel_listen(int fd, const struct confinement *confinement, struct spawned *spawned);
/** Behind the filter, before the program: reports that all is ready, and continues when permitted. Closes `notify`. */
int channel_await(int fd, const struct spawned *spawned, int notify);
int channel_result(int fd, const struct spawned *spawned);

struct conversation {
  const struct confinement *confinement;
  const struct start_hooks *hooks;
  /** Descriptors and an answer need a socket; a result alone uses a pipe. */
  int is_socket;
};

/** The supervisor's side: until the program runs, or fails; then the child is killed and `error` says why. */
void channel_hear(const struct conversation *talk, struct spawned *spawned, pid_t pid, int fd);

#endif
