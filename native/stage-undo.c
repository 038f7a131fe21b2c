// Puts landed units back: what landed returns to the upper layer, for a redo, and what it replaced returns to the root. Can be
// repeated after a crash at any point. What others have changed since is never lost: it is moved to `aside/K`.

#define _GNU_SOURCE
#include "stage.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static int is_own(const struct unit *unit, const struct unit_places *places) {
  return unit->in.inode != 0 && places->has_now && is_same_file(&unit->in, &places->now);
}

/** The first step of an exchange was done before a crash. */
static int is_returned(const struct unit *unit, const struct unit_places *places) {
  return unit->in.inode != 0 && places->has_ready && is_same_file(&unit->in, &places->ready);
}

static enum unit_conflict find_conflict(const struct stage *stage, const struct unit *unit, const struct unit_places *places,
                                        const struct unit_mark *mark, const struct timespec *landed) {
  int needs_kept = unit->out.inode != 0;
  if (is_returned(unit, places) || (needs_kept && !places->has_kept && places->has_now && is_same_file(&unit->out, &places->now)))
    return UNIT_FREE;
  // What it replaced is no longer in the stage.
  if (needs_kept && !places->has_kept) return UNIT_STUCK;
  if (unit->in.inode == 0) return places->has_now ? UNIT_NEWER : UNIT_FREE;
  if (!places->has_now) return unit->kind == UNIT_NEW ? UNIT_FREE : UNIT_NEWER;
  if (!is_own(unit, places) || !is_unchanged_since(stage, &places->now, &mark->changed))
    return is_refreshed_index(places, mark) ? UNIT_REFRESHED : UNIT_NEWER;
  if (!S_ISDIR(places->now.st_mode)) return UNIT_FREE;
  return is_tree_changed(stage, places->real, places->name, landed) ? UNIT_NEWER : UNIT_FREE;
}

/** Others have changed the folder since: its time is theirs. */
static enum unit_conflict find_folder_conflict(const struct stage *stage, const struct unit *unit, const struct unit_mark *mark) {
  struct unit_mark now = {0};
  take_unit_mark(stage, unit, &now);
  return is_same_time(&now.changed, &mark->changed) ? UNIT_FREE : UNIT_NEWER;
}

uint8_t *find_undo_conflicts(const struct stage *stage, const struct unit_mark *marks) {
  uint8_t *conflicts = calloc(stage->unit_count + 1, 1);
  struct stat landed;
  if (conflicts == NULL || look_at(stage->fd, "landed", &landed) < 0) return conflicts;
  for (size_t i = 0; i < stage->unit_count; i++) {
    const struct unit *unit = &stage->units[i];
    struct unit_places places;
    if (marks[i].is_skipped) continue;
    if (unit->kind == UNIT_FOLDER) {
      conflicts[i] = (uint8_t)find_folder_conflict(stage, unit, &marks[i]);
      continue;
    }
    int error = find_unit_places(stage, i, &places);
    conflicts[i] = (uint8_t)(error != 0 ? UNIT_STUCK : find_conflict(stage, unit, &places, &marks[i], &landed.st_ctim));
  }
  return conflicts;
}

/** Where newer files are kept, or -1 with errno. */
static int open_aside(const struct stage_root *root) {
  if (mkdirat(root->folder, "aside", 0700) < 0 && errno != EEXIST) return -1;
  return openat(root->folder, "aside", FOLDER);
}

/** What is in the root goes to a folder of the stage, and what it replaced comes back, without a gap if both are files. */
static int exchange(const struct unit_places *places, int undo, int to, const char *as) {
  int is_plain = places->has_kept && !S_ISDIR(places->now.st_mode) && !S_ISDIR(places->kept.st_mode);
  if (is_plain && (linkat(places->real, places->name, to, as, 0) == 0 || errno == EEXIST))
    return renameat(undo, places->number, places->real, places->name) < 0 ? errno : 0;
  int error = rename_new(places->real, places->name, to, as);
  return error == 0 && places->has_kept ? rename_new(undo, places->number, places->real, places->name) : error;
}

static int put_back(const struct stage *stage, size_t which, enum unit_conflict conflict) {
  const struct unit *unit = &stage->units[which];
  const struct stage_root *root = &stage->roots[unit->root];
  struct unit_places places;
  int error = find_unit_places(stage, which, &places), aside = -1;
  // A whiteout stays in the upper layer, and what was put back before a crash stays in the root.
  int is_done = unit->out.inode != 0 && places.has_now && is_same_file(&unit->out, &places.now) && !places.has_kept;
  if (error == 0 && !is_done) {
    if (!places.has_now) error = places.has_kept ? rename_new(root->undo, places.number, places.real, places.name) : 0;
    else if ((is_own(unit, &places) && conflict == UNIT_FREE) || conflict == UNIT_REFRESHED) error = exchange(&places, root->undo, places.upper, places.name);
    else if (!places.has_kept && is_returned(unit, &places)) error = 0;
    else if ((aside = open_aside(root)) < 0) error = errno;
    else error = exchange(&places, root->undo, aside, places.number);
  }
  if (aside >= 0) close(aside);
  return error;
}

int undo_units(const struct stage *stage, struct unit_mark *marks, const uint8_t *conflicts) {
  struct unit_mark *undone = calloc(stage->unit_count + 1, sizeof *undone);
  int error = 0;
  if (undone == NULL) return ENOMEM;
  moves_begin(stage, MOVED_TO_UNDO, marks, undone);
  for (size_t i = 0; i < stage->unit_count; i++) {
    undone[i].is_skipped = marks[i].is_skipped || (stage->units[i].kind != UNIT_FOLDER && conflicts[i] == UNIT_STUCK);
    if (undone[i].is_skipped || stage->units[i].kind == UNIT_FOLDER) continue;
    int failed = put_back(stage, i, (enum unit_conflict)conflicts[i]);
    if (error == 0) error = failed;
  }
  for (size_t i = 0; i < stage->unit_count; i++) {
    const struct unit *unit = &stage->units[i];
    struct folder_look look = unit->before;
    if (unit->kind != UNIT_FOLDER || marks[i].is_skipped) continue;
    if (conflicts[i] != UNIT_FREE) look.modified.tv_nsec = UTIME_OMIT;
    set_folder(stage, unit, &look);
  }
  for (size_t i = 0; i < stage->unit_count; i++)
    if (!undone[i].is_skipped) take_unit_mark(stage, &stage->units[i], &undone[i]);
  if (error == 0) error = moves_end(stage, MOVED_TO_UPPER, marks, undone);
  if (error == 0) error = marks_write(stage, "undone", undone);
  free(undone);
  return error;
}
