// Writable folders, looked through for what a command has left in them that decides what runs outside: repositories with
// settings or hooks that run something, settings of editors and agents. What is found is taken away and told.

#ifndef HARDSHELL_SWEEP_H
#define HARDSHELL_SWEEP_H

#include "confine-calls.h"
#include "task.h"

/** Between two looks at what a task in the background makes; and as many times as long as the last one took. */
#define SWEEP_MS 2000u
#define SWEEP_SHARE 20u

/** Before the start: what is older than this is not the command's. */
void sweep_begin(struct task *task);
int sweep_is_wanted(const struct task *task);
void sweep(struct task *task);

int is_any(const char *name, const char *const *names, size_t count);
/** Whether the plan holds this path, or something above it, as it is. */
int sweep_is_kept(const struct task *task, const char *path);
/** Whether it lies in a folder that is looked through. */
int sweep_covers(const struct task *task, const char *path);
int is_at_or_below(const char *path, const char *folder);
/** sweep-links.c: whether a new link must not stay. `folder` holds it. */
int sweep_is_bad_link(const struct task *task, int folder, const char *path);
/** Counts one folder; 0 when it was enough. */
int sweep_spend(void);

// swept-names.c
void swept_names_begin(const struct confinement *confinement);
/** Whether this name in a folder is one that decides what runs outside. */
int is_taken_name(const char *folder, const char *name);
/** Whether names of that kind lie in a folder of this name (`.github`). */
int is_above_taken_name(const char *name);
/** Whether the path lies in packages of others. */
int is_in_packages(const struct confinement *confinement, const char *path);
/** Whether the plan looks there for what exists. */
int sweep_is_searched(const struct task *task, const char *path);

// touched.c
/** What is believed of a file system: its times; that links count folders. Or nothing, since nobody may ever answer. */
enum trust { TRUST_NOTHING = 0, TRUST_TIMES = 1, TRUST_LINKS = 2, TRUST_NO_ANSWER = 4 };

void sweep_begin_times(void);
/** Before each walk: if the clock was set back, files that the command changes carry earlier times. */
void sweep_follow_clock(void);
/** What is asked about a name while a folder is looked through. 0, or -1 with errno. */
int sweep_look(int folder, const char *name, struct file_status *status);
int sweep_trust_in(const struct file_status *status);
/** Whether the command may have changed, made or moved it. */
int sweep_is_touched(const struct file_status *status);
/** Whether it has not changed since before the plan was made. */
int sweep_is_settled(const struct file_status *status);
/** For what follows: the plan has not looked at everything below this folder. */
void sweep_set_partly_known(int is);
int sweep_is_partly_known(void);
/** Whether the command may have made it, or moved it here. `is_moved`: it may have moved a folder above it. */
int sweep_is_new(const char *path, const struct file_status *status, int is_moved);
void survey_note(const char *path, const struct file_status *status);
void survey_cut(void);

// git-judge.c
/** The name `.git` in a folder: `path` is its own, `folder` holds it. */
void judge_dot_git(struct task *task, int folder, const char *path, const struct file_status *status, int is_moved);
/** A folder that git would take for a repository. */
void judge_git_folder(struct task *task, int folder, const char *path, int is_moved);

// git-inert.c
/** Whether these settings run nothing, whatever git is asked to do. Knows few, and takes all others for dangerous. */
int is_inert_config(const char *text, size_t size, const char *folder);
/** Whether the list of a rebase holds no command of its own. */
int is_inert_todo(const char *text, size_t size);
/** `../x/./y` below a folder, by its text alone, since no link is followed later either; 0 when it does not fit. */
int resolve_text(const char *folder, const char *text, size_t size, char *path, size_t room);

#endif
