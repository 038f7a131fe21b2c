// Git folders in a stage: what controls what git runs lands only if it runs nothing, and then as a fresh copy. A git folder is one
// called `.git`, and one that git would take for a repository because of the names in it.

#define _GNU_SOURCE
#include "stage-git.h"
#include "git-index.h"
#include "settings.h"
#include "sweep.h"
#include "whole-file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_TEXT_BYTES (256u << 10)

static const struct judgement LANDS = {JUDGED_LANDS, 0, ""}, COPIED = {JUDGED_COPIED, 0, ""};

static struct judgement hold(const char *detail) { return (struct judgement){JUDGED_HELD, HELD_PROTECTED, detail}; }

/** Parts of a repository that name programs, or contain them. */
static const char *const DECIDING[] = {"config", "config.worktree", "commondir", "hooks", "remotes", "branches"};
const char *const REPOSITORY_PARTS[] = {"HEAD",      "commondir",    "config",       "config.worktree", "hooks",
                                        "remotes",   "branches",     "worktrees",    "modules",         "index",
                                        "sequencer", "rebase-merge", "rebase-apply", "MERGE_RR",        "lazygit.yml",
                                        NULL};
static const char *const FOLDERS[] = {"hooks", "remotes", "branches"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static int exists(int root, const char *folder, const char *name) {
  char path[8192];
  struct stat status;
  int length = snprintf(path, sizeof path, "%s%s%s", folder, folder[0] == 0 ? "" : "/", name);
  return length > 0 && (size_t)length < sizeof path && look_at(root, path, &status) == 0 && !is_whiteout(&status);
}

/** In the upper layer or in the root, whatever hides it there. */
static int exists_in_any(const struct name_view *view, const char *folder, const char *name) {
  const struct stage_root *root = &view->stage->roots[view->root];
  return exists(root->upper, folder, name) || exists(root->fd, folder, name);
}

static int is_called_git(const char *folder) {
  const char *slash = strrchr(folder, '/');
  return strcmp(slash == NULL ? folder : slash + 1, ".git") == 0;
}

static int has_worktree(int root, const char *folder) {
  char path[8192];
  size_t count;
  snprintf(path, sizeof path, "%s%sworktrees", folder, folder[0] == 0 ? "" : "/");
  int fd = open_below(root, path), is_found = 0;
  char **names = fd < 0 ? NULL : list_names(fd, &count);
  for (size_t i = 0; names != NULL && i < count && !is_found; i++) is_found = exists(fd, names[i], "commondir");
  free(names);
  if (fd >= 0) close(fd);
  return is_found;
}

// Git reads the settings of what its worktrees share, even if that is no repository by itself.
int has_repository_names(const struct stage_root *root, const char *folder) {
  if (exists(root->upper, folder, "HEAD") || exists(root->fd, folder, "HEAD")) return 1;
  return has_worktree(root->upper, folder) || has_worktree(root->fd, folder);
}

/** Where the part of a path ends that is a folder called `.git`; NULL if there is none. */
static const char *find_git_end(const char *path) {
  for (const char *part = path; part != NULL; part = strchr(part, '/')) {
    part += part != path;
    size_t length = strcspn(part, "/");
    if (length == 4 && strncmp(part, ".git", 4) == 0) return part + length;
  }
  return NULL;
}

// Repositories of submodules and worktrees, before they have a HEAD as well. The name of a submodule can have several parts; below
// refs, a file of any name can be a branch.
int is_repository_by_name(const char *folder) {
  static const char MODULES[] = "/modules/", WORKTREES[] = "/worktrees/";
  static const char *const INNER[] = {"objects", "refs", "logs"};
  const char *rest = find_git_end(folder);
  if (rest == NULL) return 0;
  if (is_called_git(folder)) return 1;
  if (strncmp(rest, WORKTREES, sizeof WORKTREES - 1) == 0) return strchr(rest + sizeof WORKTREES - 1, '/') == NULL;
  if (strncmp(rest, MODULES, sizeof MODULES - 1) != 0) return 0;
  for (const char *part = strchr(rest + sizeof MODULES - 1, '/'); part != NULL; part = strchr(part + 1, '/'))
    for (size_t i = 0; i < COUNT(INNER); i++)
      if (strncmp(part + 1, INNER[i], strlen(INNER[i])) == 0 && strchr("/", part[1 + strlen(INNER[i])]) != NULL) return 0;
  return 1;
}

static int is_git_folder(const struct name_view *view, const char *folder) {
  return is_repository_by_name(folder) || has_repository_names(&view->stage->roots[view->root], folder);
}

/** Whether the root has parts there that were not judged, because nothing made a repository of them. */
static int has_unjudged_parts(const struct name_view *view, const char *folder) {
  const struct stage_root *root = &view->stage->roots[view->root];
  if (is_repository_by_name(folder) || exists(root->fd, folder, "HEAD")) return 0;
  for (const char *const *part = REPOSITORY_PARTS; *part != NULL; part++)
    if (exists(root->fd, folder, *part)) return 1;
  return 0;
}

static uint8_t *read_up_to(int folder, const char *name, size_t limit, size_t *size) {
  int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  uint8_t *bytes = fd < 0 ? NULL : read_whole_file(fd, limit, size);
  if (fd >= 0) close(fd);
  return bytes;
}

static char *read_file(int folder, const char *name, size_t *size) {
  return (char *)read_up_to(folder, name, MAX_TEXT_BYTES, size);
}

/** Settings that may change in a file; none if it is not listed. */
static struct setting_names names_for(const struct name_view *view, const char *full) {
  const struct confinement *confinement = view->stage->confinement;
  struct setting_names names = {"", ""};
  if (!is_listed_settings(view->stage, full)) return names;
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (entry->kind == ENTRY_SETTING_NAMES) names = (struct setting_names){entry->path, entry->end};
  }
  return names;
}

