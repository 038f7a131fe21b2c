// Walks every writable folder, upper levels first, by descriptors and without following links. It is limited by
// time and by count; where it stops is reported, since nothing is known about the rest.

#define _GNU_SOURCE
#include "sweep.h"
#include "keeper.h"
#include "reach.h"
#include "undo.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FOLDERS 300000u
#define MAX_SWEEP_MS 1500u
#define BENEATH 0x08u

/** A folder still to be searched, by its path below the swept one. */
struct queued {
  char *path;
  int is_parent_moved, is_parent_touched;
};

struct queue {
  struct queued *folders;
  size_t next, count, capacity;
};

static unsigned folders_left;
static uint64_t until;
static struct queue queue;
/** Before the start: existing names are recorded, and nothing is checked. */
static int is_surveying;

int sweep_is_wanted(const struct task *task) {
  const struct confinement *confinement = task->request.confinement;
  if (confinement == NULL) return 0;
  return confine_count(confinement, ENTRY_SWEEP) + confine_count(confinement, ENTRY_SWEEP_PARTLY) > 0;
}

int is_any(const char *name, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(name, names[i]) == 0) return 1;
  return 0;
}

int is_at_or_below(const char *path, const char *folder) {
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == 0 || path[length] == '/' || length == 1);
}

int sweep_covers(const struct task *task, const char *path) {
  const struct confinement *confinement = task->request.confinement;
  for (size_t i = 0; i < confinement->count; i++) {
    enum confine_kind kind = confinement->entries[i].kind;
    if ((kind == ENTRY_SWEEP || kind == ENTRY_SWEEP_PARTLY) && is_at_or_below(path, confinement->entries[i].path)) return 1;
  }
  return 0;
}

int sweep_spend(void) {
  if (folders_left == 0 || (folders_left % 64 == 0 && now_ms() > until)) return folders_left = 0;
  folders_left--;
  return 1;
}

struct folder {
  struct task *task;
  int fd;
  /** Its absolute path, and its path below the swept folder. */
  const char *path, *below;
  struct file_status status;
  /** The command may have moved it, or a parent folder, here with everything in it: the kernel updates the time of the moved
   * folder, but not of its content. A move changes the folder and its parent. */
  int is_moved;
  int is_touched;
};

static int push(const struct folder *folder, const char *name) {
  if (queue.count == queue.capacity) {
    size_t capacity = queue.capacity > 0 ? 2 * queue.capacity : 256;
    struct queued *folders = realloc(queue.folders, capacity * sizeof *folders);
    if (folders == NULL) return 0;
    queue.folders = folders;
    queue.capacity = capacity;
  }
  char *path = NULL;
  size_t size = strlen(folder->below) + strlen(name) + 2;
  // Neither git nor an editor works at a longer path. What is moved from there to a shorter one counts as new.
  if (size > 4096 || (path = malloc(size)) == NULL) return 0;
  strcpy(path, folder->below);
  if (folder->below[0] != 0) strcat(path, "/");
  strcat(path, name);
  queue.folders[queue.count++] = (struct queued){path, folder->is_moved, folder->is_touched};
  return 1;
}

static void empty_queue(void) {
  while (queue.next < queue.count) free(queue.folders[queue.next++].path);
  free(queue.folders);
  queue = (struct queue){0};
}

/** Whether anything in a small tree was created by the command; a large one counts as such. */
static int is_tree_touched(int folder, const char *name, int depth, unsigned *left) {
  struct file_status status;
  if (*left == 0 || depth > 16 || sweep_look(folder, name, &status) < 0 || sweep_is_touched(&status)) return 1;
  --*left;
  if (!S_ISDIR(status.mode)) return 0;
  int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), is_touched = 0;
  DIR *names = fd < 0 ? NULL : fdopendir(fd);
  // Closed before the command, since its mode has not changed.
  if (names == NULL) return 0;
  for (struct dirent *entry; !is_touched && (entry = readdir(names)) != NULL;)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      is_touched = is_tree_touched(fd, entry->d_name, depth + 1, left);
  closedir(names);
  return is_touched;
}

