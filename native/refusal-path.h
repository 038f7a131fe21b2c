// Paths as a command sees them: from its root, its folder and its descriptors, with links followed as the kernel does.

#ifndef HARDSHELL_REFUSAL_PATH_H
#define HARDSHELL_REFUSAL_PATH_H

#include "seccomp-notify.h"
#include <limits.h>

/** The target of a call: its folder (O_PATH) and its name there. Valid until the next lookup. */
struct place {
  int folder;
  /** Flags of its mount, from statfs(2). */
  unsigned long mount_flags;
  /** For the caller's cache; 0 at first. */
  int *note;
  char name[NAME_MAX + 1];
};

/** Finds the last name of `path`; with `follows`, the target of a link with that name. Returns 0 or an errno. */
int place_find(const struct notice *notice, int folder, const char *path, int follows, struct place *place);
/** The path of a descriptor as the command sees it; returns 0 or an errno. */
int place_name(int fd, char *text, size_t size);
/** Clears the cached root of the previous task. */
void place_end(void);

#endif
