// Paths hidden or protected by a mount, and whether they still are: a file that another program replaces loses its mounts in
// every namespace, and a folder that is moved takes them along. Then the command is ended, and the reason is reported.

#ifndef HARDSHELL_EXPOSURE_H
#define HARDSHELL_EXPOSURE_H

#include "task.h"
#include <poll.h>

enum { EXPOSURE_POLLS = 2 };

/** When the command runs. */
void exposure_begin(struct task *task);
/** What to poll, and when to check without an event; 0 = never. */
void exposure_polls(struct pollfd polls[EXPOSURE_POLLS]);
uint64_t exposure_at(void);
/** After a poll, whatever its result. */
void exposure_hear(struct task *task, const struct pollfd polls[EXPOSURE_POLLS]);
/** A protected name was created that is taken away: if it is also hidden, the command may have read it. The path must stay. */
void exposure_note(struct task *task, const char *path);
/** When no process of the command is left: the last changes are still reported. */
void exposure_finish(struct task *task);
/** Releases the namespace, which takes the kernel some time. */
void exposure_end(void);

#endif
