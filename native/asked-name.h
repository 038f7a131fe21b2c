// The name that a caller is about to look up, for messages: it can be forged, like every target of a refusal.

#ifndef HARDSHELL_ASKED_NAME_H
#define HARDSHELL_ASKED_NAME_H

#include "seccomp-notify.h"

/** Of a thread that connects to a name server: whether its stack has the question, as that of the C library (glibc) does. */
int asked_name(const struct notice *notice, char *name, size_t size);

#endif