/** What the names in one folder show. */
struct shape {
  int has_git, has_head, has_objects, has_refs, has_common;
};

static void note_name(struct shape *shape, const char *name) {
  if (strcmp(name, ".git") == 0) shape->has_git = 1;
  else if (strcmp(name, "HEAD") == 0) shape->has_head = 1;
  else if (strcmp(name, "objects") == 0) shape->has_objects = 1;
  else if (strcmp(name, "refs") == 0) shape->has_refs = 1;
  else if (strcmp(name, "commondir") == 0) shape->has_common = 1;
}

int join_path(char *text, size_t size, const char *folder, const char *name) {
  int length = snprintf(text, size, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
  return length > 0 && (size_t)length < size;
}

static void note_unseen(struct task *task, const char *folder, const char *name) {
  char path[8192];
  if (is_surveying) {
    survey_cut();
    return;
  }
  snprintf(path, sizeof path, "%.4090s%s%.4090s", folder, name[0] == 0 ? "" : "/", name);
  report_undone(task, UNDONE_UNSEEN, path, "");
}

static void look_at_name(const struct folder *folder, const char *name, int may_be_folder) {
  char path[8192];
  struct file_status status;
  // In the swept folder itself the plan protects these names.
  int is_protected = folder->below[0] != 0 && is_taken_name(folder->path, name);
  if ((!is_protected && !may_be_folder) || sweep_look(folder->fd, name, &status) < 0) return;
  if (!join_path(path, sizeof path, folder->path, name)) return;
  if (is_protected && !sweep_is_kept(path) && !is_in_packages(folder->task->request.confinement, folder->below)) {
    unsigned left = 1000;
    if (is_surveying) survey_note(path, &status);
    else if (sweep_is_new(path, &status, folder->is_moved) ||
             (!sweep_is_partly_known() && is_tree_touched(folder->fd, name, 0, &left)))
      undo_take(folder->task, folder->fd, path);
    return;
  }
  if (!S_ISDIR(status.mode)) return;
  // Everything that existed in an opened folder: a whole home could be below. Folders in it that are writable nevertheless are
  // swept by themselves.
  if (folder->below[0] == 0 && sweep_is_read_only(path)) return;
  int is_other = status.device_major != folder->status.device_major || status.device_minor != folder->status.device_minor;
  int trust = sweep_trust_in(&status);
  // Nothing was created in or moved into a folder without subfolders that has not changed and was not moved, and its content
  // before the plan is known. The plan may be some seconds old.
  int has_folders = !(trust & TRUST_LINKS) || status.links != 2;
  if (!is_surveying && !has_folders && !folder->is_moved && sweep_is_settled(&status)) return;
  if ((is_other && (trust & TRUST_NO_ANSWER)) || !push(folder, name)) note_unseen(folder->task, folder->path, name);
}

// A new link changes its folder.
static void look_at_link(const struct folder *folder, const char *name) {
  char path[8192];
  struct file_status status;
  if (is_surveying || !(folder->is_touched || folder->is_moved)) return;
  if (sweep_look(folder->fd, name, &status) < 0 || !S_ISLNK(status.mode)) return;
  if (!folder->is_moved && !sweep_is_touched(&status)) return;
  if (!join_path(path, sizeof path, folder->path, name) || sweep_is_kept(path)) return;
  if (sweep_is_bad_link(folder->task, folder->fd, path)) undo_take(folder->task, folder->fd, path);
}

/** As the kernel writes it. */
struct name_entry {
  uint64_t inode;
  int64_t offset;
  uint16_t size;
  uint8_t type;
  char name[];
};

static void note_entry(const struct folder *folder, struct shape *shape, const struct name_entry *entry) {
  const char *name = entry->name;
  if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return;
  note_name(shape, name);
  if (entry->type == DT_LNK || entry->type == DT_UNKNOWN) look_at_link(folder, name);
  // In a `.git` as well: another repository may be stored there.
  look_at_name(folder, name, entry->type == DT_DIR || entry->type == DT_UNKNOWN);
}

/** In an opened folder, files of any age can become the settings of a new repository, and those that exist are kept. */
static void judge_new_shape(const struct folder *folder) {
  static const char *const SETTINGS[] = {"config", "config.worktree", "hooks", "commondir"};
  static const char *const SHAPE[] = {"HEAD", "commondir", "objects", "refs"};
  char path[8192];
  struct file_status status;
  int is_kept = 0;
  if (!sweep_is_partly_known() || !sweep_is_new(folder->path, &folder->status, 0)) return;
  for (size_t i = 0; i < sizeof SETTINGS / sizeof *SETTINGS && !is_kept; i++)
    is_kept = sweep_look(folder->fd, SETTINGS[i], &status) == 0 && join_path(path, sizeof path, folder->path, SETTINGS[i]) &&
              sweep_is_kept(path);
  for (size_t i = 0; i < sizeof SHAPE / sizeof *SHAPE && is_kept; i++)
    if (sweep_look(folder->fd, SHAPE[i], &status) == 0 && join_path(path, sizeof path, folder->path, SHAPE[i]) &&
        !sweep_is_kept(path))
      undo_take(folder->task, folder->fd, path);
}

// Without readdir(3), which makes four times as many system calls per folder as needed.
static void look_into(const struct folder *folder) {
  static char names[64u << 10] __attribute__((aligned(8)));
  struct shape shape = {0};
  char path[8192];
  struct file_status status;
  long count;
  while ((count = syscall(SYS_getdents64, folder->fd, names, sizeof names)) > 0)
    for (long at = 0; at < count;) {
      const struct name_entry *entry = (const void *)(names + at);
      at += entry->size;
      note_entry(folder, &shape, entry);
    }
  if (count < 0) note_unseen(folder->task, folder->path, "");
  if (shape.has_git && sweep_look(folder->fd, ".git", &status) == 0 && join_path(path, sizeof path, folder->path, ".git")) {
    if (is_surveying) survey_note(path, &status);
    else judge_dot_git(folder->task, folder->fd, path, &status, folder->is_moved);
  }
  // Without HEAD it is not a repository on its own, but can be the shared part of others.
  int is_git = (shape.has_objects && shape.has_refs) || (shape.has_head && shape.has_common);
  if (!is_git || strcmp(strrchr(folder->path, '/'), "/.git") == 0) return;
  if (is_surveying) {
    survey_note(folder->path, &folder->status);
    return;
  }
  if (folder->below[0] == 0) judge_new_shape(folder);
  judge_git_folder(folder->task, folder->fd, folder->path, folder->is_moved);
}

// A folder closed to us, and not ours, was closed to the command too; if it could be traversed, something may be below it.
static int is_shut(const struct reach *reach) {
  return reach->fd < 0 || faccessat(reach->fd, ".", X_OK, AT_EACCESS) < 0;
}

static void visit(struct task *task, const char *root, int root_fd, const struct queued *queued) {
  char path[8192];
  const char *below = queued->path;
  struct reach reach = {.fd = -1};
  struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | BENEATH};
  int fd = (int)syscall(SYS_openat2, root_fd, below[0] == 0 ? "." : below, &how, sizeof how), error = errno;
  snprintf(path, sizeof path, "%s%s%s", strcmp(root, "/") == 0 ? "" : root, below[0] == 0 ? "" : "/", below);
  if (fd < 0 && error == EACCES) {
    if (reach_folder(path, &reach) >= 0) fd = reach_list(&reach);
    error = errno;
  }
  struct folder folder = {.task = task, .fd = fd, .path = path, .below = below};
  int is_seen = fd >= 0 && sweep_look(fd, "", &folder.status) == 0;
  if (is_seen) {
    folder.is_touched = sweep_is_touched(&folder.status);
    folder.is_moved = queued->is_parent_moved || (queued->is_parent_touched && folder.is_touched);
    look_into(&folder);
  }
  // It vanished, or was replaced: then it belonged to the command, or to a process outside, and does not exist.
  else if (fd >= 0 || (error != ENOENT && error != ENOTDIR && error != ELOOP && !(error == EACCES && is_shut(&reach))))
    note_unseen(task, path, "");
  if (fd >= 0) close(fd);
  reach_end(&reach);
}

