// A repository → its parts that control what git runs and are neither protected by the plan nor known to run nothing: those
// are removed. What `git init`, `git clone`, `git submodule` and `git worktree` create stays.

#define _GNU_SOURCE
#include "reach.h"
#include "settings.h"
#include "sweep.h"
#include "undo.h"
#include "whole-file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_TEXT_BYTES (256u << 10)
/** Names of submodules, and nested submodules. */
#define MAX_NESTING 24

struct repository {
  struct task *task;
  int fd;
  const char *path;
  /** The command may have created it, moved it here, or worked in it. */
  int is_touched;
  int nesting;
};

enum content { CONTENT_NONE, CONTENT_TEXT, CONTENT_OTHER };

/** A whole regular file, by descriptor, so that it cannot be replaced in between. A file with a second name could later be
 * changed through that one, unnoticed. */
static enum content read_plain(int folder, const char *name, char **text, size_t *size) {
  struct stat status;
  *text = NULL;
  int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? CONTENT_NONE : CONTENT_OTHER;
  int is_single = fstat(fd, &status) == 0 && status.st_nlink == 1;
  *text = is_single ? read_whole_file(fd, MAX_TEXT_BYTES, size) : NULL;
  close(fd);
  return *text == NULL ? CONTENT_OTHER : CONTENT_TEXT;
}

/** Whether a folder in a repository may have been moved there with its content, which has older times. */
static int is_moved_here(int folder, const char *path) {
  struct file_status status;
  return sweep_look(folder, "", &status) < 0 || (sweep_is_touched(&status) && !sweep_was_here(path, &status));
}

/** Removes a part, unless the plan protects it, or it, its folder and its repository are older than the command. */
static void take_out(const struct repository *repository, int folder, const char *name, const char *path) {
  char above[8192];
  struct file_status status;
  if (sweep_is_kept(path)) return;
  snprintf(above, sizeof above, "%.*s", (int)(strrchr(path, '/') - path), path);
  int is_old = !repository->is_touched && sweep_look(folder, name, &status) == 0 && !sweep_is_touched(&status);
  if (is_old && (strcmp(above, repository->path) == 0 || !is_moved_here(folder, above))) return;
  undo_take(repository->task, folder, path);
}

static int is_inert_link(const char *text, size_t size, const char *folder) {
  // Of a worktree, and to the repository that contains it.
  const char *slash = strrchr(folder, '/'), *above = slash;
  while (above > folder && above[-1] != '/') above--;
  int is_worktree = slash != NULL && slash - above == 9 && strncmp(above, "worktrees", 9) == 0;
  while (size > 0 && text[size - 1] == '\n') size--;
  return is_worktree && size == 5 && memcmp(text, "../..", 5) == 0;
}

static int is_inert_word(const char *text, size_t size, const char *folder) {
  (void)folder;
  return memchr(text, '/', size) == NULL;
}

static int is_inert_list(const char *text, size_t size, const char *folder) {
  (void)folder;
  return is_inert_todo(text, size);
}

/** Files that name programs, or other files that do. */
static const struct {
  const char *name;
  int (*is_inert)(const char *text, size_t size, const char *folder);
} FILES[] = {
    {"config", is_inert_config},
    {"config.worktree", is_inert_config},
    {"commondir", is_inert_link},
    // They run when a user continues what the command has started.
    {"rebase-merge/git-rebase-todo", is_inert_list},
    {"rebase-merge/strategy", is_inert_word},
    {"sequencer/todo", is_inert_list},
    {"sequencer/opts", is_inert_word},
    {"rebase-apply/apply-opt", is_apply_options},
    // Prompts show them, and expand what is in them.
    {"rebase-merge/msgnum", is_number_file},
    {"rebase-merge/end", is_number_file},
    {"rebase-apply/next", is_number_file},
    {"rebase-apply/last", is_number_file},
    {"MERGE_RR", is_safe_resolutions},
    // lazygit runs what it names.
    {"lazygit.yml", is_empty_file},
};

int is_inert_git_file(const char *name, const char *text, size_t size, const char *folder) {
  for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++)
    if (strcmp(FILES[i].name, name) == 0) return FILES[i].is_inert(text, size, folder);
  return -1;
}

/** Parts in the repository itself, or in a folder of it; -1 with errno. */
static int reach_part(const struct repository *repository, const char *name, struct reach *reach) {
  char path[8192];
  const char *slash = strrchr(name, '/');
  snprintf(path, sizeof path, "%s%s%.*s", repository->path, slash == NULL ? "" : "/", slash == NULL ? 0 : (int)(slash - name), name);
  return reach_folder(path, reach);
}

static int is_absent(int folder, const char *name) {
  struct stat status;
  return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT;
}

