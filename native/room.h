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

#define ROOM_NAME_BYTES 64

/** From a supervisor by way of the world to the room. What a child would inherit, and the room cannot know. */
struct room_start {
  /** Nothing is to be started: the room that this request belongs to did not answer. Only the payload comes with it. */
  uint32_t is_complaint;
  /** Nor here: a staged command has its own files, and wants to be among the processes of the room with this name. Only a
   * connection comes with it, see `struct visit`. */
  uint32_t is_visit;
  char name[ROOM_NAME_BYTES];
  uint32_t is_held, umask;
  /** Of the confinement. */
  uint32_t flags;
  /** Set by the room: which of its commands it is, and whether it has no other at that moment. */
  uint32_t number, is_alone;
  /** Set by the world: which of the requests for the room it is. */
  uint32_t ticket;
  uint64_t payload_size;
  /** See `room_standing` and `room_scheduling`. */
  uint64_t standing, scheduling;
  struct rlimit limits[RLIM_NLIMITS];
};

// room-start.c
/** Whether a request belongs into a room. */
int room_fits(const struct request *request, const int *cgroup_procs);
/** Whether a room is asked now: not for a while after several did not answer. */
int room_is_asked(void);
/** In a supervisor: passes the request to the joined world. `fds`: of an init, and -1 or where it is held. 0 or an errno. */
int room_ask(const struct request *request, const int fds[INIT_FDS], int hold);
/** A room has answered. */
void room_praise(void);
/** A staged command in the process namespace of a room. `room_fd`: the first process of the room. `fd`: the connection to it, on
 * which it gets the init of the command, and proves later that nothing is left of one that was killed; to close it is to leave. */
struct visit {
  int room_fd, fd;
};
enum visit_answer {
  /** There is no room with commands. */
  VISIT_ALONE,
  VISIT_UNANSWERED,
  VISIT_WELCOME,
};
/** In a supervisor: asks for a room with commands for a staged one, which then counts it as one of them. */
enum visit_answer room_visit(const struct request *request, struct visit *visit);
/** No room has: the world throws it away. If it happens again, none is asked for a while. */
void room_complain(const struct request *request);
/** A number for the priority and the processors of this process: the same inside and outside. */
uint64_t room_scheduling(void);
/** That, with its groups and its personality. */
uint64_t room_standing(uint64_t scheduling);
/** One message with up to START_FDS descriptors: 0 or an errno. */
int room_send(int socket, const struct room_start *start, const int *fds, size_t count);
/** The number of descriptors, 0 at the end of the connection, or -1 with errno. */
int room_receive(int socket, struct room_start *start, int fds[START_FDS]);
/** The payload of a start; NULL if it cannot be read. Free it. */
uint8_t *room_read_payload(int fd, size_t size);

// room-list.c
enum { MAX_ROOMS = 8, MAX_JOBS = 256 };

/** In the process that keeps a world: a supervisor's message has come, and is passed to a room. 0 if the supervisor is gone. */
int rooms_hear(const struct world *world, int lease);
/** A supervisor is gone: its commands must end in time, or their rooms do. */
void rooms_lose(int lease);
/** What to poll; -1 = no room. */
void rooms_polls(struct pollfd polls[MAX_ROOMS]);
/** Until the next deadline of a room; -1 = there is none. */
int rooms_wait_ms(void);
/** After a poll, whatever its result. */
void rooms_advance(const struct pollfd polls[MAX_ROOMS]);
/** A child of the process has ended. */
void rooms_reap(void);
/** When the world ends. */
void rooms_end(void);

// room.c
/** Where the first process of a room finds its connection to the world, and its state. */
enum { ROOM_CONTROL = 3, ROOM_STATE = 4 };

/** From a room to its world whenever a command is over: of the requests up to `seen`, these are not. */
struct room_note {
  uint32_t seen;
  /** It takes no more. */
  uint32_t is_closed;
  uint32_t count, tickets[MAX_JOBS];
};

/** Sent to the supervisor of a command by its room when nothing is left of the command. Smaller than a `command_end`. */
struct room_proof {
  uint16_t is_gone;
};

/** The program of the first process of a room. */
_Noreturn void room_serve(void);

#endif
