// Paths as a command sees them: from its root, its folder and its descriptors, links followed as the kernel does.

#ifndef HARDSHELL_REFUSAL_PATH_H
#define HARDSHELL_REFUSAL_PATH_H

#include "seccomp-notify.h"
#include <limits.h>

/** Where a call would act: the folder, O_PATH, and the name in it. Valid until the next one is found. */
struct place {
  int folder;
  /** Of its mount, as statfs(2) gives them. */
  unsigned long mount_flags;
  /** What the caller remembers about the folder; 0 at first. */
  int *note;
  char name[NAME_MAX + 1];
};

/** The last name of `path` in its folder; with `follows`, what a link under that name leads to. 0 or an errno. */
int place_find(const struct notice *notice, int folder, const char *path, int follows, struct place *place);
/** The name of a descriptor as the command sees it; 0 or an errno. */
int place_name(int fd, char *text, size_t size);
/** Forgets the root of the task before. */
void place_end(void);

#endif
