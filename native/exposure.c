// The kernel reports at once when a mount of the command's namespace is removed; its parent folder reports when a folder was
// moved or a hidden file appeared. Both only trigger a check: the mount table and the disk decide.

#define _GNU_SOURCE
#include "exposure.h"
#include "folder-watch.h"
#include "keeper.h"
#include "laid-paths.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/** Most commands have ended by then, and need not pay for watches. */
#define ARM_MS 100
/** If folders cannot be watched. */
#define LOOK_MS 1000
#define SOON_MS 2
#define MAX_NAMELESS 100
#define MAX_TABLE (8u << 20)
#define CHANGES (IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_MOVE_SELF | IN_DELETE_SELF | IN_ONLYDIR)

static int mounts = -1;
static struct folder_watch watcher = {.fd = -1, .changes = CHANGES};
static int is_armed;
static uint64_t look_at;
static unsigned nameless;

// The sizes of files in /proc are not known in advance.
static char *read_table(void) {
  size_t size = 0, room = 16384;
  char *text = malloc(room);
  if (text == NULL || lseek(mounts, 0, SEEK_SET) < 0) {
    free(text);
    return NULL;
  }
  for (;;) {
    ssize_t count = read(mounts, text + size, room - size - 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    size += (size_t)count;
    if (room - size > 4096) continue;
    char *more = room < MAX_TABLE ? realloc(text, room * 2) : NULL;
    if (more == NULL) {
      free(text);
      return NULL;
    }
    text = more;
    room *= 2;
  }
  text[size] = 0;
  return text;
}

/** The table, which must be freed; 0 if it cannot be read. */
static int read_places(struct mount_places *table) {
  char *text = read_table();
  *table = (struct mount_places){.text = NULL};
  if (text != NULL && mount_places_begin(table, text)) return 1;
  if (table->text == NULL) free(text);
  mount_places_end(table);
  return 0;
}

/** Read-only inside a writable folder; a path that is only shown there protects nothing. */
static int is_guard(const struct laid_paths *laid, const struct confine_entry *entry) {
  if (entry->kind != ENTRY_READ_ONLY) return 0;
  const struct confine_entry *around = laid_above(laid, entry->path);
  return around != NULL && confine_is_writable(around->kind);
}

// The mounts are removed a moment before the name: a file without a name is being deleted, and its replacement must be
// checked when it exists.
static int is_there(const char *path) {
  struct stat status;
  if (stat(path, &status) < 0) return 0;
  // Some file systems do not count names.
  if (status.st_nlink > 0 || ++nameless > MAX_NAMELESS) return 1;
  look_at = now_ms() + SOON_MS;
  return 0;
}

static int has_parent(const char *path) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (slash == NULL || slash == folder) return 1;
  *slash = 0;
  return is_there(folder);
}

static int is_in_writable(const struct laid_paths *laid, const struct mount_places *table, const char *path) {
  for (const struct confine_entry *around = laid_above(laid, path); around != NULL; around = laid_above(laid, around->path))
    if (confine_is_writable(around->kind) && is_mount_place(table, around->path)) return 1;
  return 0;
}

// A place that lost its mount is exposed if something exists there. A folder that was moved as a whole, with its
// mounts, is as well protected as before.
static int is_lost(const struct laid_paths *laid, const struct confine_entry *entry, const struct mount_places *table) {
  if (is_mount_place(table, entry->path)) return 0;
  if (entry->kind == ENTRY_READ_ONLY) return is_in_writable(laid, table, entry->path) && has_parent(entry->path);
  const struct confine_entry *around = laid_above(laid, entry->path);
  // Inside, another folder is there, or the parent through which it would be seen is itself gone.
  if (around != NULL && (around->kind == ENTRY_EMPTY || around->kind == ENTRY_BIND)) return 0;
  // Hidden with the parent folder, and exposed only with that.
  if (around != NULL && around->kind == ENTRY_MASK) return 0;
  if (around != NULL && !confine_is_writable(around->kind) && !is_mount_place(table, around->path)) return 0;
  return is_there(entry->path);
}

static void expose(struct task *task, enum exposed how, const char *path) {
  if (task->exposed != NULL) return;
  task->exposed = path;
  task->exposed_how = how;
  report_exposed(task, how, path);
  // Immediately: it could use any remaining time.
  end_task(task, CAUSE_EXPOSED, 0);
}

static void look_for_new(struct task *task, const struct confine_entry *entry) {
  for (const char *path = entry->path; path < entry->end; path = confine_next_path(path))
    if (is_there(path)) expose(task, EXPOSED_APPEARED, path);
}

