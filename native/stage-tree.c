// Everything at and below one name, in the upper layer and in the root → what people see of it, and whether it may land.

#define _GNU_SOURCE
#include "stage-plan.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static int has_same_target(int upper, int lower, const char *name) {
  char a[PATH_MAX], b[PATH_MAX];
  ssize_t size = readlinkat(upper, name, a, sizeof a);
  return size >= 0 && readlinkat(lower, name, b, sizeof b) == size && memcmp(a, b, (size_t)size) == 0;
}

enum difference compare_files(int upper, int lower, const char *name, const struct stat *up, const struct stat *lo) {
  if ((up->st_mode & S_IFMT) != (lo->st_mode & S_IFMT)) return DIFFERENT_CONTENT;
  if (S_ISREG(up->st_mode) && (up->st_size != lo->st_size || !has_same_content(upper, name, lower, name))) return DIFFERENT_CONTENT;
  if (S_ISLNK(up->st_mode) && !has_same_target(upper, lower, name)) return DIFFERENT_CONTENT;
  if ((up->st_mode & 07777) != (lo->st_mode & 07777) || !has_same_attributes(upper, name, lower, name)) return DIFFERENT_MODE;
  // Another name of the same file lands as one only if this one does.
  int is_linked = S_ISREG(up->st_mode) && up->st_nlink > 1;
  return is_same_time(&up->st_mtim, &lo->st_mtim) && !is_linked ? DIFFERENT_NOT : DIFFERENT_TIMES;
}

static const char *word_for(const struct name_view *view) {
  if (view->lo == NULL) return "created";
  if (view->up == NULL) return "deleted";
  return view->difference == DIFFERENT_CONTENT ? "changed" : view->difference == DIFFERENT_MODE ? "mode" : NULL;
}

/** A program that runs with the rights of its owner or group, for every user who starts it. */
static int is_privileged(const struct stat *status) {
  if (status == NULL || !S_ISREG(status->st_mode)) return 0;
  return (status->st_mode & S_ISUID) || (status->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP);
}

/** Whether the walk goes on below. */
static int judge(struct planning *planning, const struct name_view *view, int depth) {
  char record[512];
  struct judgement judgement = judge_name(view);
  // A device of the command's own making is no file of the project.
  if (view->up != NULL && (S_ISCHR(view->up->st_mode) || S_ISBLK(view->up->st_mode)))
    judgement = (struct judgement){JUDGED_HELD, HELD_FAILED, "device"};
  if (is_privileged(view->up) && !(is_privileged(view->lo) && view->difference == DIFFERENT_NOT))
    judgement = (struct judgement){JUDGED_HELD, HELD_PROTECTED, "setuid"};
  if (judgement.what == JUDGED_COPIED) add_fix(planning, JUDGED_COPIED, NULL);
  if (judgement.what != JUDGED_HELD) return 1;
  // What exists in the root cannot stay there if the tree around it is replaced.
  if (depth == 0 || view->lo != NULL) {
    hold_unit(planning, judgement.why, judgement.detail);
    return 0;
  }
  snprintf(record, sizeof record, "%d\t%.400s", judgement.why, judgement.detail);
  add_fix(planning, JUDGED_HELD, record);
  journal_held(planning->stage, judgement.why, judgement.detail, planning->root, view->path);
  return 0;
}

static char **list_inner(struct planning *planning, int folder, size_t *count) {
  *count = 0;
  char **names = folder < 0 ? NULL : list_names(folder, count);
  if (folder >= 0 && names == NULL) hold_unit(planning, HELD_FAILED, strerror(errno));
  return names;
}

static void describe_inner(struct planning *planning, int upper, int lower, const char *name, int depth) {
  struct stat up, lo;
  struct name_place place = {upper, lower, name, NULL, NULL};
  if (upper >= 0 && look_at(upper, name, &up) == 0 && !is_whiteout(&up)) place.up = &up;
  if (lower >= 0 && look_at(lower, name, &lo) == 0 && !is_whiteout(&lo)) place.lo = &lo;
  if (place.up == NULL && place.lo == NULL) return;
  size_t length = enter_name(planning, name);
  describe_tree(planning, &place, depth);
  leave_name(planning, length);
}

