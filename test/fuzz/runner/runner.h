// What the parts of the runner share. See runner.c for the protocol.

#ifndef RUNNER_H
#define RUNNER_H

#include <stddef.h>

#define WORK "/w"
#define LOG "/log/exec"
#define ERRORS "/log/errors"
#define INPUT "/log/input"

void die(const char *what);

// confine.c: leaves the caller as process 1 of fresh namespaces, unprivileged, in a root of its own.
void confine(const char *root, const char *stub, const char *names, char **programs);

// folder.c: the private folder in which programs run.
void folder_make(void);
/** Writes `kind type path NUL` for all that changed since folder_make, puts it back, returns the length. */
size_t folder_changes(char *out, size_t capacity);

#endif