/** Also of settings: a partial clone contacts its remote by itself, so it stays only if the command is known to make one. */
static int is_inert_file(const struct repository *repository, size_t which, const char *text, size_t size) {
  if (!FILES[which].is_inert(text, size, repository->path)) return 0;
  return FILES[which].is_inert != is_inert_config || !has_partial_text(text, size) || settings_may_be_partial(repository->task->request.confinement);
}

static void judge_file(const struct repository *repository, size_t which) {
  char path[8192], *text = NULL;
  const char *name = FILES[which].name, *slash = strrchr(name, '/'), *last = slash == NULL ? name : slash + 1;
  size_t size = 0;
  struct reach reach;
  if (is_absent(repository->fd, name) || !join_path(path, sizeof path, repository->path, name)) return;
  if (sweep_is_kept(path)) return;
  if (reach_part(repository, name, &reach) >= 0) {
    enum content content = read_plain(reach.fd, last, &text, &size);
    if (content == CONTENT_OTHER && errno == EACCES && reach_open_up(&reach, reach.fd)) {
      free(text);
      content = read_plain(reach.fd, last, &text, &size);
    }
    if (content == CONTENT_OTHER || (content == CONTENT_TEXT && !is_inert_file(repository, which, text, size)))
      take_out(repository, reach.fd, last, path);
    free(text);
  } else if (errno == ELOOP && slash != NULL) {
    // A link in place of its folder.
    snprintf(path, sizeof path, "%s/%.*s", repository->path, (int)(slash - name), name);
    undo_take(repository->task, reach.fd, path);
  }
  reach_end(&reach);
}

typedef void visitor(const struct repository *repository, struct reach *folder, const char *path, const struct dirent *entry);

/** Every name in a folder of the repository; something else in place of a folder, or an unreadable folder, is removed. */
static void list(const struct repository *repository, const char *path, visitor *visit) {
  struct reach reach;
  const char *name = strrchr(path, '/') + 1;
  if (is_absent(repository->fd, name)) return;
  int fd = reach_folder(path, &reach) < 0 ? -1 : reach_list(&reach);
  DIR *names = fd < 0 ? NULL : fdopendir(fd);
  if (names == NULL) {
    if (fd >= 0) close(fd);
    take_out(repository, repository->fd, name, path);
  } else {
    for (struct dirent *entry; (entry = readdir(names)) != NULL;)
      if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) visit(repository, &reach, path, entry);
    closedir(names);
  }
  reach_end(&reach);
}

static void judge_hook(const struct repository *repository, struct reach *folder, const char *path, const struct dirent *entry) {
  char inner[8192];
  struct file_status status;
  const char *name = entry->d_name;
  size_t length = strlen(name);
  if (!join_path(inner, sizeof inner, path, name) || sweep_look(folder->fd, name, &status) < 0) return;
  if (S_ISREG(status.mode) && length > 7 && strcmp(name + length - 7, ".sample") == 0) return;
  take_out(repository, folder->fd, name, inner);
}

/** A remote as old versions of git stored it: a file with its address, which may be any repository. */
static void judge_remote(const struct repository *repository, struct reach *folder, const char *path, const struct dirent *entry) {
  char inner[8192];
  if (join_path(inner, sizeof inner, path, entry->d_name)) take_out(repository, folder->fd, entry->d_name, inner);
}

static void judge(struct task *task, int fd, const char *path, int nesting, int is_moved);
static void judge_common(const struct repository *repository);
static void judge_all_indexes(const struct repository *repository);

static void judge_inner(const struct repository *repository, struct reach *folder, const char *path, const struct dirent *entry);

// A folder of names, or a repository: the name of a submodule may have slashes.
static void judge_module(const struct repository *repository, int fd, const char *path) {
  struct repository names = *repository;
  judge(repository->task, fd, path, repository->nesting + 1, repository->is_touched);
  if (!is_absent(fd, "HEAD")) return;
  const char *slash = strrchr(path, '/');
  char above[8192];
  snprintf(above, sizeof above, "%.*s", (int)(slash - path), path);
  struct reach reach;
  names.nesting++;
  names.path = above;
  if ((names.fd = reach_folder(above, &reach)) >= 0) list(&names, path, judge_inner);
  reach_end(&reach);
}

static void judge_inner(const struct repository *repository, struct reach *folder, const char *path, const struct dirent *entry) {
  char inner[8192];
  struct reach reach;
  struct file_status status;
  (void)folder;
  if (!join_path(inner, sizeof inner, path, entry->d_name) || sweep_look(folder->fd, entry->d_name, &status) < 0) return;
  if (!S_ISDIR(status.mode) && !S_ISLNK(status.mode)) return;
  // A link could lead to a repository that was not checked.
  if (S_ISLNK(status.mode) || repository->nesting >= MAX_NESTING || !sweep_spend())
    take_out(repository, folder->fd, entry->d_name, inner);
  else {
    struct repository above = *repository;
    above.is_touched = repository->is_touched || sweep_is_touched(&status);
    if (reach_folder(inner, &reach) >= 0) judge_module(&above, reach.fd, inner);
    else undo_leave(repository->task, inner);
    reach_end(&reach);
  }
}