static void sweep_root(struct task *task, const char *root) {
  struct reach reach;
  const struct folder none = {.below = ""};
  if (reach_folder(root, &reach) >= 0 && push(&none, "")) {
    while (queue.next < queue.count && sweep_spend()) {
      struct queued queued = queue.folders[queue.next++];
      visit(task, root, reach.fd, &queued);
      free(queued.path);
    }
    if (queue.next < queue.count) note_unseen(task, root, queue.folders[queue.next].path);
  } else if (errno != ENOENT && errno != ENOTDIR) note_unseen(task, root, "");
  empty_queue();
  reach_end(&reach);
}

static void walk_all(struct task *task, int are_all_swept) {
  const struct confinement *confinement = task->request.confinement;
  folders_left = MAX_FOLDERS;
  until = now_ms() + MAX_SWEEP_MS;
  sweep_follow_clock();
  swept_names_begin(task->request.confinement);
  kept_paths_begin(task->request.confinement);
  for (size_t i = 0; i < confinement->count; i++) {
    enum confine_kind kind = confinement->entries[i].kind;
    if (kind != ENTRY_SWEEP_PARTLY && (kind != ENTRY_SWEEP || !are_all_swept)) continue;
    sweep_set_partly_known(kind == ENTRY_SWEEP_PARTLY);
    sweep_root(task, confinement->entries[i].path);
  }
}

