// One line of JSON with a descriptor attached, as Node's own child processes send it. A line is one small message, which
// the kernel takes as a whole or not at all, so every supervisor may write to the same channel. The keeper reads the answers.

#define _GNU_SOURCE
#include "handover.h"
#include "keeper.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/** For a busy host. */
#define MAX_WAIT_MS 10000

static int channel = -1;

void handover_use(int fd) { channel = fd; }

static int send_line(const char *line, int size, int fd) {
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control = {0};
  struct iovec text = {(void *)(uintptr_t)line, (size_t)size};
  struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1};
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &fd, sizeof fd);
  if (channel < 0) return ENOTCONN;
  for (uint64_t until = now_ms() + MAX_WAIT_MS;;) {
    ssize_t count = sendmsg(channel, &message, MSG_NOSIGNAL);
    if (count == size) return 0;
    if (count >= 0) return EPROTO;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return errno;
    struct pollfd poll_channel = {channel, POLLOUT, 0};
    if (now_ms() >= until) return ETIMEDOUT;
    poll(&poll_channel, 1, 100);
  }
}

int hand_over(uint32_t task, uint16_t port, int fd) {
  char line[256];
  int size = snprintf(line, sizeof line,
                      "{\"cmd\":\"NODE_HANDLE\",\"type\":\"net.Server\",\"msg\":{\"task\":%u,\"port\":%u}}\n", task, port);
  return send_line(line, size, fd);
}
