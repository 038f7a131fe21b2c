// The mounts of a confinement, and the places of a mount table, sorted by path: with thousands of them, looking through all
// for each one would take longer than the command.

#ifndef HARDSHELL_LAID_PATHS_H
#define HARDSHELL_LAID_PATHS_H

#include "confine.h"

struct laid_paths {
  const struct confine_entry **entries;
  size_t count;
};

/** 0 if there is no memory. */
int laid_begin(struct laid_paths *laid, const struct confinement *confinement);
/** The nearest mount above; NULL = none. Of several at one place, the last one. */
const struct confine_entry *laid_above(const struct laid_paths *laid, const char *path);
void laid_end(struct laid_paths *laid);

struct mount_places {
  char *text;
  const char **places;
  size_t count;
  /** Those of our overlays. */
  const char **overlays;
  size_t overlay_count;
};

/** Takes the text of a mountinfo file; 0 if there is no memory. */
int mount_places_begin(struct mount_places *table, char *text);
/** Whether something is mounted at exactly this place. */
int is_mount_place(const struct mount_places *table, const char *path);
/** Whether one of our overlays is. */
int is_overlay_place(const struct mount_places *table, const char *path);
void mount_places_end(struct mount_places *table);

#endif
