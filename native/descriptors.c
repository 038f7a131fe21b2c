// sendmsg and recvmsg. A message that is not exactly as expected gives nothing.

#define _GNU_SOURCE
#include "descriptors.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
  char bytes[CMSG_SPACE(sizeof(int) * MAX_PASSED)];
  struct cmsghdr align;
};

int send_descriptors(int socket, const void *bytes, size_t size, const int *fds, size_t count, int flags) {
  union control control;
  memset(&control, 0, sizeof control);
  struct iovec part = {(void *)(__UINTPTR_TYPE__)bytes, size};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes};
  // musl and glibc have different types for these two.
  message.msg_controllen = (__typeof__(message.msg_controllen))CMSG_SPACE(sizeof(int) * count);
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = (__typeof__(header->cmsg_len))CMSG_LEN(sizeof(int) * count);
  memcpy(CMSG_DATA(header), fds, sizeof(int) * count);
  return sendmsg(socket, &message, MSG_NOSIGNAL | flags) == (ssize_t)size;
}

int take_descriptors(int socket, void *bytes, size_t size, int *fds, size_t count) {
  union control control;
  struct iovec part = {bytes, size};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  int taken[MAX_PASSED];
  size_t taken_count = 0;
  ssize_t got;
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  while (got < 0 && errno == EINTR);
  struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
  if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
    taken_count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  if (taken_count > 0) memcpy(taken, CMSG_DATA(header), sizeof(int) * taken_count);
  if (got == (ssize_t)size && taken_count == count) {
    memcpy(fds, taken, sizeof(int) * count);
    return 1;
  }
  for (size_t i = 0; i < taken_count; i++) close(taken[i]);
  return 0;
}
