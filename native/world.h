// A world: the user and network namespace that the commands of a session share. A process of its own keeps it, and is found
// by a socket in a private folder of the host, also by later hosts.

#ifndef HARDSHELL_WORLD_H
#define HARDSHELL_WORLD_H

#include <stdint.h>
#include <sys/types.h>

/** Where listeners of one command are in a shared network: only its own supervisor connects to them. */
#define WORLD_PRIVATE_ADDRESS 0x7f530001u
#define WORLD_PRIVATE_MASK 0xffff0000u

struct world {
  int user, network;
  /** The first process of a room whose process namespace is entered as well, for `world_clone`; 0 = none. */
  int room_fd;
};

/** In the keeper: starts the process that keeps the world at `path`, unless there is one. Its PID; 0 if none was started. */
pid_t world_keep(const char *path);
/** In a supervisor: the namespaces of the world at `path`, which stay open until the next call; 0 or an errno. */
int world_join(const char *path, struct world *world);
/** The world at `path` may end when no other process uses it. */
void world_leave(void);
/** The connection to the process that keeps the joined world; -1 = none is joined. */
int world_lease(void);
/** Whether a world is in use, or kept for the next command. */
int world_is_joined(void);
/** Of the joined one: another one has another number. */
uint32_t world_number(void);
/** Whether the joined world is that at `path`, and still there. */
int world_is(const char *path);
/** Like clone(2), with the network of the world; the child is ours. */
pid_t world_clone(const struct world *world, int flags);
/** In a child: enters the network of a world; 0 or an errno. */
int world_enter(const struct world *world);

#endif