int is_listed_settings(const struct stage *stage, const char *full) {
  const struct confinement *confinement = stage->confinement;
  for (size_t i = 0; i < confinement->count; i++)
    if (confinement->entries[i].kind == ENTRY_SETTINGS && strcmp(confinement->entries[i].path, full) == 0) return 1;
  return 0;
}

/** `folder` is absolute. */
static struct judgement judge_config(const struct name_view *view, const char *full, const char *folder) {
  static char which[MAX_KEY];
  struct settings_text before = {NULL, 0}, after = {NULL, 0};
  char *old = view->lo == NULL ? NULL : read_file(view->lower, view->name, &before.size);
  char *new = view->up == NULL ? NULL : read_file(view->upper, view->name, &after.size);
  struct setting_names names = names_for(view, full);
  before.bytes = old;
  after.bytes = new;
  strcpy(which, "config");
  int is_inert = new != NULL && is_inert_config(new, after.size, folder);
  // Of listed settings, and of a partial clone, which contacts its remote by itself, not everything that runs nothing may change.
  int is_open = !is_listed_settings(view->stage, full) && old != NULL && !has_partial_text(old, before.size);
  if (new != NULL && view->lo != NULL)
    is_inert = old != NULL && ((is_open && is_inert && is_inert_config(old, before.size, folder)) ||
                               is_inert_change(&before, &after, folder, &names, which, sizeof which));
  // Such a clone contacts its remote by itself.
  int is_partial = new != NULL && has_partial_text(new, after.size) && !(old != NULL && has_partial_text(old, before.size));
  if (is_partial && !settings_may_be_partial(view->stage->confinement)) is_inert = 0;
  free(old);
  free(new);
  return is_inert ? COPIED : hold(which);
}

/** A file of a worktree that is deleted as a whole: no settings are left for which it could count. */
static int is_gone_worktree(const struct name_view *view, const char *part) {
  return view->upper < 0 && (strcmp(part, "commondir") == 0 || strcmp(part, "config.worktree") == 0) &&
         look_at(view->lower, "commondir", &(struct stat){0}) == 0;
}

