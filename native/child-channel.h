// Messages between a child and its supervisor, from the fork until the program runs.

#ifndef HARDSHELL_CHILD_CHANNEL_H
#define HARDSHELL_CHILD_CHANNEL_H

#include "spawn.h"

/** Ours, which also gets the PID of each writer, and the child's. 0, or -1 with errno. */
int channel_open(int ends[2]);

// The child's side; each returns 0, or -1 with errno.
/** Opens the listeners of the confinement and sends them first, so that the host takes them while the rest is prepared. */
int channel_listen(int fd, const struct confinement *confinement, struct spawned *spawned);
/** Behind the filter, before the program: reports that all is ready, and continues when permitted. Closes `notify`. */
int channel_await(int fd, const struct spawned *spawned, int notify);
int channel_result(int fd, const struct spawned *spawned);
/** Sent by the first process of a command inside namespaces, whose PID in ours is not known otherwise. */
int channel_pid(int fd);

struct conversation {
  const struct confinement *confinement;
  const struct start_hooks *hooks;
};

/** The supervisor's side: until the program runs, or fails; then the child is killed and `error` says why. */
void channel_hear(const struct conversation *talk, struct spawned *spawned, pid_t pid, int fd);
/** The same for an init of a room, whose PID comes with its first message. 0 if it did nothing that cannot be done again. */
int channel_hear_room(const struct conversation *talk, struct spawned *spawned, int fd);

/** After a failed start in a room: until nothing of it is left there, or the room is gone. */
void channel_end_room(const struct spawned *spawned, int fd);

#endif
