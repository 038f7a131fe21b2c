// Files of staged folders that are not the same object in the overlay as in the folder itself.

#ifndef HARDSHELL_STAGE_LAYER_H
#define HARDSHELL_STAGE_LAYER_H

#include "confine.h"
#include "seccomp-notify.h"
#include <sys/stat.h>

/** The staged root at or above a path; NULL = none. */
const struct confine_entry *stage_root_of(const struct confinement *confinement, const char *path);
/** Whether a descriptor is on an overlay. */
int is_on_overlay(int fd);
/** A socket file of the folder itself in place of the same one in the overlay, on which nobody can listen; otherwise the same
 * descriptor. Takes it. */
int stage_open_below(const struct confinement *confinement, int fd);
/** Whether the call links a file that would get another inode number by that, and its program checks it: then it was answered
 * as between two file systems, where programs copy. */
int stage_link_answer(const struct confinement *confinement, int notify_fd, const struct notice *notice);

#endif
