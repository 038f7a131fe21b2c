// What the gate knows of git.

#ifndef HARDSHELL_STAGE_GIT_H
#define HARDSHELL_STAGE_GIT_H

#include "stage-plan.h"

/** Judges a name, whether or not it is in a repository; `full` is its absolute path. */
struct judgement judge_git(const struct name_view *view, const char *full);
/** Whether the plan lists settings that may change in this file. */
int is_listed_settings(const struct stage *stage, const char *full);
/** A folder that is judged as a repository because of its path below the root, whatever is in it. */
int is_repository_by_name(const char *folder);
/** Whether the root or the upper layer has the names of a repository in this folder. */
int has_repository_names(const struct stage_root *root, const char *folder);
/** Names in a repository that control what runs, and those that make one of a folder; ends in NULL. */
extern const char *const REPOSITORY_PARTS[];
/** Whether a folder above the name is a repository. */
int is_in_repository(const struct name_view *view);
/** Whether every part of a path that exists is a folder. */
int is_reached_without_links(const struct stage_root *root, const char *path);

#endif
