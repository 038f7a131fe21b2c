// The gate's plan: walks each upper layer along its root. A folder that both have is walked; everything else that differs is a
// unit, which lands by one rename or is held.

#define _GNU_SOURCE
#include "stage-plan.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/** Lengths of what the journal has so far. */
struct snapshot {
  size_t names, held;
  uint32_t name_count, held_count;
};

size_t enter_name(struct planning *planning, const char *name) {
  struct buffer *path = &planning->path;
  size_t length = path->end > 0 ? path->end - 1 : 0;
  path->end = length;
  if (length > 0) buffer_append(path, "/", 1);
  buffer_append(path, name, strlen(name) + 1);
  return length;
}

void leave_name(struct planning *planning, size_t length) {
  planning->path.data[length] = 0;
  planning->path.end = length > 0 ? length + 1 : 0;
}

const char *path_of(const struct planning *planning) {
  return planning->path.end == 0 ? "." : (const char *)planning->path.data;
}

void hold_unit(struct planning *planning, enum held_why why, const char *detail) {
  if (planning->is_held) return;
  planning->is_held = 1;
  planning->why = why;
  planning->detail = detail;
}

static void hold_path(struct planning *planning, enum held_why why, const char *detail) {
  journal_held(planning->stage, why, detail, planning->root, path_of(planning));
}

static struct snapshot begin_unit(struct planning *planning) {
  const struct stage *stage = planning->stage;
  planning->is_held = 0;
  forget_fixes(planning);
  return (struct snapshot){stage->names.end, stage->held.end, stage->name_count, stage->held_count};
}

static void roll_back(struct stage *stage, const struct snapshot *snapshot) {
  stage->names.end = snapshot->names;
  stage->held.end = snapshot->held;
  stage->name_count = snapshot->name_count;
  stage->held_count = snapshot->held_count;
}

static enum unit_kind kind_of(const struct stat *up, const struct stat *lo) {
  if (up == NULL) return UNIT_DELETED;
  if (lo == NULL) return UNIT_NEW;
  return S_ISDIR(up->st_mode) || S_ISDIR(lo->st_mode) ? UNIT_REPLACED : UNIT_CHANGED;
}

/** Whether there is a unit. */
static int plan_unit(struct planning *planning, const struct name_place *place) {
  struct stage *stage = planning->stage;
  struct snapshot before = begin_unit(planning);
  enum difference difference = describe_tree(planning, place, 0);
  const struct stat *up = place->up, *lo = place->lo;
  struct stat prepared;
  if (!planning->is_held && difference == DIFFERENT_NOT) return 0;
  if (!planning->is_held && up != NULL && planning->lands && planning->fix_count > 0) {
    // A copy is another file.
    if (!prepare_unit(planning) || look_at(place->upper, place->name, &prepared) < 0) hold_unit(planning, HELD_FAILED, strerror(errno));
    else up = &prepared;
  }
  if (planning->is_held) {
    roll_back(stage, &before);
    hold_path(planning, planning->why, planning->detail);
    return 0;
  }
  struct unit *unit = journal_unit(stage, kind_of(up, lo), planning->root, path_of(planning));
  if (up != NULL) unit->in = file_id_of(up);
  if (lo != NULL) {
    unit->out = file_id_of(lo);
    unit->out_changed = lo->st_ctim;
    unit->out_modified = lo->st_mtim;
  }
  return 1;
}

