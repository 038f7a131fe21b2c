// A shell that is already loaded and waits for its command: `bash -c` up to, and without, its first own instruction.

#ifndef HARDSHELL_PARKED_SHELL_H
#define HARDSHELL_PARKED_SHELL_H

#include "request.h"
#include "spawn.h"

/** Takes the request, which has been run, as the pattern of the next one. */
void parked_shell_want(struct request *request);
/** Loads a shell for the pattern if there is one; takes as long as a start does. */
void parked_shell_prepare(void);
/** How long to wait for a request, as poll(2) counts, before the shell is let go. */
int parked_shell_wait_ms(void);
/** Nobody came: ends the waiting shell and makes no other before the next command. */
void parked_shell_expire(void);
/** Lets the waiting shell run the request and returns 1, or returns 0 and leaves nothing waiting. What the host has to get
 * before the command runs goes over `hooks`; if the start fails behind that, it returns 1 and `error` says why. */
int parked_shell_take(struct spawned *spawned, const struct request *request, const struct start_hooks *hooks);
/** Ends the waiting shell if there is one. */
void parked_shell_drop(void);

#endif
