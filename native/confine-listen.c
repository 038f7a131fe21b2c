// Listeners in a private network namespace. A socket stays in the network in which it was created, so its holder accepts
// from inside; no process inside can have the same port.

#define _GNU_SOURCE
#include "confine.h"
#include "world.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 511
#define FIRST_FREE_PORT 1024

// The only interface is loopback, so every address is on it; and one socket serves both families.
static int listen_on(uint16_t port) {
  struct sockaddr_in6 both = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
  struct sockaddr_in old = {.sin_family = AF_INET, .sin_port = htons(port)};
  int off = 0, is_both = 1, fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) < 0) {
    if (fd >= 0) close(fd);
    is_both = 0;
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  }
  if (fd < 0) return -1;
  const struct sockaddr *address = is_both ? (const struct sockaddr *)&both : (const struct sockaddr *)&old;
  if (bind(fd, address, is_both ? sizeof both : sizeof old) == 0 && listen(fd, BACKLOG) == 0) return fd;
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

static int share_port(int fd, int may) { return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &may, sizeof may); }

/** At the port of the address, which another socket of ours has; at a free port, which it then names, if that is 0. */
static int bind_privately(struct sockaddr_in *address) {
  socklen_t size = sizeof *address;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && share_port(fd, address->sin_port != 0) == 0 && bind(fd, (struct sockaddr *)address, size) == 0 &&
      getsockname(fd, (struct sockaddr *)address, &size) == 0)
    return fd;
  int error = errno;
  if (fd >= 0) close(fd);
  errno = error;
  return -1;
}

// Other commands are in the same network: they can have the same port, and cannot reach this one. A second socket keeps the port
// without listening: if the process that accepts is killed, connections fail, and no other command can accept in its place. Two
// sockets can have one port only if both allow it, so that is allowed no longer than needed.
static int listen_privately(int *keeper) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(WORLD_PRIVATE_ADDRESS)};
  *keeper = bind_privately(&address);
  int fd = *keeper < 0 || share_port(*keeper, 1) < 0 ? -1 : bind_privately(&address);
  if (fd >= 0 && listen(fd, BACKLOG) == 0 && share_port(*keeper, 0) == 0) return fd;
  int error = errno;
  if (fd >= 0) close(fd);
  if (*keeper >= 0) close(*keeper);
  errno = error;
  return -1;
}

int confine_listens_low(const struct confinement *confinement) {
  for (size_t i = 0; i < confinement->count; i++)
    if (confine_is_listener(confinement->entries[i].kind) && confinement->entries[i].port < FIRST_FREE_PORT) return 1;
  return 0;
}

int confine_listen(const struct confinement *confinement, int is_shared, int fds[MAX_LISTENER_FDS]) {
  int count = 0, keepers[MAX_LISTENERS];
  for (size_t i = 0; i < confinement->count; i++) {
    if (!confine_is_listener(confinement->entries[i].kind)) continue;
    if (count == MAX_LISTENERS) {
      errno = E2BIG;
      return -1;
    }
    fds[count] = is_shared ? listen_privately(&keepers[count]) : listen_on(confinement->entries[i].port);
    if (fds[count] < 0) return -1;
    count++;
  }
  if (is_shared) memcpy(fds + count, keepers, (size_t)count * sizeof *keepers);
  return is_shared ? 2 * count : count;
}
