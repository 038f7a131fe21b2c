// One line of JSON with a descriptor attached, as Node's own child processes send it. A line is one small message, which
// the kernel takes as a whole or not at all, so every supervisor may write to the same channel. The keeper reads the answers.

#define _GNU_SOURCE
#include "handover.h"
#include "keeper.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/** For a busy host. */
#define MAX_WAIT_MS 10000
#define MAX_CONNECT_S 10

static int channel = -1;

void handover_use(int fd) { channel = fd; }

static int send_line(const char *line, int size, int fd) {
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control = {0};
  struct iovec text = {(void *)(uintptr_t)line, (size_t)size};
  struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1};
  if (fd >= 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
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

int hand_over(enum handed what, uint32_t task, uint32_t number, int fd) {
  char line[256];
  int size = snprintf(line, sizeof line, "{\"cmd\":\"NODE_HANDLE\",\"type\":\"%s\",\"msg\":{\"task\":%u,\"%s\":%u}}\n",
                      what == HANDED_LISTENER ? "net.Server" : "net.Socket", task,
                      what == HANDED_LISTENER ? "port" : "connection", number);
  return send_line(line, size, fd);
}

static int connect_inside(uint16_t port) {
  struct sockaddr_in old = {.sin_family = AF_INET, .sin_port = htons(port)};
  struct sockaddr_in6 new = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  struct timeval most = {.tv_sec = MAX_CONNECT_S};
  old.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int is_new = 0; is_new < 2; is_new++) {
    int fd = socket(is_new ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) continue;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
    const struct sockaddr *address = is_new ? (const struct sockaddr *)&new : (const struct sockaddr *)&old;
    if (connect(fd, address, is_new ? sizeof new : sizeof old) == 0) return fd;
    close(fd);
  }
  return -1;
}

static void refuse_connection(uint32_t task, uint32_t number) {
  char line[96];
  send_line(line, snprintf(line, sizeof line, "{\"task\":%u,\"connection\":%u}\n", task, number), -1);
}

// A socket of a namespace can only be created inside it, and a process that enters a user namespace cannot leave it.
void hand_over_connection(uint32_t task, uint32_t number, uint16_t port, int user_namespace, int network_namespace) {
  pid_t pid = fork();
  if (pid > 0) return;
  if (pid < 0) {
    refuse_connection(task, number);
    return;
  }
  // Nothing else of ours: an open pipe would keep the command waiting for EOF.
  if (dup2(user_namespace, 0) < 0 || dup2(network_namespace, 1) < 0 || dup2(channel, 2) < 0) _exit(127);
  close_from(3);
  channel = 2;
  int fd = setns(0, CLONE_NEWUSER) < 0 || setns(1, CLONE_NEWNET) < 0 ? -1 : connect_inside(port);
  if (fd < 0 || hand_over(HANDED_CONNECTION, task, number, fd) != 0) refuse_connection(task, number);
  _exit(0);
}