// The renames of the landing change the time of the folder, and those of the command its time in the upper layer.
static void plan_folder(struct planning *planning, int upper, int lower, int has_units) {
  struct stage *stage = planning->stage;
  struct stat up, lo;
  if (fstat(upper, &up) < 0 || fstat(lower, &lo) < 0) {
    hold_path(planning, HELD_FAILED, strerror(errno));
    return;
  }
  mode_t before = lo.st_mode & 07777, after = up.st_mode & 07777;
  int is_later = !is_since_time(&lo.st_mtim, &up.st_mtim);
  int is_changed_outside = is_since_time(&lo.st_ctim, &stage->begun);
  // Only its mode and time land.
  if (!has_same_attributes(upper, ".", lower, ".")) hold_path(planning, HELD_FAILED, "extended attributes of a folder");
  if (before != after && is_changed_outside) {
    hold_path(planning, HELD_CONFLICT, "mode");
    after = before;
  }
  if (before != after) {
    struct name_view view = {stage, planning->root, path_of(planning), ".", upper, lower, &up, &lo, DIFFERENT_MODE};
    struct judgement judgement = judge_name(&view);
    if (judgement.what == JUDGED_HELD) {
      hold_path(planning, judgement.why, judgement.detail);
      after = before;
    }
  }
  if (!has_units && before == after && is_same_time(&lo.st_mtim, &up.st_mtim)) return;
  if (before != after) journal_name(stage, "mode", S_IFDIR, 0, planning->root, path_of(planning));
  struct unit *unit = journal_unit(stage, UNIT_FOLDER, planning->root, path_of(planning));
  unit->out = file_id_of(&lo);
  unit->before = (struct folder_look){before, lo.st_mtim};
  // A later change by others is not made older.
  unit->after = (struct folder_look){after, is_changed_outside && !is_later ? lo.st_mtim : up.st_mtim};
}

static void walk(struct planning *planning, int upper, int lower, int depth);

static void walk_into(struct planning *planning, int upper, int lower, const char *name, int depth) {
  int inner = openat(upper, name, FOLDER), below = openat(lower, name, FOLDER);
  if (depth >= MAX_STAGE_DEPTH) hold_path(planning, HELD_FAILED, "too deep");
  else if (inner < 0 || below < 0) hold_path(planning, HELD_FAILED, strerror(errno));
  else walk(planning, inner, below, depth + 1);
  if (inner >= 0) close(inner);
  if (below >= 0) close(below);
}

/** Whether a unit lands in the folder itself. */
static int plan_name(struct planning *planning, int upper, int lower, const char *name, int depth) {
  struct stat up, lo;
  if (look_at(upper, name, &up) < 0) {
    hold_path(planning, HELD_FAILED, strerror(errno));
    return 0;
  }
  int has_lower = look_at(lower, name, &lo) == 0;
  if (!has_lower && errno != ENOENT) {
    hold_path(planning, HELD_FAILED, strerror(errno));
    return 0;
  }
  // The overlay hides whiteouts that were there before, and does not need one for a name that is gone.
  if (has_lower && is_whiteout(&lo)) has_lower = 0;
  struct name_place place = {upper, lower, name, is_whiteout(&up) ? NULL : &up, has_lower ? &lo : NULL};
  if (place.up == NULL) return has_lower ? plan_unit(planning, &place) : 0;
  if (S_ISDIR(up.st_mode)) {
    int marks = read_overlay_marks(upper, name);
    if (marks < 0) {
      hold_path(planning, HELD_FAILED, strerror(errno));
      return 0;
    }
    if (!(marks & OVERLAY_OPAQUE) && has_lower && S_ISDIR(lo.st_mode)) {
      walk_into(planning, upper, lower, name, depth);
      return 0;
    }
    // It was merged with a folder that others have deleted or replaced.
    if (!(marks & OVERLAY_OPAQUE) && (marks & OVERLAY_ORIGIN)) {
      hold_path(planning, HELD_CONFLICT, "deleted");
      return 0;
    }
  }
  return plan_unit(planning, &place);
}

static void walk(struct planning *planning, int upper, int lower, int depth) {
  size_t count;
  int has_units = 0;
  char **names = list_names(upper, &count);
  if (names == NULL) {
    hold_path(planning, HELD_FAILED, strerror(errno));
    return;
  }
  for (size_t i = 0; i < count; i++) {
    size_t length = enter_name(planning, names[i]);
    has_units |= plan_name(planning, upper, lower, names[i], depth);
    leave_name(planning, length);
  }
  free(names);
  plan_folder(planning, upper, lower, has_units);
}

enum stage_exit stage_plan(struct stage *stage, int lands) {
  struct planning planning = {.stage = stage, .lands = lands};
  journal_forget(stage);
  judge_begin(stage);
  for (planning.root = 0; planning.root < stage->root_count; planning.root++) {
    const struct stage_root *root = &stage->roots[planning.root];
    list_kept(&planning);
    walk(&planning, root->upper, root->fd, 0);
  }
  hold_moved(stage);
  hold_together(stage);
  forget_fixes(&planning);
  free(planning.fixes);
  buffer_free(&planning.path);
  return STAGE_DONE;
}
