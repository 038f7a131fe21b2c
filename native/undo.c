// Which names appeared, and where they are: parent folders are watched while the command runs, and every name is looked at
// again when it has ended, so that nothing depends on the watching. A link on the way to a name counts as the name.

#define _GNU_SOURCE
#include "undo.h"
#include "confine-calls.h"
#include "keeper.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/** Whoever makes a name again and again: after so many times what it makes is removed, and nobody is told. */
#define MAX_TOLD 64
#define MAX_WATCHES 64
#define CHANGES (IN_CREATE | IN_MOVED_TO | IN_MOVE_SELF | IN_DELETE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW)

/** A name in a folder that was reached without following a link. */
struct place {
  int folder;
  char name[256];
  char path[4096];
};

/** Kept for the next task: to close it takes the kernel milliseconds. */
static int watcher = -1;
static int watches[MAX_WATCHES];
static size_t watch_count;
static unsigned told;

static int open_folder(const char *path) {
  struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
  return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

/** Cuts the last part off; what is left is a folder. */
static int split(const char *path, struct place *place) {
  size_t length = strlen(path);
  const char *slash = strrchr(path, '/');
  if (length >= sizeof place->path || slash == NULL || strlen(slash + 1) >= sizeof place->name) return 0;
  memcpy(place->path, path, length + 1);
  strcpy(place->name, slash + 1);
  place->path[slash == path ? 1 : slash - path] = 0;
  return 1;
}

static int is_there(const struct place *place) {
  struct stat status;
  return fstatat(place->folder, place->name, &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

/** 1 with the place of the name, or of a link on the way to it; 0 when there is neither. The folder is the caller's. */
static int find(const char *path, struct place *place) {
  char text[4096];
  if (!split(path, place)) return 0;
  if ((place->folder = open_folder(place->path)) >= 0) {
    if (is_there(place)) return 1;
    close(place->folder);
    return 0;
  }
  if (errno != ELOOP) return 0;
  // The link is the first part that cannot be entered.
  snprintf(text, sizeof text, "%s", path);
  for (char *slash = strchr(text + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    int fd = open_folder(text), error = errno;
    if (fd >= 0) close(fd);
    else if (error != ELOOP || !split(text, place) || (place->folder = open_folder(place->path)) < 0) return 0;
    else return 1;
    *slash = '/';
  }
  return 0;
}

int undo_begin(const struct confinement *confinement) {
  struct place place;
  told = 0;
  for (size_t i = 0; confinement != NULL && i < confinement->count; i++) {
    if (confinement->entries[i].kind != ENTRY_ABSENT || !find(confinement->entries[i].path, &place)) continue;
    close(place.folder);
    return EEXIST;
  }
  return 0;
}

static int open_quarantine(const struct confinement *confinement, const char **path) {
  for (size_t i = 0; i < confinement->count; i++) {
    if (confinement->entries[i].kind != ENTRY_QUARANTINE) continue;
    *path = confinement->entries[i].path;
    mkdir(*path, 0700);
    return open_folder(*path);
  }
  return -1;
}

// The folder may have been closed to us by the command, which runs as the same user.
static int take_away(struct place *place, int quarantine, const char *as, int *was_kept) {
  char path[64];
  struct stat status;
  if (move_away(place->folder, place->name, quarantine, as, was_kept)) return 1;
  snprintf(path, sizeof path, "/proc/self/fd/%d", place->folder);
  if (fstat(place->folder, &status) < 0 || chmod(path, (status.st_mode & 07777) | 0700) < 0) return 0;
  int is_gone = move_away(place->folder, place->name, quarantine, as, was_kept);
  chmod(path, status.st_mode & 07777);
  return is_gone;
}

static void undo(struct task *task, struct place *place) {
  char as[320], name[4400], moved[4800];
  const char *folder = "";
  int was_kept = 0, quarantine = told < MAX_TOLD ? open_quarantine(task->request.confinement, &folder) : -1;
  snprintf(as, sizeof as, "%llu-%d-%u-%s", (unsigned long long)wall_ms(), getpid(), told, place->name);
  int is_gone = take_away(place, quarantine, as, &was_kept);
  if (quarantine >= 0) close(quarantine);
  if (told++ >= MAX_TOLD) return;
  snprintf(name, sizeof name, "%s%s%s", place->path, strcmp(place->path, "/") == 0 ? "" : "/", place->name);
  snprintf(moved, sizeof moved, "%s/%s", folder, as);
  report_undone(task, !is_gone ? UNDONE_LEFT : was_kept ? UNDONE_MOVED : UNDONE_REMOVED, name, was_kept ? moved : "");
}

static void look_for_all(struct task *task) {
  const struct confinement *confinement = task->request.confinement;
  struct place place;
  for (size_t i = 0; i < confinement->count; i++) {
    if (confinement->entries[i].kind != ENTRY_ABSENT || !find(confinement->entries[i].path, &place)) continue;
    undo(task, &place);
    close(place.folder);
  }
}

static void note_watch(int watch) {
  for (size_t i = 0; i < watch_count; i++)
    if (watches[i] == watch) return;
  if (watch_count < MAX_WATCHES) watches[watch_count++] = watch;
  else inotify_rm_watch(watcher, watch);
}

// The nearest folder that is there: a name whose folder is missing begins with that.
static void watch(const char *path) {
  char text[4096];
  snprintf(text, sizeof text, "%s", path);
  for (char *slash; (slash = strrchr(text, '/')) != NULL && slash > text;) {
    *slash = 0;
    int watch = inotify_add_watch(watcher, text, CHANGES);
    if (watch >= 0) note_watch(watch);
    if (watch >= 0 || (errno != ENOENT && errno != ENOTDIR)) return;
  }
}

static void watch_all(const struct confinement *confinement) {
  for (size_t i = 0; i < confinement->count; i++)
    if (confinement->entries[i].kind == ENTRY_ABSENT) watch(confinement->entries[i].path);
}

int undo_watch(struct task *task) {
  const struct confinement *confinement = task->request.confinement;
  if (confinement == NULL || confine_count(confinement, ENTRY_ABSENT) == 0) return -1;
  if (watcher < 0) watcher = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (watcher >= 0) undo_hear(task);
  return watcher;
}

// Watched first, then looked for: what comes in between is seen once more, not missed.
void undo_hear(struct task *task) {
  char events[4096] __attribute__((aligned(8)));
  while (read(watcher, events, sizeof events) > 0) continue;
  watch_all(task->request.confinement);
  look_for_all(task);
}

void undo_finish(struct task *task) {
  for (size_t i = 0; i < watch_count; i++) inotify_rm_watch(watcher, watches[i]);
  watch_count = 0;
  if (task->request.confinement != NULL && confine_count(task->request.confinement, ENTRY_ABSENT) > 0) look_for_all(task);
}
