// Folders in which a name may appear or change, watched by inotify. Watches only say when to check: nothing depends on them alone.

#ifndef HARDSHELL_FOLDER_WATCH_H
#define HARDSHELL_FOLDER_WATCH_H

#include "confine.h"
#include <stddef.h>
#include <stdint.h>

#define MAX_WATCHES 128

struct folder_watch {
  /** Kept for the next task: closing it takes the kernel milliseconds. -1 = none yet. */
  int fd;
  /** Of inotify(7). */
  uint32_t changes;
  int watches[MAX_WATCHES];
  size_t count;
  /** Some folders are not watched: there were too many, or the kernel refused. */
  int is_partial;
};

/** Whether there is a descriptor. */
int folder_watch_open(struct folder_watch *watch);
/** The folder of a path, or the nearest folder above it that exists: a name whose folder is missing starts there. */
void folder_watch_add(struct folder_watch *watch, const char *path);
/** Reads all events. Whether one is about a name for which `is_ours` is true, about a folder itself, or lost. */
int folder_watch_read(const struct folder_watch *watch, int (*is_ours)(const struct confinement *confinement, const char *name),
                      const struct confinement *confinement);
void folder_watch_clear(struct folder_watch *watch);

#endif
