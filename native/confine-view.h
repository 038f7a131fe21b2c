// What the paths of one confinement led to, so that a process that was confined earlier can be used for it again.

#ifndef HARDSHELL_CONFINE_VIEW_H
#define HARDSHELL_CONFINE_VIEW_H

#include "confine.h"

struct seen_path;

/** All zero = nothing is recorded. */
struct confine_view {
  /** Two for each entry: its path and, of a bind, its source. */
  struct seen_path *before;
  size_t capacity;
  /** Reports changes of our own mounts. Descriptor 0 is never used: 0 = not open. */
  int mounts;
};

/** Before anything is confined ahead; 0 if later changes could not be detected. */
int confine_view_take(struct confine_view *view, const struct confinement *confinement);
/** Whether the same confinement would be made the same way now. */
int confine_view_holds(struct confine_view *view, const struct confinement *confinement);
void confine_view_forget(struct confine_view *view);

#endif
