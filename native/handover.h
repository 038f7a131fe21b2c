// Descriptors for the host, over the channel that Node opens for messages of a child process.

#ifndef HARDSHELL_HANDOVER_H
#define HARDSHELL_HANDOVER_H

#include <stdint.h>

/** How Node treats a descriptor. */
enum handed { HANDED_LISTENER, HANDED_CONNECTION };

/** Where the channel is in this process; -1 = none. */
void handover_use(int fd);
/** 0 or an errno. `number`: the port of a listener, or the number by which the host asked for a connection. */
int hand_over(enum handed what, uint32_t task, uint32_t number, int fd);
/** A connection to a port in the namespaces, for the host, made by a separate process; the result is sent to the host. */
void hand_over_connection(uint32_t task, uint32_t number, uint16_t port, int user_namespace, int network_namespace);

#endif
