// The words between a child and its supervisor, from the fork until the program runs.

#ifndef HARDSHELL_CHILD_CHANNEL_H
#define HARDSHELL_CHILD_CHANNEL_H

#include "spawn.h"

// The child's side; each gives 0, or -1 with errno.
/** Opens what the confinement lists and sends it: first of all, so that the host takes it while the rest is being made. */
int channel_listen(int fd, const struct confinement *confinement, struct spawned *spawned);
/** Behind the filter, before the program: says that all is ready, and goes on when told to. Closes `notify`. */
int channel_await(int fd, const struct spawned *spawned, int notify);
int channel_result(int fd, const struct spawned *spawned);

struct conversation {
  const struct confinement *confinement;
  const struct start_hooks *hooks;
  /** Descriptors and a word back need a socket; a result alone comes over a pipe. */
  int is_socket;
};

/** The supervisor's side: until the program runs, or does not; then the child is killed and `error` says why. */
void channel_hear(const struct conversation *talk, struct spawned *spawned, pid_t pid, int fd);

#endif
