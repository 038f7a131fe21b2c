// The supervisor as broker: notifications from a command's seccomp filter, and their answers.

#ifndef HARDSHELL_BROKER_H
#define HARDSHELL_BROKER_H

#include "seccomp-notify.h"
#include "task.h"
#include <poll.h>

/** Pending connections, with up to two descriptors each; further notifications wait. */
#define MAX_CONNECTING 256

/** Forgets the state of the previous task. */
void broker_begin(const struct confinement *confinement);
/** Answers one notification. `events` is what poll(2) reports for `notify_fd`, which is closed and set to -1 when no process can notify any more. */
void broker_serve(struct task *task, int *notify_fd, int events);
/** Whether another notification can be accepted now. */
int broker_has_room(void);
/** After which time to look at pending connections again; -1 if there are none. */
int broker_wait_ms(void);
/** Descriptors to poll: at most MAX_CONNECTING. */
size_t broker_polls(struct pollfd *polls);
/** Completes finished connections, and drops those whose caller is gone; `polls` are those from before. */
void broker_advance(int notify_fd, const struct pollfd *polls, size_t count);
/** Drops all callers; closes everything pending. */
void broker_end(void);

#endif
