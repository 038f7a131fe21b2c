// Protected names that were not there when a command started, and must not be there because of it: what it makes under them
// is taken away while it runs and when it has ended, and told.

#ifndef HARDSHELL_UNDO_H
#define HARDSHELL_UNDO_H

#include "task.h"

/** Part of the protocol. */
enum undone {
  UNDONE_MOVED = 0,
  UNDONE_REMOVED = 1,
  UNDONE_LEFT = 2,
  /** From here on nothing was looked at. */
  UNDONE_UNSEEN = 3,
};

/** Before the start: 0, or EEXIST when one of the names is there, which the plan did not see. */
int undo_begin(struct task *task);
/** From the start on: what to poll, or -1. */
int undo_watch(struct task *task);
void undo_hear(struct task *task);
/** Now and then, for a command that nobody waits for. */
void undo_advance(struct task *task);
/** Before the end of a command is told whose processes go on. */
void undo_before_report(struct task *task);
/** When nothing of the command is left. */
void undo_finish(struct task *task);
/** Takes away and tells what is at `path`, the last name of which is in `folder`. */
void undo_take(struct task *task, int folder, const char *path);
/** Tells of something that can neither be judged nor taken away. */
void undo_leave(struct task *task, const char *path);

// remove.c
/** For each task: how much may be kept by copying. */
void move_away_begin(void);
/** Moves what is at `name` in the folder `from` to `to`, across file systems too, following nothing; or removes it, where
 * `to` is -1 or it is too large to be kept. 0 when it is still there. */
int move_away(int from, const char *name, int to, const char *as, int *was_kept);

#endif