static struct judgement judge_part(const struct name_view *view, const char *part, const char *full, const char *folder) {
  size_t size;
  if (strcmp(part, "config") == 0) return judge_config(view, full, folder);
  char *text = view->up == NULL ? NULL : read_file(view->upper, view->name, &size);
  int is_inert = text != NULL && is_inert_git_file(part, text, size, folder) == 1;
  free(text);
  // One of these files less runs nothing, except for those that decide which settings count.
  if (view->up == NULL) is_inert = !is_any(part, DECIDING, COUNT(DECIDING)) || is_gone_worktree(view, part);
  return is_inert ? (view->up == NULL ? LANDS : COPIED) : hold(strchr(part, '/') == NULL ? part : strchr(part, '/') + 1);
}

/** The folder above the `levels` last names of a path; "" is the root. */
static void take_folder(const char *path, int levels, char folder[8192]) {
  snprintf(folder, 8192, "%s", path);
  for (; levels > 0; levels--) {
    char *slash = strrchr(folder, '/');
    if (slash == NULL) folder[0] = 0;
    else *slash = 0;
  }
}

/** The settings of a git folder, below the root: those of the command, or those that were there. */
static char *read_config(const struct name_view *view, const char *folder, size_t *size) {
  const struct stage_root *root = &view->stage->roots[view->root];
  const int layers[] = {root->upper, root->fd};
  char shared[8192], *config = NULL;
  // A worktree has those of its repository.
  take_folder(folder, exists_in_any(view, folder, "commondir") ? 2 : 0, shared);
  for (size_t i = 0; i < COUNT(layers) && config == NULL; i++) {
    int fd = open_below(layers[i], shared);
    if (fd >= 0) config = read_file(fd, "config", size);
    if (fd >= 0) close(fd);
  }
  return config;
}

/** Paths in it must stay in the work tree: git does not check them. `folder` is below the root. */
static struct judgement judge_index(const struct name_view *view, const char *folder) {
  size_t size = 0, config_size = 0;
  if (view->up == NULL) return LANDS;
  char *config = read_config(view, folder, &config_size);
  uint8_t *bytes = read_up_to(view->upper, view->name, MAX_INDEX_BYTES, &size);
  int is_safe = bytes != NULL && is_safe_index(bytes, size, config == NULL ? 20 : find_hash_size(config, config_size));
  free(config);
  free(bytes);
  return is_safe ? COPIED : hold("index");
}

static struct judgement judge_hook(const struct name_view *view, const char *kind) {
  size_t length = strlen(view->name);
  int is_sample = length > 7 && strcmp(view->name + length - 7, ".sample") == 0;
  const struct stat *status = view->up != NULL ? view->up : view->lo;
  int is_inert = strcmp(kind, "hooks") == 0 && is_sample && S_ISREG(status->st_mode);
  return is_inert ? LANDS : hold(kind);
}