/** The names of both folders; one of them may be -1. */
static void describe_folders(struct planning *planning, int upper, int lower, int depth) {
  size_t up_count, lo_count, i = 0, k = 0;
  char **up = list_inner(planning, upper, &up_count), **lo = list_inner(planning, lower, &lo_count);
  while (!planning->is_held && (i < up_count || k < lo_count)) {
    int order = i == up_count ? 1 : k == lo_count ? -1 : strcmp(up[i], lo[k]);
    describe_inner(planning, upper, lower, order <= 0 ? up[i] : lo[k], depth);
    i += order <= 0;
    k += order >= 0;
  }
  free(up);
  free(lo);
}

static int open_inner(struct planning *planning, int folder, const char *name, const struct stat *status) {
  if (status == NULL || !S_ISDIR(status->st_mode)) return -1;
  int fd = openat(folder, name, FOLDER);
  if (fd < 0) hold_unit(planning, HELD_FAILED, strerror(errno));
  return fd;
}

/** Whether the command wrote into a file, instead of replacing it, that another process has open for writing: that process would
 * go on with a file that is no longer there, and its locks meant nothing to the command. */
static int is_written_elsewhere(int upper, int lower, const char *name) {
  int marks = read_overlay_marks(upper, name);
  if (marks < 0 || !(marks & OVERLAY_ORIGIN)) return 0;
  int fd = openat(lower, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return 0;
  // A process that opens it now ends the lease, with a signal.
  signal(SIGIO, SIG_IGN);
  // A lease for reading is granted only if no process has it open for writing.
  int is_open = fcntl(fd, F_SETLEASE, F_RDLCK) < 0 && errno == EAGAIN;
  close(fd);
  return is_open;
}

enum difference describe_tree(struct planning *planning, const struct name_place *place, int depth) {
  struct stage *stage = planning->stage;
  const struct stat *up = place->up, *lo = place->lo;
  const int upper = place->upper, lower = place->lower;
  const char *name = place->name;
  struct name_view view = {stage, planning->root, path_of(planning), name, upper, lower, up, lo, DIFFERENT_CONTENT};
  if (up != NULL && lo != NULL) view.difference = compare_files(upper, lower, name, up, lo);
  // A folder in place of a folder, not merged with it.
  int is_replaced_folder = up != NULL && lo != NULL && S_ISDIR(up->st_mode) && S_ISDIR(lo->st_mode);
  if (depth == 0 && !is_replaced_folder && view.difference == DIFFERENT_NOT) return DIFFERENT_NOT;
  if (lo != NULL && is_since_time(&lo->st_ctim, &stage->begun)) hold_unit(planning, HELD_CONFLICT, depth == 0 ? "" : "changed inside");
  int is_rewritten = up != NULL && lo != NULL && S_ISREG(up->st_mode) && S_ISREG(lo->st_mode) && view.difference == DIFFERENT_CONTENT;
  if (is_rewritten && is_written_elsewhere(upper, lower, name)) hold_unit(planning, HELD_CONFLICT, "open");
  if (depth > MAX_STAGE_DEPTH) hold_unit(planning, HELD_FAILED, "too deep");
  if (planning->is_held || !judge(planning, &view, depth) || planning->is_held) return DIFFERENT_CONTENT;
  const char *what = word_for(&view);
  const struct stat *seen = up != NULL ? up : lo;
  if (what != NULL) journal_name(stage, what, seen->st_mode, (uint64_t)seen->st_size, planning->root, path_of(planning));
  int inner = open_inner(planning, upper, name, up), below = open_inner(planning, lower, name, lo);
  if (!planning->is_held && (inner >= 0 || below >= 0)) describe_folders(planning, inner, below, depth + 1);
  if (inner >= 0) close(inner);
  if (below >= 0) close(below);
  return is_replaced_folder ? DIFFERENT_CONTENT : view.difference;
}
