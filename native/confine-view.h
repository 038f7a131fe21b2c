// What the paths of one confinement led to; there is one at a time, since a supervisor has at most one waiting shell.

#ifndef HARDSHELL_CONFINE_VIEW_H
#define HARDSHELL_CONFINE_VIEW_H

#include "confine.h"

/** Before anything is confined ahead; 0 if later changes could not be detected. */
int confine_view_take(const struct confinement *confinement);
/** Whether the same confinement would be made the same way now. */
int confine_view_holds(const struct confinement *confinement);
void confine_view_forget(void);

#endif
