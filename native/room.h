// A room: one view of the files, one Landlock domain and one set of namespaces, in which several commands of a session run. Its
// first process forks them, because a domain can only be inherited. The process that keeps the world makes it and passes it the
// requests of supervisors; see docs/decisions/0015-rooms.md.

#ifndef HARDSHELL_ROOM_H
#define HARDSHELL_ROOM_H

#include "request.h"
#include "spawn.h"
#include "world.h"
#include <poll.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/** Descriptors of a start: the payload, then those of an init, then where a held process waits, if it is held. */
enum { START_PAYLOAD, START_INIT, START_HOLD = START_INIT + INIT_FDS, START_FDS };

/** From a supervisor by way of the world to the room. What a child would inherit, and the room cannot know. */
struct room_start {
  uint32_t is_held, umask;
  /** Of the confinement. */
  uint32_t flags;
  /** Set by the room: which of its commands it is, and whether it has no other at that moment. */
  uint32_t number, is_alone;
  uint64_t payload_size;
  /** See `room_standing`. */
  uint64_t standing;
  struct rlimit limits[RLIM_NLIMITS];
};

// room-start.c
/** Whether a request belongs into a room. */
int room_fits(const struct request *request, const int *cgroup_procs);
/** In a supervisor: passes the request to the joined world. `fds`: of an init, and -1 or where it is held. 0 or an errno. */
int room_ask(const struct request *request, const int fds[INIT_FDS], int hold);
/** No room answered: none is asked for a while. */
void room_give_up(void);
/** A number for what a process has from its parents and cannot change: groups, priority, processors. */
uint64_t room_standing(void);
/** One message with up to START_FDS descriptors: 0 or an errno. */
int room_send(int socket, const struct room_start *start, const int *fds, size_t count);
/** The number of descriptors, 0 at the end of the connection, or -1 with errno. */
int room_receive(int socket, struct room_start *start, int fds[START_FDS]);
/** The payload of a start; NULL if it cannot be read. Free it. */
uint8_t *room_read_payload(int fd, size_t size);

// room-list.c
enum { MAX_ROOMS = 8 };

/** In the process that keeps a world: a supervisor's message has come, and is passed to a room. 0 if the supervisor is gone. */
int rooms_hear(const struct world *world, int lease);
/** What to poll; -1 = no room. */
void rooms_polls(struct pollfd polls[MAX_ROOMS]);
void rooms_advance(const struct pollfd polls[MAX_ROOMS]);
/** A child of the process has ended. */
void rooms_reap(void);
/** When the world ends. */
void rooms_end(void);

// room.c
/** Where the first process of a room finds its connection to the world, and its state. */
enum { ROOM_CONTROL = 3, ROOM_STATE = 4 };

/** Sent to the world when no command is left: how many requests had come. */
struct room_note {
  uint32_t received;
};

/** The program of the first process of a room. */
_Noreturn void room_serve(void);

#endif
