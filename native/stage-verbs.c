// hardshell-keeper stage VERB STAGE [--force]: lands, drops, undoes, redoes or completes the changes of one command. Reasons for a
// refusal, and what was kept aside, are records on stdout, each NUL-ended.

#define _GNU_SOURCE
#include "stage.h"
#include "keeper.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum stage_exit land(struct stage *stage, enum landing how, const struct unit_mark *marks) {
  uint8_t *conflicts = find_land_conflicts(stage, how, marks);
  if (conflicts == NULL) return stage_trouble("memory", ENOMEM);
  strip_units(stage, conflicts);
  int error = land_units(stage, how, NULL, conflicts);
  free(conflicts);
  return error == 0 ? STAGE_DONE : stage_trouble("landing", error);
}

enum stage_exit stage_finish(struct stage *stage, int holds, const char **state) {
  *state = "running";
  if (stage_plan(stage, !holds) != STAGE_DONE) return STAGE_TROUBLE;
  if (stage->unit_count + stage->held_count == 0) {
    *state = "empty";
    int error = stage_remove(stage);
    return error == 0 ? STAGE_DONE : stage_trouble("an empty stage", error);
  }
  holds = holds || stage->unit_count == 0;
  int error = journal_write(stage, holds ? "held" : "landing");
  if (error != 0) return stage_trouble("journal", error);
  *state = holds ? "held" : "landing";
  if (holds) return STAGE_DONE;
  enum stage_exit result = land(stage, LAND_FIRST, NULL);
  if (result == STAGE_DONE) *state = "landed";
  return result;
}

static void print_record(const char *word, const char *place, const struct unit *unit) {
  printf("%s\t%u\t%s%s%s%c", word, unit->root, place, place[0] == 0 ? "" : "\t", unit->path, 0);
}

/** Where the stage keeps what belongs to a unit that it cannot move; NULL if it has nothing. */
static const char *find_rest(const struct stage *stage, size_t which, char place[64], const char **word) {
  static const char *const FOLDERS[][2] = {{"undo", "original"}, {"aside", "gone"}};
  struct stat status;
  for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
    snprintf(place, 64, "%s/%zu", FOLDERS[i][0], which);
    *word = FOLDERS[i][1];
    if (look_at(stage->roots[stage->units[which].root].folder, place, &status) == 0) return place;
  }
  return NULL;
}

/** Whether something stands in the way that this manner does not accept; says what. */
static int print_conflicts(const struct stage *stage, const uint8_t *conflicts, enum unit_conflict least) {
  int count = 0;
  for (size_t i = 0; i < stage->unit_count; i++) {
    const struct unit *unit = &stage->units[i];
    const char *word;
    char place[64];
    if (conflicts[i] < least || unit->kind == UNIT_FOLDER) continue;
    print_record("conflict", "", unit);
    if (conflicts[i] == UNIT_BARRED) print_record("protected", "", unit);
    if (conflicts[i] == UNIT_STUCK && find_rest(stage, i, place, &word) != NULL) print_record(word, place, unit);
    count++;
  }
  return count > 0;
}

static void print_aside(const struct stage *stage, const uint8_t *conflicts, const char *folder) {
  char place[64];
  for (size_t i = 0; i < stage->unit_count; i++) {
    if (conflicts[i] != UNIT_NEWER || stage->units[i].kind == UNIT_FOLDER) continue;
    snprintf(place, sizeof place, "%s/%zu", folder, i);
    print_record("aside", place, &stage->units[i]);
  }
}

/** How a verb treats what is newer. */
enum manner { MANNER_CHECK, MANNER_PLAIN, MANNER_FORCED, MANNER_RECOVER };

/** Whether a verb must not go on; says why. What has begun is completed. */
static int is_refused(const struct stage *stage, enum manner manner, const uint8_t *conflicts) {
  if (manner == MANNER_RECOVER) return 0;
  return print_conflicts(stage, conflicts, manner == MANNER_FORCED ? UNIT_STUCK : UNIT_NEWER);
}

/** A refreshed index has taken the place of the one that was planned. */
static void adopt(struct unit *unit, const struct file_id *id) {
  if (unit->in.inode != 0 && id->inode != 0) unit->in = *id;
}

static enum stage_exit undo(struct stage *stage, enum manner manner) {
  struct unit_mark *marks = marks_read(stage, "landed");
  for (size_t i = 0; marks != NULL && i < stage->unit_count; i++)
    if (!marks[i].is_skipped) adopt(&stage->units[i], &marks[i].id);
  uint8_t *conflicts = marks == NULL ? NULL : find_undo_conflicts(stage, marks);
  if (conflicts == NULL) {
    free(marks);
    return stage_trouble("the record of what has landed", EINVAL);
  }
  // The times of the folders are those of our own renames before the crash.
  for (size_t i = 0; manner == MANNER_RECOVER && i < stage->unit_count; i++)
    if (stage->units[i].kind == UNIT_FOLDER) conflicts[i] = UNIT_FREE;
  int error = manner == MANNER_RECOVER ? 0 : find_mixed_repositories(stage, marks, conflicts);
  int refused = error == 0 && is_refused(stage, manner, conflicts);
  if (error == 0 && !refused && manner != MANNER_CHECK) {
    error = stage_set_state(stage, "undoing");
    if (error == 0) error = undo_units(stage, marks, conflicts);
    if (manner >= MANNER_FORCED) print_aside(stage, conflicts, "aside");
  }
  free(conflicts);
  free(marks);
  if (error != 0) return stage_trouble("undo", error);
  return refused ? STAGE_REFUSED : STAGE_DONE;
}

