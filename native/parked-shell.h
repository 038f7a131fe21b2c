// A loaded shell that waits for its command: `bash -c` up to, but not including, its own first instruction.

#ifndef HARDSHELL_PARKED_SHELL_H
#define HARDSHELL_PARKED_SHELL_H

#include "request.h"
#include "spawn.h"

/** Takes the request, which has been run, as the pattern of the next one. */
void parked_shell_want(struct request *request);
/** Loads a shell for the pattern, if any; takes as long as a start. */
void parked_shell_prepare(void);
/** How long to wait for a request, as poll(2) counts, before the shell is released. */
int parked_shell_wait_ms(void);
/** No request came: ends the waiting shell and makes no other before the next command. */
void parked_shell_expire(void);
/** Lets the waiting shell run the request and returns 1, or returns 0 and leaves nothing waiting. What the host must receive
 * before the command runs goes over `hooks`; if the start fails after that, it returns 1 and `error` says why. */
int parked_shell_take(struct spawned *spawned, const struct request *request, const struct start_hooks *hooks);
/** Ends the waiting shell, if any. */
void parked_shell_drop(void);

#endif
