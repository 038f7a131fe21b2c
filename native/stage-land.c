// Lands units: what is replaced goes to `undo/K`, what is new comes in by a rename. Each step looks where the files are, so that
// it can be repeated after a crash at any point.

#define _GNU_SOURCE
#include "stage.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_landed(const struct unit *unit, const struct unit_places *places) {
  if (unit->in.inode != 0) return places->has_now && is_same_file(&unit->in, &places->now);
  return !places->has_now && places->has_kept;
}

/** Whether the root still has what the unit replaces, unchanged. */
static int is_as_planned(const struct stage *stage, const struct unit *unit, const struct unit_places *places, enum landing how,
                         const struct unit_mark *mark) {
  const struct stat *now = &places->now;
  // A crash came between the two steps of the unit.
  if (how == LAND_RECOVER && places->has_kept)
    return !places->has_now || (now->st_dev == places->kept.st_dev && now->st_ino == places->kept.st_ino);
  if (unit->out.inode == 0) return !places->has_now;
  if (!places->has_now || !is_same_file(&unit->out, now)) return 0;
  // Another name of the same file may have landed before the crash: that changes only this time.
  return (mark != NULL ? is_unchanged_since(stage, now, &mark->changed) : is_same_time(&now->st_ctim, &unit->out_changed)) ||
         (how == LAND_RECOVER && is_same_time(&now->st_mtim, &unit->out_modified));
}

uint8_t *find_land_conflicts(const struct stage *stage, enum landing how, const struct unit_mark *marks) {
  uint8_t *conflicts = calloc(stage->unit_count + 1, 1);
  struct stat undone;
  int has_time = marks != NULL && look_at(stage->fd, "undone", &undone) == 0;
  for (size_t i = 0; conflicts != NULL && i < stage->unit_count; i++) {
    const struct unit *unit = &stage->units[i];
    struct unit_places places;
    if (unit->kind == UNIT_FOLDER || (marks != NULL && marks[i].is_skipped)) continue;
    int error = find_unit_places(stage, i, &places);
    int is_ready = unit->in.inode == 0 || (places.has_ready && is_same_file(&unit->in, &places.ready));
    if (error != 0) conflicts[i] = UNIT_STUCK;
    else if (!is_landed(unit, &places)) {
      int is_planned = is_as_planned(stage, unit, &places, how, marks == NULL ? NULL : &marks[i]);
      int is_folder = has_time && places.has_now && S_ISDIR(places.now.st_mode);
      if (is_planned && is_folder) is_planned = !is_tree_changed(stage, places.real, places.name, &undone.st_ctim);
      int is_refreshed = !is_planned && marks != NULL && is_refreshed_index(&places, &marks[i]);
      conflicts[i] = !is_ready ? UNIT_STUCK : is_planned ? UNIT_FREE : is_refreshed ? UNIT_REFRESHED : UNIT_NEWER;
    }
  }
  return conflicts;
}

// Without a moment in which there is no file; also the only way that all programs that watch files notice.
static int keep_by_link(const struct unit_places *places, int undo) {
  return linkat(places->real, places->name, undo, places->number, 0) < 0 ? errno : 0;
}

/** Both are files: the new one can replace the other in one step. */
static int is_exchange(const struct unit *unit, const struct unit_places *places) {
  return unit->in.inode != 0 && places->has_now && !S_ISDIR(places->now.st_mode) && !S_ISDIR(places->ready.st_mode);
}

static int is_unmoved(const struct unit_places *places) {
  struct stat status;
  struct file_id id = file_id_of(&places->now);
  return look_at(places->real, places->name, &status) == 0 && is_same_file(&id, &status) &&
         is_same_time(&status.st_mtim, &places->now.st_mtim) && status.st_size == places->now.st_size;
}

/** What was moved away comes back if nothing could take its place. */
static int bring_in(const struct unit_places *places, int undo, int is_linked) {
  int error = 0;
  if (!is_linked) error = rename_new(places->upper, places->name, places->real, places->name);
  else if (!is_unmoved(places)) error = EBUSY;
  else if (renameat(places->upper, places->name, places->real, places->name) < 0) error = errno;
  if (error == 0 || !places->has_now) return error;
  if (is_linked) unlinkat(undo, places->number, 0);
  else rename_new(undo, places->number, places->real, places->name);
  return error;
}

static int land_unit(const struct stage *stage, size_t which) {
  const struct unit *unit = &stage->units[which];
  int undo = stage->roots[unit->root].undo, is_linked = 0;
  struct unit_places places;
  int error = find_unit_places(stage, which, &places);
  if (error == 0 && !is_landed(unit, &places)) {
    if (places.has_kept && places.has_now) {
      is_linked = places.now.st_ino == places.kept.st_ino && places.now.st_dev == places.kept.st_dev;
      if (!is_linked) error = EEXIST;
    } else if (places.has_now) {
      is_linked = is_exchange(unit, &places) && keep_by_link(&places, undo) == 0;
      if (!is_linked) error = rename_new(places.real, places.name, undo, places.number);
    }
    if (error == 0 && unit->in.inode != 0) error = bring_in(&places, undo, is_linked);
  }
  return error;
}

static int strip_unit(const struct stage *stage, const struct unit *unit) {
  const char *name;
  struct stat status;
  if (unit->in.inode == 0) return 0;
  int folder = upper_folder_of(stage, unit, &name);
  if (folder < 0) return errno;
  // If it is not there, it has landed before a crash.
  int is_there = look_at(folder, name, &status) == 0 && is_same_file(&unit->in, &status);
  return is_there ? strip_overlay_marks(folder, name, &status) : 0;
}

// Only when the journal says what each of them was: without its notes, a replaced folder looks like a merged one.
void strip_units(const struct stage *stage, uint8_t *conflicts) {
  for (size_t i = 0; i < stage->unit_count; i++)
    if (conflicts[i] == UNIT_FREE && strip_unit(stage, &stage->units[i]) != 0) conflicts[i] = UNIT_STUCK;
}

int land_units(const struct stage *stage, enum landing how, struct unit_mark *undone, const uint8_t *conflicts) {
  struct unit_mark *marks = calloc(stage->unit_count + 1, sizeof *marks);
  // Newer files are moved to `undo`, as those that the unit was planned to replace.
  const uint8_t allowed = how == LAND_FORCED ? UNIT_NEWER : UNIT_REFRESHED;
  if (marks == NULL) return ENOMEM;
  moves_begin(stage, MOVED_TO_UPPER, undone, marks);
  for (size_t i = 0; i < stage->unit_count; i++)
    if (stage->units[i].kind != UNIT_FOLDER) marks[i].is_skipped = conflicts[i] > allowed || land_unit(stage, i) != 0;
  for (size_t i = 0; i < stage->unit_count; i++)
    if (stage->units[i].kind == UNIT_FOLDER) marks[i].is_skipped = set_folder(stage, &stage->units[i], &stage->units[i].after) != 0;
  for (size_t i = 0; i < stage->unit_count; i++)
    if (!marks[i].is_skipped) take_unit_mark(stage, &stage->units[i], &marks[i]);
  int error = moves_end(stage, MOVED_TO_UNDO, undone, marks);
  if (error == 0) error = marks_write(stage, "landed", marks);
  free(marks);
  return error;
}
