// Listeners for the host, over the channel that Node opens for messages of a child process.

#ifndef HARDSHELL_HANDOVER_H
#define HARDSHELL_HANDOVER_H

#include <stdint.h>

/** Where the channel is in this process; -1 = none. */
void handover_use(int fd);
/** A listener of a task. 0 or an errno. */
int hand_over(uint32_t task, uint16_t port, int fd);

#endif