// With links in their place a repository has no folders in it, and looks like one that needs no check.
static void judge_store(const struct repository *repository, const char *name) {
  char path[8192];
  struct file_status status;
  if (sweep_look(repository->fd, name, &status) < 0 || !S_ISLNK(status.mode)) return;
  if (join_path(path, sizeof path, repository->path, name)) take_out(repository, repository->fd, name, path);
}

static void judge(struct task *task, int fd, const char *path, int nesting, int is_moved) {
  char inner[8192];
  struct file_status status;
  // Every command of git changes the folder.
  int is_touched = sweep_look(fd, "", &status) < 0 || (sweep_is_new(path, &status, is_moved) && !sweep_was_here(path, &status));
  struct repository repository = {task, fd, path, is_touched, nesting};
  for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) judge_file(&repository, i);
  for (size_t i = 0; i < 2; i++) judge_store(&repository, i == 0 ? "objects" : "refs");
  if (join_path(inner, sizeof inner, path, "hooks") && !sweep_is_kept(inner)) list(&repository, inner, judge_hook);
  for (size_t i = 0; i < 2; i++)
    if (join_path(inner, sizeof inner, path, i == 0 ? "remotes" : "branches") && !sweep_is_kept(inner))
      list(&repository, inner, judge_remote);
  if (join_path(inner, sizeof inner, path, "modules")) list(&repository, inner, judge_inner);
  if (join_path(inner, sizeof inner, path, "worktrees")) list(&repository, inner, judge_inner);
  judge_all_indexes(&repository);
  judge_common(&repository);
}

/** The settings of a worktree are those of its repository. */
static void judge_all_indexes(const struct repository *repository) {
  char common[8192];
  const char *settings = repository->path;
  if (!is_absent(repository->fd, "commondir") && resolve_text(repository->path, "../..", 5, common, sizeof common)) settings = common;
  judge_indexes(repository->task, repository->path, settings, repository->is_touched);
}

/** What a worktree shares with the repository that contains it, whether or not git would recognize that on its own. */
static void judge_common(const struct repository *repository) {
  char common[8192];
  struct reach reach;
  if (is_absent(repository->fd, "commondir") || repository->nesting > 0) return;
  if (!resolve_text(repository->path, "../..", 5, common, sizeof common) || !sweep_covers(repository->task, common)) return;
  if (reach_folder(common, &reach) >= 0) judge(repository->task, reach.fd, common, 1, repository->is_touched);
  reach_end(&reach);
}

void judge_git_folder(struct task *task, int folder, const char *path, int is_moved) {
  judge(task, folder, path, 0, is_moved);
}

/** Whether a `.git` file leads to a repository that is protected or can be checked; it is checked then. */
static int follow(struct task *task, int folder, const char *path) {
  static const char START[] = "gitdir: ";
  char *text, above[8192], target[4096];
  size_t size = 0, skip = sizeof START - 1;
  snprintf(above, sizeof above, "%.*s", (int)(strrchr(path, '/') - path), path);
  int is_plain = read_plain(folder, ".git", &text, &size) == CONTENT_TEXT;
  while (is_plain && size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r')) size--;
  is_plain = is_plain && size > skip && memcmp(text, START, skip) == 0 && memchr(text, 0, size) == NULL &&
             resolve_text(above, text + skip, size - skip, target, sizeof target) && sweep_covers(task, target);
  free(text);
  struct reach reach = {.fd = -1};
  int is_judged = is_plain && reach_folder(target, &reach) >= 0;
  // A folder that was moved there is found by the walk.
  if (is_judged) judge(task, reach.fd, target, 0, 0);
  reach_end(&reach);
  return is_judged;
}

void judge_dot_git(struct task *task, int folder, const char *path, const struct file_status *status, int is_moved) {
  if (S_ISDIR(status->mode)) {
    struct reach reach;
    if (reach_folder(path, &reach) >= 0) judge(task, reach.fd, path, 0, is_moved);
    else if (errno != ENOENT) undo_take(task, folder, path);
    reach_end(&reach);
    return;
  }
  // Where the plan does not look, the next command could change it.
  int is_sound = S_ISREG(status->mode) && sweep_is_searched(task, path) && follow(task, folder, path);
  if (!is_sound && !sweep_is_kept(path) && (sweep_is_touched(status) || sweep_is_new(path, status, is_moved)))
    undo_take(task, folder, path);
}
