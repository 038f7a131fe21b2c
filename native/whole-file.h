// A file as one piece of memory.

#ifndef HARDSHELL_WHOLE_FILE_H
#define HARDSHELL_WHOLE_FILE_H

#include <stddef.h>

/** A regular file of at most `limit` bytes, from its first one, with a NUL behind it; NULL with errno. Free it. */
void *read_whole_file(int fd, size_t limit, size_t *size);

#endif
