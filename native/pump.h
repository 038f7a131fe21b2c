// Moves bytes between accepted connections and a port of the network namespace that this process is in.

#ifndef HARDSHELL_PUMP_H
#define HARDSHELL_PUMP_H

#include <stddef.h>
#include <stdint.h>

/** Connections that `fd` accepts go to `port` on loopback. The listener may be of another network namespace. */
struct pump_listener {
  int fd;
  uint16_t port;
};

/** Runs until the other side of `until` is closed. The number of connections and the memory are bounded. */
_Noreturn void pump_serve(const struct pump_listener *listeners, size_t count, int until);

#endif
