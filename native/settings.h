// Changes of git's settings by a command that was allowed to change them: only settings that run nothing are written.

#ifndef HARDSHELL_SETTINGS_H
#define HARDSHELL_SETTINGS_H

#include "seccomp-notify.h"
#include "task.h"

/** Whether the call replaces settings that the supervisor writes itself: then it has been answered. */
int settings_answer(struct task *task, int notify_fd, const struct notice *notice);
/** Whether a settings file that did not exist before may stay; its name is in `folder`. */
int settings_may_stay(const struct task *task, int folder, const char *path);
/** Whether the command is known to make a partial clone. */
int settings_may_be_partial(const struct confinement *confinement);
/** When no process of the command is left: removes locks of git that were left because the command was ended. */
void settings_finish(const struct task *task);

#endif
