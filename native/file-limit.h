// How many files we and the commands may have open.

#ifndef HARDSHELL_FILE_LIMIT_H
#define HARDSHELL_FILE_LIMIT_H

#include "request.h"
#include <sys/resource.h>

/** At the start of a program: notes the soft limit of the user, and raises ours to the hard one. */
void file_limit_begin(void);
/** In a room: the soft limit is that of the supervisor. */
void file_limit_set_usual(rlim_t usual);
/** What a command would inherit from the user. */
struct rlimit file_limit_usual(void);
/** In the process that becomes the command: 0, or -1 with errno. */
int file_limit_apply(const struct request *request);

#endif