void sweep(struct task *task) { walk_all(task, 1); }

/** A repository that the plan knows, and the folders in it whose content is checked. */
static void note_repository(const char *path) {
  static const char *const FOLDERS[] = {"rebase-merge", "rebase-apply", "sequencer", "hooks", "remotes", "branches", "modules", "worktrees"};
  char folder[8192];
  struct file_status status;
  int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  // A file of that name in a folder that was opened is no repository, and must not become one.
  if (fd >= 0 && sweep_look(fd, "HEAD", &status) == 0) {
    if (sweep_look(AT_FDCWD, path, &status) == 0) survey_note(path, &status);
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++)
      if (sweep_look(fd, FOLDERS[i], &status) == 0 && join_path(folder, sizeof folder, path, FOLDERS[i])) survey_note(folder, &status);
  }
  if (fd >= 0) close(fd);
}

/** By their settings, which the plan protects; those of worktrees by the link to their repository. */
static void note_repositories(const struct task *task) {
  static const char *const NAMES[] = {"config", "commondir"};
  const struct confinement *confinement = task->request.confinement;
  char folder[8192];
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (entry->kind != ENTRY_READ_ONLY && entry->kind != ENTRY_KEPT) continue;
    const char *slash = strrchr(entry->path, '/');
    if (slash == NULL || !is_any(slash + 1, NAMES, sizeof NAMES / sizeof *NAMES)) continue;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - entry->path), entry->path);
    note_repository(folder);
  }
}

// If the plan has not searched everything, this must: otherwise a user who works in their own repository would lose it.
void sweep_begin(struct task *task) {
  sweep_begin_times();
  if (!sweep_is_wanted(task)) return;
  is_surveying = 1;
  walk_all(task, 0);
  is_surveying = 0;
  note_repositories(task);
}
