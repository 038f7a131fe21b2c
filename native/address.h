// Socket addresses, copied out of another process.

#ifndef HARDSHELL_ADDRESS_H
#define HARDSHELL_ADDRESS_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

union address {
  struct sockaddr any;
  struct sockaddr_in old;
  struct sockaddr_in6 new;
  struct sockaddr_un local;
  struct sockaddr_storage storage;
  uint8_t bytes[sizeof(struct sockaddr_storage)];
};

/** For people: `127.0.0.1:80`, `[::1]:80`, a path, `@name`, or the number of its family. */
void address_describe(const union address *address, socklen_t size, char *text, size_t room);
/** Whether the address is loopback, or the wildcard, which then becomes loopback. Everything but address and port is
 * dropped. */
int address_make_loopback(union address *address, socklen_t *size, uint16_t *port);

#endif
