// What is hidden or protected by a mount, and whether it still is: a file that another program replaces loses its mounts in
// every namespace, and a folder that is moved takes them along. Then the command is ended, and told why.

#ifndef HARDSHELL_EXPOSURE_H
#define HARDSHELL_EXPOSURE_H

#include "task.h"
#include <poll.h>

enum { EXPOSURE_POLLS = 2 };

/** When the command runs. */
void exposure_begin(struct task *task);
/** What to poll, and when to look without an event; 0 = never. */
void exposure_polls(struct pollfd polls[EXPOSURE_POLLS]);
uint64_t exposure_at(void);
/** After a poll, whatever it said. */
void exposure_hear(struct task *task, const struct pollfd polls[EXPOSURE_POLLS]);
/** When nothing of the command is left: what happened last is still told. */
void exposure_finish(struct task *task);
/** Lets go of the namespace, which takes the kernel its time. */
void exposure_end(void);

#endif
