// The stage of a supervisor's task: made before the command starts, landed or held when all its processes are gone.

#ifndef HARDSHELL_STAGE_TASK_H
#define HARDSHELL_STAGE_TASK_H

#include "task.h"

/** 0, or the reason why the changes of this command cannot be staged. */
int stage_task_begin(struct task *task);
/** The start failed: nothing is left of the stage. */
void stage_task_cancel(void);
/** Before the end is reported of a command whose processes continue. */
void stage_task_before_report(struct task *task);
/** When no process of the command is left: lands its changes, or holds them, and reports that. */
void stage_task_end(struct task *task);

#endif
