// Calls of a command that the sandbox will refuse. This only reports; the kernel decides.

#ifndef HARDSHELL_REFUSAL_H
#define HARDSHELL_REFUSAL_H

#include "address.h"
#include "seccomp-notify.h"
#include "task.h"

/** Kinds of refusals; part of the protocol. */
enum refused {
  REFUSED_CONNECT = 1,
  REFUSED_SEND = 2,
  REFUSED_BIND = 3,
  REFUSED_WRITE = 4,
  REFUSED_CREATE = 5,
  REFUSED_DELETE = 6,
  REFUSED_CHANGE = 7,
  REFUSED_SIGNAL = 8,
  /** The target is followed by a line end and the name of a setting. */
  REFUSED_SETTING = 9,
};

/** Reports the paths of a call that the sandbox will refuse. The call must be continued afterwards. */
void refusal_check_paths(struct task *task, const struct notice *notice);
/** Reports a signal to a process outside. */
void refusal_check_signal(struct task *task, const struct notice *notice);
/** Reports a connection that failed in a private network namespace, and would not have outside. */
void refusal_check_connect(struct task *task, const struct notice *notice, const union address *tried, socklen_t size);
/** Clears what is cached about the previous task. */
void refusal_end(void);

#endif
