// The supervisor as the one who connects: what the filter of a command asks, and how it is answered.

#ifndef HARDSHELL_BROKER_H
#define HARDSHELL_BROKER_H

#include "seccomp-notify.h"
#include "task.h"
#include <poll.h>

/** Connections that are under way; further questions wait. */
#define MAX_CONNECTING 64

/** What was refused; part of the protocol. */
enum refused { REFUSED_CONNECT = 1, REFUSED_SEND = 2, REFUSED_BIND = 3 };

/** Forgets what the task before this one left. */
void broker_begin(void);
/** Answers what is being asked. `notify_fd` is closed and -1 when nobody can ask any more. */
void broker_serve(struct task *task, int *notify_fd);
/** Whether another question may come in now. */
int broker_has_room(void);
/** Whether connections are under way. */
int broker_is_busy(void);
/** What has to be waited for: at most MAX_CONNECTING. */
size_t broker_polls(struct pollfd *polls);
/** Ends the connections that are done, and those that nobody waits for any more; `polls` are those from before. */
void broker_advance(int notify_fd, const struct pollfd *polls, size_t count);
/** Lets everybody go; closes all that is under way. */
void broker_end(void);

#endif