void exposure_note(struct task *task, const char *path) {
  const struct confinement *confinement = task->request.confinement;
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (entry->kind != ENTRY_UNSEEN) continue;
    for (const char *hidden = entry->path; hidden < entry->end; hidden = confine_next_path(hidden))
      if (strcmp(hidden, path) == 0 || confine_is_below(hidden, path) || confine_is_below(path, hidden))
        expose(task, EXPOSED_APPEARED, path);
  }
}

static void look_for_all_new(struct task *task) {
  const struct confinement *confinement = task->request.confinement;
  for (size_t i = 0; i < confinement->count && task->exposed == NULL; i++)
    if (confinement->entries[i].kind == ENTRY_UNSEEN) look_for_new(task, &confinement->entries[i]);
}

/** The first name of an overlay, and the next one; NULL after the last. */
static const char *next_name(const struct confinement *confinement, const struct confine_entry *overlay, const char *last) {
  int is_after = last == NULL;
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (entry->kind != ENTRY_COVERED) continue;
    for (const char *path = entry->path; path < entry->end; path = confine_next_path(path)) {
      if (is_after && confine_is_below(path, overlay->path)) return path;
      is_after = is_after || path == last;
    }
  }
  return NULL;
}

// Names without their overlay are as exposed as names without their mounts. It stays on its folder if that is renamed, and is
// gone if that is deleted.
static void look_below(struct task *task, const struct confine_entry *overlay, const struct mount_places *table) {
  const struct confinement *confinement = task->request.confinement;
  char target[PATH_MAX];
  if (is_overlay_place(table, overlay->path)) return;
  for (const char *path = NULL; (path = next_name(confinement, overlay, path)) != NULL;) {
    int is_hidden = realpath(path, target) != NULL && is_mount_place(table, target);
    if (!is_hidden && is_there(path)) expose(task, EXPOSED_HIDDEN, path);
  }
}

static void look_at_mounts(struct task *task, const struct laid_paths *laid, const struct mount_places *table) {
  const struct confinement *confinement = task->request.confinement;
  for (size_t i = 0; i < confinement->count && task->exposed == NULL; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (entry->kind == ENTRY_OVERLAY) look_below(task, entry, table);
    if (entry->kind != ENTRY_MASK && !is_guard(laid, entry)) continue;
    if (!is_lost(laid, entry, table)) continue;
    enum exposed how = entry->kind == ENTRY_MASK ? EXPOSED_HIDDEN : EXPOSED_PROTECTED;
    expose(task, how, entry->path);
  }
}

static void look(struct task *task) {
  const struct confinement *confinement = task->request.confinement;
  look_for_all_new(task);
  if (mounts < 0) return;
  struct laid_paths laid;
  struct mount_places table;
  int is_known = read_places(&table);
  if (is_known) {
    if ((is_known = laid_begin(&laid, confinement))) {
      look_at_mounts(task, &laid, &table);
      laid_end(&laid);
    }
    mount_places_end(&table);
  }
  // If the table cannot be read, nothing is known, and the guarantee is not reported as held.
  if (!is_known) expose(task, EXPOSED_UNKNOWN, "");
}

// A folder anywhere above an overlay may be renamed, and another one made in its place.
static void watch_overlay(const struct confinement *confinement, const struct confine_entry *overlay, const struct mount_places *table) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s", overlay->path);
  for (char *slash; (slash = strrchr(folder, '/')) != NULL; *slash = 0) folder_watch_add(&watcher, folder);
  if (table == NULL || is_overlay_place(table, overlay->path)) return;
  for (const char *path = NULL; (path = next_name(confinement, overlay, path)) != NULL;) folder_watch_add(&watcher, path);
}

static void watch_overlays(const struct confinement *confinement) {
  struct mount_places table;
  if (confine_count(confinement, ENTRY_OVERLAY) == 0) return;
  int is_known = mounts >= 0 && read_places(&table);
  for (size_t i = 0; i < confinement->count; i++)
    if (confinement->entries[i].kind == ENTRY_OVERLAY)
      watch_overlay(confinement, &confinement->entries[i], is_known ? &table : NULL);
  if (is_known) mount_places_end(&table);
}

