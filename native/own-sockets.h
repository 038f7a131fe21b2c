// Socket files of a command: which of them were bound in its own network namespace, and which by programs outside.

#ifndef HARDSHELL_OWN_SOCKETS_H
#define HARDSHELL_OWN_SOCKETS_H

#include "seccomp-notify.h"

enum listener {
  /** A process in the caller's network namespace listens. */
  LISTENER_INSIDE,
  /** A process outside listens, or nobody inside can have created the file. */
  LISTENER_OUTSIDE,
  /** No process is known to listen: the file is left over, or belongs to another sandbox. */
  LISTENER_NONE,
  /** The kernel did not say, or there are too many sockets: never connect. */
  LISTENER_UNKNOWN,
};

/** Whether the kernel can tell them apart; 0 or an errno. Needs no privilege. */
int own_sockets_check(void);
/** Whether the socket was created in the caller's network namespace, not passed in from elsewhere. */
int own_sockets_is_inside(int notify_fd, const struct notice *notice, int fd);
/** Who listens on the socket file `file` (O_PATH, opened as the caller sees it). */
enum listener own_sockets_find(int notify_fd, const struct notice *notice, int file);
/** Forgets the namespace of the previous task. */
void own_sockets_end(void);

#endif
