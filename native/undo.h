// Protected names that did not exist when a command started, and must not be created by it: what it creates under them
// is removed while it runs and when it has ended, and reported.

#ifndef HARDSHELL_UNDO_H
#define HARDSHELL_UNDO_H

#include "task.h"
#include <time.h>

/** Part of the protocol. */
enum undone {
  UNDONE_MOVED = 0,
  UNDONE_REMOVED = 1,
  UNDONE_LEFT = 2,
  /** Nothing was searched from here on. */
  UNDONE_UNSEEN = 3,
};

/** Before the start: 0, or EEXIST if one of the names exists, which the plan did not see. Watches them from then on. */
int undo_begin(struct task *task);
/** The start failed. */
void undo_cancel(void);
/** From the start on: what to poll, or -1. */
int undo_watch(struct task *task);
void undo_hear(struct task *task);
/** From time to time, for a command that no caller waits for. */
void undo_advance(struct task *task);
/** Before the end is reported of a command whose processes continue. */
void undo_before_report(struct task *task);
/** When no process of the command is left. */
void undo_finish(struct task *task);
/** In a process of its own, for a supervisor that was killed: removes what its command has left since then. */
_Noreturn void undo_in_place_of(const uint8_t *payload, size_t size, const struct timespec *since);
/** Removes and reports what is at `path`, the last name of which is in `folder`. */
void undo_take(struct task *task, int folder, const char *path);
/** Reports something that can neither be checked nor removed. */
void undo_leave(struct task *task, const char *path);

// record.c
/** For the record of a background task, whose starter may have ended. */
void record_undone(struct task *task, enum undone what, const char *path, const char *moved);

// remove.c
/** For each task: how much may be kept by copying. */
void move_away_begin(void);
/** Moves `name` in the folder `from` to `to`, also across file systems, following no links; or deletes it, if
 * `to` is -1 or it is too large to be kept. 0 if it is still there. */
int move_away(int from, const char *name, int to, const char *as, int *was_kept);

#endif
