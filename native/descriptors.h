// Messages with descriptors between processes of ours.

#ifndef HARDSHELL_DESCRIPTORS_H
#define HARDSHELL_DESCRIPTORS_H

#include <stddef.h>

enum { MAX_PASSED = 8 };

/** One message of `size` bytes with `count` descriptors, at most MAX_PASSED; whether it was sent as a whole. `flags`: MSG_DONTWAIT, or 0. */
int send_descriptors(int socket, const void *bytes, size_t size, const int *fds, size_t count, int flags);
/** Waits for one with exactly as many bytes and descriptors; whether it came. Others are closed. */
int take_descriptors(int socket, void *bytes, size_t size, int *fds, size_t count);

#endif