/** A `.git` file must lead to a repository that is in a staged folder, and judged there. */
static struct judgement judge_link_file(const struct name_view *view, const char *full) {
  static const char START[] = "gitdir: ";
  char above[8192], target[8192];
  size_t size = 0, skip = sizeof START - 1;
  int is_sound = 0;
  char *text = read_file(view->upper, view->name, &size);
  snprintf(above, sizeof above, "%.*s", (int)(strrchr(full, '/') - full), full);
  while (text != NULL && size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r')) size--;
  int is_named = text != NULL && size > skip && memcmp(text, START, skip) == 0 && memchr(text, 0, size) == NULL &&
                 resolve_text(above, text + skip, size - skip, target, sizeof target);
  free(text);
  for (size_t i = 0; is_named && i < view->stage->root_count; i++) {
    const char *root = view->stage->roots[i].path;
    if (!confine_is_below(target, root)) continue;
    struct name_view there = *view;
    there.root = (uint32_t)i;
    const char *below = target + strlen(root) + 1;
    is_sound = exists_in_any(&there, below, "HEAD") && !has_unjudged_parts(&there, below) &&
               is_reached_without_links(&view->stage->roots[i], below);
  }
  return is_sound ? COPIED : hold(".git");
}

int is_reached_without_links(const struct stage_root *root, const char *path) {
  struct stat status;
  char part[8192];
  for (const char *slash = path; slash != NULL;) {
    slash = strchr(slash + (slash != path), '/');
    snprintf(part, sizeof part, "%.*s", slash == NULL ? (int)strlen(path) : (int)(slash - path), path);
    int is_there = look_at(root->upper, part, &status) == 0 || look_at(root->fd, part, &status) == 0;
    if (is_there && !S_ISDIR(status.st_mode)) return 0;
  }
  return 1;
}

/** A path in `hooks`, `remotes` or `branches` of a repository, at any depth: which one. */
static const char *find_folder(const struct name_view *view) {
  char folder[8192];
  for (const char *part = view->path; part != NULL; part = strchr(part, '/')) {
    part += part != view->path;
    size_t length = strcspn(part, "/");
    for (size_t i = 0; i < COUNT(FOLDERS); i++) {
      if (strlen(FOLDERS[i]) != length || strncmp(part, FOLDERS[i], length) != 0 || part[length] == 0) continue;
      snprintf(folder, sizeof folder, "%.*s", part == view->path ? 0 : (int)(part - 1 - view->path), view->path);
      if (is_git_folder(view, folder)) return FOLDERS[i];
    }
  }
  return NULL;
}

/** A folder with the name of such a file, where nothing but a file HEAD makes a repository of what is around it. */
static int is_other_folder(const struct name_view *view, const char *folder) {
  if (view->up == NULL) return S_ISDIR(view->lo->st_mode);
  if (!S_ISDIR(view->up->st_mode)) return 0;
  return !is_repository_by_name(folder) && (view->lo == NULL || S_ISDIR(view->lo->st_mode));
}

struct judgement judge_git(const struct name_view *view, const char *full) {
  char folder[8192], part[512];
  const struct stat *status = view->up != NULL ? view->up : view->lo;
  const char *name = view->name, *kind;
  take_folder(view->path, 1, folder);
  if (strcmp(name, ".git") == 0 && view->up != NULL && !S_ISDIR(status->st_mode))
    return S_ISREG(status->st_mode) ? judge_link_file(view, full) : hold(".git");
  if (strcmp(name, ".gitmodules") == 0 && is_listed_settings(view->stage, full)) {
    char above[8192];
    take_folder(full, 1, above);
    return S_ISREG(status->st_mode) ? judge_config(view, full, above) : hold(name);
  }
  if ((kind = find_folder(view)) != NULL) return judge_hook(view, kind);
  if (is_index_name(name) && is_git_folder(view, folder)) return judge_index(view, folder);
  // Names that make a repository of what is there.
  int is_new = view->up != NULL && view->lo == NULL;
  if (is_new && strcmp(name, "HEAD") == 0 && has_unjudged_parts(view, folder)) return hold(name);
  for (int levels = 1; levels <= 2; levels++) {
    take_folder(view->path, levels, folder);
    snprintf(part, sizeof part, "%.500s", view->path + (folder[0] == 0 ? 0 : strlen(folder) + 1));
    int is_part = is_inert_git_file(part, "", 0, "/") >= 0;
    if (!is_part || !is_git_folder(view, folder) || is_other_folder(view, folder)) continue;
    char absolute[8192];
    snprintf(absolute, sizeof absolute, "%.*s", (int)(strlen(full) - strlen(part) - 1), full);
    if (strcmp(part, "commondir") == 0) {
      take_folder(view->path, 3, folder);
      if (has_unjudged_parts(view, folder)) return hold(name);
    }
    return S_ISREG(status->st_mode) ? judge_part(view, part, full, absolute) : hold(name);
  }
  return LANDS;
}

int is_in_repository(const struct name_view *view) {
  char folder[8192];
  for (int levels = 1;; levels++) {
    take_folder(view->path, levels, folder);
    if (is_called_git(folder) || (exists_in_any(view, folder, "objects") && exists_in_any(view, folder, "refs"))) return 1;
    if (folder[0] == 0) return 0;
  }
}