static void watch_all(const struct confinement *confinement) {
  struct laid_paths laid = {.count = 0};
  int has_guards = mounts >= 0 && laid_begin(&laid, confinement);
  watcher.is_partial = mounts >= 0 && !has_guards;
  watch_overlays(confinement);
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (entry->kind == ENTRY_UNSEEN)
      for (const char *path = entry->path; path < entry->end; path = confine_next_path(path)) folder_watch_add(&watcher, path);
    else if (mounts >= 0 && (entry->kind == ENTRY_MASK || (has_guards && is_guard(&laid, entry)))) folder_watch_add(&watcher, entry->path);
  }
  if (has_guards) laid_end(&laid);
}

// Watch first, then check: a change in between is seen twice, not missed.
static void arm(struct task *task) {
  is_armed = 1;
  watcher.is_partial = 0;
  if (folder_watch_open(&watcher)) watch_all(task->request.confinement);
  look_at = watcher.fd < 0 || watcher.is_partial ? now_ms() + LOOK_MS : 0;
  look(task);
}

// A check for another reason does not postpone the first full check.
static void look_between(struct task *task) {
  uint64_t due = look_at;
  look_at = 0;
  look(task);
  if (look_at == 0 || (due != 0 && due < look_at)) look_at = due;
}

/** Whether a name occurs in one of the paths. Folders like home and .git are busy, and a check costs more. */
static int is_named(const struct confinement *confinement, const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    int is_list = entry->kind == ENTRY_UNSEEN || entry->kind == ENTRY_COVERED;
    int is_place = entry->kind == ENTRY_MASK || entry->kind == ENTRY_READ_ONLY || entry->kind == ENTRY_OVERLAY;
    if (!is_list && !is_place) continue;
    const char *end = is_list ? entry->end : entry->path + 1;
    for (const char *path = entry->path; path < end; path = confine_next_path(path))
      for (const char *at = path; (at = strchr(at, '/')) != NULL;) {
        at++;
        if (strncmp(at, name, length) == 0 && (at[length] == '/' || at[length] == 0)) return 1;
      }
  }
  return 0;
}

void exposure_begin(struct task *task) {
  char path[64];
  const struct confinement *confinement = task->request.confinement;
  is_armed = 0;
  look_at = 0;
  nameless = 0;
  if (confinement == NULL) return;
  size_t laid = confine_count(confinement, ENTRY_MASK) + confine_count(confinement, ENTRY_READ_ONLY) +
                confine_count(confinement, ENTRY_OVERLAY);
  if (task->command.has_init && laid > 0) {
    snprintf(path, sizeof path, "/proc/%d/mountinfo", task->command.pid);
    mounts = open(path, O_RDONLY | O_CLOEXEC);
    // EINVAL: it has no namespaces any more. The first process that ends takes all others of its namespace with it, and that of
    // a command in a room ends when no other is left; then its PID means nothing.
    int is_unread = mounts < 0 && errno != EINVAL, is_over = !spawned_has_init(&task->command);
    if (is_over && mounts >= 0) close(mounts);
    if (is_over) mounts = -1;
    if (is_unread && !is_over) report_exposed(task, EXPOSED_UNKNOWN, "");
  }
  if (mounts >= 0 || confine_count(confinement, ENTRY_UNSEEN) > 0) look_at = now_ms() + ARM_MS;
}

void exposure_polls(struct pollfd polls[EXPOSURE_POLLS]) {
  polls[0] = (struct pollfd){mounts, POLLPRI, 0};
  polls[1] = (struct pollfd){is_armed ? watcher.fd : -1, POLLIN, 0};
}

uint64_t exposure_at(void) { return look_at; }

void exposure_hear(struct task *task, const struct pollfd polls[EXPOSURE_POLLS]) {
  const struct confinement *confinement = task->request.confinement;
  if (confinement == NULL || task->exposed != NULL) return;
  int is_due = look_at != 0 && now_ms() >= look_at;
  int is_hinted = polls[1].revents != 0 && folder_watch_read(&watcher, is_named, confinement);
  if (is_due || is_hinted) arm(task);
  else if (polls[0].revents & (POLLPRI | POLLERR)) look_between(task);
}

void exposure_finish(struct task *task) {
  struct pollfd polls[EXPOSURE_POLLS];
  exposure_polls(polls);
  // It ended before anything was watched.
  if (task->request.confinement != NULL && !is_armed) look_for_all_new(task);
  if (task->request.confinement != NULL && poll(polls, EXPOSURE_POLLS, 0) > 0) {
    look_at = 0;
    exposure_hear(task, polls);
  }
  look_at = 0;
}

void exposure_end(void) {
  folder_watch_clear(&watcher);
  if (mounts >= 0) close(mounts);
  mounts = -1;
  look_at = 0;
  is_armed = 0;
}
