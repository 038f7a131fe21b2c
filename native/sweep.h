// Searches writable folders for leftovers of a command that control what runs outside: repositories with
// settings or hooks that run something, settings of editors and agents. They are removed and reported.

#ifndef HARDSHELL_SWEEP_H
#define HARDSHELL_SWEEP_H

#include "confine-calls.h"
#include "task.h"

/** Between two searches for a background task; and as many times as long as the last one took. */
#define SWEEP_MS 2000u
#define SWEEP_SHARE 20u

/** Before the start: older files are not the command's. */
void sweep_begin(struct task *task);
int sweep_is_wanted(const struct task *task);
void sweep(struct task *task);

int is_any(const char *name, const char *const *names, size_t count);
/** Whether it is in a searched folder. */
int sweep_covers(const struct task *task, const char *path);
int is_at_or_below(const char *path, const char *folder);
/** `folder/name`; 0 if there is no room for it. */
int join_path(char *text, size_t size, const char *folder, const char *name);
/** Whether the target of a link is in the folder of a process. */
int leads_to_process(const char *target);
/** sweep-links.c: whether a new link must not stay. `folder` contains it. */
int sweep_is_bad_link(const struct task *task, int folder, const char *path);
/** Counts one folder; 0 when the limit is reached. */
int sweep_spend(void);

// kept-paths.c
/** For the next search. */
void kept_paths_begin(const struct confinement *confinement);
/** Whether the plan protects this path, or a parent of it. */
int sweep_is_kept(const char *path);
/** Whether this very name is mounted read-only. */
int sweep_is_read_only(const char *path);

// swept-names.c
void swept_names_begin(const struct confinement *confinement);
/** Whether this name in a folder controls what runs outside. */
int is_taken_name(const char *folder, const char *name);
/** Whether names of that kind are in a folder of this name (`.github`). */
int is_above_taken_name(const char *name);
/** Whether the path is in third-party packages. */
int is_in_packages(const struct confinement *confinement, const char *path);
/** Whether the plan searches there for existing names. */
int sweep_is_searched(const struct task *task, const char *path);

// touched.c
/** What is trusted of a file system: its times; that link counts count folders. Or nothing, since it may never answer. */
enum trust { TRUST_NOTHING = 0, TRUST_TIMES = 1, TRUST_LINKS = 2, TRUST_NO_ANSWER = 4 };

void sweep_begin_times(void);
/** For a command that began then, if what existed before is not known. */
void sweep_resume_times(const struct timespec *begun);
/** Before each walk: if the clock was set back, files that the command changes have earlier times. */
void sweep_follow_clock(void);
/** The stat of a name during a search. 0, or -1 with errno. */
int sweep_look(int folder, const char *name, struct file_status *status);
int sweep_trust_in(const struct file_status *status);
/** Whether the command may have changed, created or moved it. */
int sweep_is_touched(const struct file_status *status);
/** Whether it has not changed since before the plan was made. */
int sweep_is_settled(const struct file_status *status);
/** From here on: the plan has not searched everything below this folder. */
void sweep_set_partly_known(int is);
int sweep_is_partly_known(void);
/** Whether the command may have created it, or moved it here. `is_moved`: it may have moved a parent folder. */
int sweep_is_new(const char *path, const struct file_status *status, int is_moved);
/** Whether the same file or folder was noted at this path before the command. */
int sweep_was_here(const char *path, const struct file_status *status);
void survey_note(const char *path, const struct file_status *status);
void survey_cut(void);

// git-judge.c
/** The name `.git` in a folder: `path` is its own, `folder` contains it. */
void judge_dot_git(struct task *task, int folder, const char *path, const struct file_status *status, int is_moved);
/** A folder that git would recognize as a repository. */
void judge_git_folder(struct task *task, int folder, const char *path, int is_moved);

/** Whether the text of a file of a repository, by its path there, runs nothing; -1 if such a file decides nothing. */
int is_inert_git_file(const char *name, const char *text, size_t size, const char *folder);

// judge-index.c
/** The indexes in a git folder; `common` has its settings. `is_new`: also those that the command has not touched. */
void judge_indexes(struct task *task, const char *path, const char *common, int is_new);

// git-state.c: of a file in a git folder, which is in `folder`.
/** Digits only. */
int is_number_file(const char *text, size_t size, const char *folder);
/** Options for `git apply` that open no files. */
int is_apply_options(const char *text, size_t size, const char *folder);
/** Conflicts with paths in the work tree. */
int is_safe_resolutions(const char *text, size_t size, const char *folder);
int is_empty_file(const char *text, size_t size, const char *folder);

// git-inert.c
/** Whether these settings run nothing, whatever git does. Knows few, and treats all others as dangerous. */
int is_inert_config(const char *text, size_t size, const char *folder);
enum { MAX_SETTING_LINE = 4096, MAX_SECTION = 64, MAX_KEY = 128 };
/** `[section]` or `[section "name"]`, and nothing after it → `section`, `section.*`. */
int take_header(const char *line, char section[MAX_SECTION]);
/** A line without leading blanks and backslashes; `key`: `section.key`, or empty. The line is shorter than MAX_SETTING_LINE. */
int is_inert_setting(const char *line, const char *section, const char *folder, char key[MAX_KEY]);
size_t skip_blanks(const char *line, size_t at);
/** Of partial clones: git fetches a missing object from such a remote with every command, also with `git status`. */
int is_partial_setting(const char *key);
/** Whether the names of such settings occur, also in values. */
int has_partial_text(const char *text, size_t size);
/** Whether a rebase todo list contains no command. */
int is_inert_todo(const char *text, size_t size);
/** `../x/./y` below a folder, by its text only, since no link is followed later either; 0 if it does not fit. */
int resolve_text(const char *folder, const char *text, size_t size, char *path, size_t room);

// git-address.c
/** Whether an address of a remote, or its name, makes git run nothing outside. */
int is_inert_address(const char *text);

// git-change.c
struct settings_text {
  const char *bytes;
  size_t size;
};
/** Settings that may change, each with a slash before it, NUL after it: "/remote", "/user.name", "/branch.*.merge". */
struct setting_names {
  const char *begin, *end;
};
/** Whether both have the same settings in the same order, apart from those in `names` that run nothing; if not, `which` is
 * the name of one that differs. */
int is_inert_change(const struct settings_text *before, const struct settings_text *after, const char *folder,
                    const struct setting_names *names, char *which, size_t room);

#endif
