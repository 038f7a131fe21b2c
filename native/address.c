// Socket addresses as text, and which may be connected to or bound. Trusts no size: an address that is too short has no family.

#define _GNU_SOURCE
#include "address.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

void address_describe(const union address *address, socklen_t size, char *text, size_t room) {
  char host[INET6_ADDRSTRLEN] = "";
  size_t begin = offsetof(struct sockaddr_un, sun_path), length = size > begin ? size - begin : 0;
  if (address->any.sa_family == AF_INET && size >= sizeof address->old) {
    inet_ntop(AF_INET, &address->old.sin_addr, host, sizeof host);
    snprintf(text, room, "%s:%u", host, ntohs(address->old.sin_port));
  } else if (address->any.sa_family == AF_INET6 && size >= sizeof address->new) {
    inet_ntop(AF_INET6, &address->new.sin6_addr, host, sizeof host);
    snprintf(text, room, "[%s]:%u", host, ntohs(address->new.sin6_port));
  } else if (address->any.sa_family == AF_UNIX && length > 0 && length <= sizeof address->local.sun_path) {
    int is_abstract = address->local.sun_path[0] == 0;
    const char *path = address->local.sun_path + is_abstract;
    snprintf(text, room, "%s%.*s", is_abstract ? "@" : "", (int)strnlen(path, length - (size_t)is_abstract), path);
  } else snprintf(text, room, "family %u", address->any.sa_family);
}

int address_make_loopback(union address *address, socklen_t *size, uint16_t *port) {
  union address made = {.any.sa_family = address->any.sa_family};
  if (address->any.sa_family == AF_INET && *size >= sizeof made.old) {
    uint32_t host = ntohl(address->old.sin_addr.s_addr);
    if (host != INADDR_ANY && host != INADDR_LOOPBACK) return 0;
    made.old.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    made.old.sin_port = address->old.sin_port;
    *size = sizeof made.old;
    *port = ntohs(made.old.sin_port);
  } else if (address->any.sa_family == AF_INET6 && *size >= sizeof made.new - sizeof made.new.sin6_scope_id) {
    static const uint8_t MAPPED[16] = {[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1};
    const struct in6_addr *host = &address->new.sin6_addr;
    if (!IN6_IS_ADDR_LOOPBACK(host) && !IN6_IS_ADDR_UNSPECIFIED(host) && memcmp(host, MAPPED, sizeof MAPPED) != 0) return 0;
    made.new.sin6_addr = *host;
    if (IN6_IS_ADDR_UNSPECIFIED(host)) memcpy(&made.new.sin6_addr, MAPPED, sizeof MAPPED);
    made.new.sin6_port = address->new.sin6_port;
    *size = sizeof made.new;
    *port = ntohs(made.new.sin6_port);
  } else return 0;
  *address = made;
  return 1;
}
