// Shared by the parts of the gate that compare upper layers with their roots.

#ifndef HARDSHELL_STAGE_PLAN_H
#define HARDSHELL_STAGE_PLAN_H

#include "stage.h"

#define MAX_STAGE_DEPTH 1000

enum difference { DIFFERENT_NOT, DIFFERENT_TIMES, DIFFERENT_MODE, DIFFERENT_CONTENT };

/** One name, in the upper layer and in the root; a folder is -1 and a status NULL where it does not exist. */
struct name_view {
  const struct stage *stage;
  uint32_t root;
  /** Below the root. */
  const char *path;
  const char *name;
  int upper, lower;
  const struct stat *up, *lo;
  enum difference difference;
};

/** `copied`: lands as a fresh copy, since the command may have left a descriptor of the file with another process. */
enum judged { JUDGED_LANDS, JUDGED_COPIED, JUDGED_HELD };

struct judgement {
  enum judged what;
  enum held_why why;
  /** Without tabs. */
  const char *detail;
};

/** To be done in the upper layer before a unit lands. */
struct fix {
  enum judged what;
  char *path, *record;
};

struct planning {
  struct stage *stage;
  uint32_t root;
  int lands;
  /** NUL-ended. */
  struct buffer path;
  /** Of the unit that is being planned: whether all of it is held, and why. */
  int is_held;
  enum held_why why;
  const char *detail;
  struct fix *fixes;
  size_t fix_count, fix_capacity;
};

// stage-plan.c
/** Adds a name to the current path; the length before, for `leave_name`. */
size_t enter_name(struct planning *planning, const char *name);
void leave_name(struct planning *planning, size_t length);
const char *path_of(const struct planning *planning);
/** The whole unit is held; the first reason counts. */
void hold_unit(struct planning *planning, enum held_why why, const char *detail);

// stage-tree.c
/** The difference of two names of the same kind. */
enum difference compare_files(int upper, int lower, const char *name, const struct stat *up, const struct stat *lo);
/** Where a name is: in folders of the upper layer and of the root, with a status where it exists there. */
struct name_place {
  int upper, lower;
  const char *name;
  const struct stat *up, *lo;
};
/** Everything at and below a name: what differs, what is held. Returns how the name itself differs. */
enum difference describe_tree(struct planning *planning, const struct name_place *place, int depth);

// stage-prepare.c
void add_fix(struct planning *planning, enum judged what, const char *record);
void forget_fixes(struct planning *planning);
/** Prepares a unit for landing; 0 if it cannot be, and is held. */
int prepare_unit(struct planning *planning);
/** What earlier plans have taken out of new trees is still held. */
void list_kept(struct planning *planning);

// stage-together.c
/** Holds all parts of a repository if one of them is in conflict. */
void hold_together(struct stage *stage);

// stage-moved.c
/** Holds the deletion of what was moved to a name that is held. */
void hold_moved(struct stage *stage);

// stage-judge.c
void judge_begin(const struct stage *stage);
struct judgement judge_name(const struct name_view *view);

#endif
