// Messages with descriptors between processes of ours.

#ifndef HARDSHELL_DESCRIPTORS_H
#define HARDSHELL_DESCRIPTORS_H

#include <stddef.h>

enum { MAX_PASSED = 8 };

/** One message of `size` bytes with `count` descriptors, at most MAX_PASSED; whether it was sent as a whole. */
int send_descriptors(int socket, const void *bytes, size_t size, const int *fds, size_t count);
/** Waits for one with exactly as many bytes and descriptors; whether it came. Others are closed. */
int take_descriptors(int socket, void *bytes, size_t size, int *fds, size_t count);

#endif