static enum stage_exit redo(struct stage *stage, enum manner manner) {
  struct unit_mark *marks = marks_read(stage, "undone");
  for (size_t i = 0; marks != NULL && i < stage->unit_count; i++)
    if (!marks[i].is_skipped) adopt(&stage->units[i], &marks[i].taken);
  uint8_t *conflicts = marks == NULL ? NULL : find_land_conflicts(stage, manner == MANNER_RECOVER ? LAND_RECOVER : LAND_FIRST, marks);
  if (conflicts == NULL) {
    free(marks);
    return stage_trouble("the record of what was undone", EINVAL);
  }
  int error = manner == MANNER_RECOVER ? 0 : find_mixed_repositories(stage, marks, conflicts);
  // Before units that never landed are marked: they are not in the way.
  int refused = error == 0 && is_refused(stage, manner, conflicts);
  for (size_t i = 0; i < stage->unit_count; i++)
    if (marks[i].is_skipped) conflicts[i] = UNIT_STUCK;
  if (error == 0 && !refused && manner != MANNER_CHECK) {
    error = stage_set_state(stage, "redoing");
    if (error == 0) error = land_units(stage, manner >= MANNER_FORCED ? LAND_FORCED : LAND_FIRST, marks, conflicts);
    if (manner >= MANNER_FORCED) print_aside(stage, conflicts, "undo");
  }
  free(conflicts);
  free(marks);
  if (error != 0) return stage_trouble("redo", error);
  return refused ? STAGE_REFUSED : STAGE_DONE;
}

/** After a crash: completes what was begun. Something newer is kept, not refused. */
static enum stage_exit recover(struct stage *stage, const char *state) {
  const char *now;
  if (strcmp(state, "running") == 0) return stage_finish(stage, 1, &now);
  if (strcmp(state, "landing") == 0) {
    enum stage_exit result = journal_read(stage);
    return result == STAGE_DONE ? land(stage, LAND_RECOVER, NULL) : result;
  }
  int is_undo = strcmp(state, "undoing") == 0;
  if (!is_undo && strcmp(state, "redoing") != 0) return STAGE_DONE;
  enum stage_exit result = journal_read(stage);
  if (result != STAGE_DONE) return result;
  return is_undo ? undo(stage, MANNER_RECOVER) : redo(stage, MANNER_RECOVER);
}

static enum stage_exit drop(struct stage *stage) {
  int error = stage_empty(stage);
  if (error == 0) error = stage_set_state(stage, "dropped");
  return error == 0 ? STAGE_DONE : stage_trouble("drop", error);
}

static int is_one_of(const char *word, const char *const *words) {
  for (; *words != NULL; words++)
    if (strcmp(word, *words) == 0) return 1;
  return 0;
}

static enum stage_exit wrong_state(const char *verb, const char *state) {
  char text[128];
  snprintf(text, sizeof text, "cannot %s changes that are %.32s", verb, state);
  return stage_trouble(text, 0);
}

static enum stage_exit obey(struct stage *stage, const char *verb, const char *state, int is_forced) {
  static const char *const HELD[] = {"running", "held", NULL}, *const DROPPABLE[] = {"running", "held", "landed", "undone", NULL};
  const char *now;
  int checks = strcmp(verb, "check") == 0;
  if (strcmp(verb, "recover") == 0) return recover(stage, state);
  if (strcmp(verb, "apply") == 0) return is_one_of(state, HELD) ? stage_finish(stage, 0, &now) : wrong_state(verb, state);
  if (strcmp(verb, "drop") == 0) return is_one_of(state, DROPPABLE) ? drop(stage) : wrong_state(verb, state);
  int is_landed = strcmp(state, "landed") == 0, is_undone = strcmp(state, "undone") == 0;
  int undoes = is_landed && (checks || strcmp(verb, "undo") == 0), redoes = is_undone && (checks || strcmp(verb, "redo") == 0);
  if (!undoes && !redoes) return wrong_state(verb, state);
  enum stage_exit result = journal_read(stage);
  if (result != STAGE_DONE) return result;
  enum manner manner = checks ? MANNER_CHECK : is_forced ? MANNER_FORCED : MANNER_PLAIN;
  return undoes ? undo(stage, manner) : redo(stage, manner);
}

int stage_main(int argc, char **argv) {
  static const char *const VERBS[] = {"apply", "drop", "undo", "redo", "recover", "check", NULL};
  struct stage stage;
  size_t size;
  int is_forced = argc == 3 && strcmp(argv[2], "--force") == 0;
  if (argc < 2 || argc > 3 || (argc == 3 && !is_forced) || !is_one_of(argv[0], VERBS)) return stage_trouble("unknown verb", 0);
  int error = stage_gain_access();
  if (error != 0) return stage_trouble("user namespace", error);
  enum stage_exit result = stage_open(&stage, argv[1]);
  char *state = result == STAGE_DONE ? stage_read(&stage, "state", &size) : NULL;
  if (result == STAGE_DONE && state == NULL) result = stage_trouble("state", errno);
  if (result == STAGE_DONE) result = stage_load(&stage);
  if (result == STAGE_DONE) result = obey(&stage, argv[0], state, is_forced);
  if (fflush(stdout) != 0 && result != STAGE_TROUBLE) result = stage_trouble("output", errno);
  free(state);
  stage_close(&stage);
  return result;
}
