// A request becomes a process: its own session and group, three descriptors, limits, nothing else of ours.

#ifndef HARDSHELL_SPAWN_H
#define HARDSHELL_SPAWN_H

#include "confine.h"
#include "request.h"
#include <sys/resource.h>
#include <sys/types.h>

/** Where a start failed; part of the protocol. */
enum start_step { STEP_NONE = 0, STEP_RESOURCES = 1, STEP_CWD = 2, STEP_LIMITS = 3, STEP_CGROUP = 4, STEP_EXEC = 5, STEP_CONFINE = 6 };

/** From a port that the command connects to, to the listener for it. */
struct route {
  uint16_t port, listener;
  int is_proxy;
};

struct spawned {
  pid_t pid;
  /** Our ends; -1 if there is none. With one pipe for both streams `err` is -1. */
  int in, out, err;
  int error;
  enum start_step step;
  struct confine_report confinement;
  /** Inside namespaces `pid` is our init; -1, or where it reports how the command ended. */
  int end_fd;
  int has_init;
  /** The init is that of a room: no child of ours, and not alone there. `init_fd` refers to it, and `room_fd` to the first
   * process of the room; otherwise -1. */
  int is_in_room, init_fd, room_fd;
  /** A staged command among the processes of a room: the connection to the room, see room.h; otherwise -1. Its init is a child of
   * ours; if that is killed, the room ends what is left, and it is as if `is_in_room`. */
  int visit_fd;
  /** It belongs into a room, but none has started it. */
  int misses_room;
  /** Inside namespaces: the PID of the command's first process in ours; otherwise 0. */
  pid_t inner;
  /** Where a process that is held inside waits for a byte before its exec; otherwise -1. */
  int hold_fd;
  /** -1, or where the command's seccomp notifications arrive; see broker.c. */
  int notify_fd;
  /** Its network is that of its world; then these are its listeners, which no other command reaches. */
  int is_shared;
  struct route routes[MAX_LISTENERS];
  size_t route_count;
};

/** Hooks of the supervisor while a command is being started. Each returns 0 or an errno. */
struct start_hooks {
  /** A listener from inside goes to the host. */
  int (*hand_over)(uint16_t port, int fd);
  /** Waits until the host has confirmed that it has them all. */
  int (*await_host)(void);
  /** Answers notifications on `notify_fd`. */
  void (*serve)(int *notify_fd);
  /** While a start takes long: shows the host that we are here. NULL = no host waits. */
  void (*wait)(void);
};

/** Written by that init when the command has ended, and once more when no process is left inside. */
struct command_end {
  int32_t status;
  /** No process is left: only the init itself and its namespaces remain to be removed. */
  int32_t is_empty;
  /** Of all processes that have ended inside. */
  struct rusage usage;
  /** Bytes read and written by them. */
  int32_t has_io;
  uint64_t io[2];
  /** How many processes and threads were started inside; 0 if it is not known, as of commands that shared a room. */
  uint32_t started;
};

/** Tells the init of a command to kill everything inside: unlike its own death, nothing of the usage is lost. */
#define KILL_INSIDE_SIGNAL SIGUSR1

/** The first process of new namespaces, in the network of the request's world if it has one: as for fork. */
pid_t spawn_clone(const struct request *request, int *is_shared);
/** Whether a process that was made ahead, in this world or in none, is where the request belongs. */
int spawn_fits_world(const struct request *request, int is_shared, uint32_t world);
/** Whether the kernel counts the processes of a user namespace separately, for a limit (RLIMIT_NPROC) that holds for us. */
int spawn_can_limit_processes(void);
/** To the init of a command, wherever it is. */
void spawned_signal_init(const struct spawned *spawned, int signal);
/** Ends the room, and with it everything in it: for one that does not prove the end of the command. */
void spawned_kill_room(const struct spawned *spawned);
/** Whether other commands have numbers in its process namespace, and the first process there is not its init. */
int spawned_has_company(const struct spawned *spawned);
/** After the init of a visitor was killed: the room ends what is left, and says when. */
void spawned_leave_to_room(struct spawned *spawned);
/** Whether that init still has its PID. */
int spawned_has_init(const struct spawned *spawned);
/** The first process of the command, with a PID of ours. */
pid_t spawned_command(const struct spawned *spawned);

/** Descriptors of an init: the command's three, and where it reports. */
enum { INIT_IN, INIT_OUT, INIT_ERR, INIT_REPORT, INIT_FDS };

/** How far a process made ahead has come. */
struct ahead {
  struct confine_arrival arrival;
  /** It is in the network of its world. */
  int is_shared;
  /** In a room: how many commands it has started, and which this one is; one that began alone may know how many processes it
   * had. */
  const volatile uint32_t *started;
  uint32_t number;
  int is_alone;
  /** The whole confinement is in force, and `report` is its result. In a room, everything but the filter is, and
   * `is_filtered` says whether that is, too. */
  int is_confined, is_room, is_filtered;
  /** Only its processes are those of a room: it is a visitor. */
  int is_visitor;
  struct confine_report report;
  /** -1, or where the filter's questions come. */
  int notify;
};

/** In namespaces made ahead: everything of the confinement that does not depend on the request. */
int spawn_confine_ahead(const struct confinement *confinement, struct ahead *ahead);
/** In a process made ahead: the leader of a session, which ends with its parent. 0, or -1 with errno. */
int spawn_be_alone(void);
/** And becomes the init of a request. `hold`: -1, or where its process waits before its exec. */
_Noreturn void spawn_as_init(const struct request *request, const struct ahead *ahead, const int fds[INIT_FDS], int hold);
/** `error` is 0 if the program runs. `cgroup_procs`: see cgroup.h; NULL = none. */
void spawn_command(struct spawned *spawned, const struct request *request, const int *cgroup_procs,
                   const struct start_hooks *hooks);
/** The same, but the program is traced by us from its first instruction. `error` 0 means only that there is a process. */
void spawn_held(struct spawned *spawned, const struct request *request, const struct start_hooks *hooks);

#endif
