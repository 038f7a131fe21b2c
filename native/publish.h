// The ports of a task with a private network, for as long as the task lives: published ones (ENTRY_PUBLISH) lead inside, and
// those of this machine (ENTRY_HOST_PORT) lead outside. Each direction has one process, see pump.h. One task at a time.

#ifndef HARDSHELL_PUBLISH_H
#define HARDSHELL_PUBLISH_H

#include "confine.h"

/** A listener from inside for a port of this machine. 0 or an errno. */
int publish_take(uint16_t port, int fd);
/** A socket that keeps the port of a listener as long as the task runs. 0 or an errno. */
int publish_keep(int fd);
/** Before the command runs; `inside` is a process in its namespaces. 0 or an errno. */
int publish_begin(const struct confinement *confinement, pid_t inside);
/** The port for which that failed; 0 if it was not about one. */
uint16_t publish_failed_port(void);
/** The process that is the proxy of the task, and when it began. It ends by itself, unless it was stopped. */
void publish_note_proxy(pid_t pid, uint64_t begun);
/** Closes every connection. Whether there was a process to end. */
int publish_end(void);

/** Whether a child of ours serves ports, and is no process of the command. */
int publish_is_pump(pid_t pid);
/** A child was reaped. */
void publish_note_reaped(pid_t pid);

#endif
