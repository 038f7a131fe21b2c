// Renames of folders in a stage.

#ifndef HARDSHELL_STAGE_RENAME_H
#define HARDSHELL_STAGE_RENAME_H

#include "seccomp-notify.h"
#include "task.h"

/** Whether the call renames a folder of a staged root: then it has been answered. */
int stage_rename_answer(const struct task *task, int notify_fd, const struct notice *notice);

#endif
