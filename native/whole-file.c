// Not mapped: a command that truncates the file would end this process.

#define _GNU_SOURCE
#include "whole-file.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/** 0 or an errno. One that grows meanwhile is not whole. */
static int read_all(int fd, uint8_t *bytes, size_t room, size_t *size) {
  for (*size = 0; *size < room;) {
    ssize_t count = pread(fd, bytes + *size, room - *size, (off_t)*size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return 0;
    *size += (size_t)count;
  }
  return EFBIG;
}

void *read_whole_file(int fd, size_t limit, size_t *size) {
  struct stat status;
  if (fstat(fd, &status) < 0) return NULL;
  int error = !S_ISREG(status.st_mode) ? EINVAL : status.st_size < 0 || (size_t)status.st_size > limit ? EFBIG : 0;
  size_t room = error == 0 ? (size_t)status.st_size + 1 : 0;
  uint8_t *bytes = error == 0 ? malloc(room) : NULL;
  if (error == 0) error = bytes == NULL ? ENOMEM : read_all(fd, bytes, room, size);
  if (error == 0) {
    bytes[*size] = 0;
    return bytes;
  }
  free(bytes);
  errno = error;
  return NULL;
}
