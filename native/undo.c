// Which names appeared, and where they are: parent folders are watched while the command runs, and every name is checked
// again when it has ended, so that nothing depends on the watches. A link on the way to a name counts as the name.

#define _GNU_SOURCE
#include "undo.h"
#include "exposure.h"
#include "folder-watch.h"
#include "keeper.h"
#include "reach.h"
#include "settings.h"
#include "sweep.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/** For a name created again and again: after this many times it is removed without a report. */
#define MAX_TOLD 256
/** A name that is created again and again leaves room for others. */
#define MAX_TOLD_OF_ONE 4
/** Names in other folders are looked for anew. */
#define MAX_SEARCHED 8
#define CHANGES (IN_CREATE | IN_MOVED_TO | IN_MOVE_SELF | IN_DELETE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW)

/** The folder found for one name: the next name is nearly always in the same one. */
struct place {
  struct reach reach;
  char folder[4096];
  int error;
  /** No name in it is new. */
  int is_unchanged;
};

/** A folder that names were looked for in, and not found, before the command ran. */
struct searched {
  uint32_t device_major, device_minor;
  uint64_t inode;
};

/** If some folders are not watched, every event is a reason to check all names. */
static struct folder_watch watcher = {.fd = -1, .changes = CHANGES};
static unsigned told;
/** Of these. Usually the project is the only one. */
static struct searched searched[MAX_SEARCHED];
static size_t searched_count;
/** Hashes of what was told. */
static uint64_t told_paths[MAX_TOLD];

static const char *name_in(const char *path) { return strrchr(path, '/') + 1; }

/** The part of the path before its last name; 0 if that is impossible. */
static int folder_of(const char *path, char *folder, size_t size) {
  size_t length = (size_t)(name_in(path) - path);
  if (length > size) return 0;
  memcpy(folder, path, length);
  folder[length > 1 ? length - 1 : length] = 0;
  return 1;
}

static void leave_place(struct place *place) {
  if (place->folder[0] == 0) return;
  reach_end(&place->reach);
  place->folder[0] = 0;
}

static int is_searched(const struct file_status *status, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (searched[i].device_major == status->device_major && searched[i].device_minor == status->device_minor && searched[i].inode == status->inode)
      return 1;
  return 0;
}

/** How many there are then. */
static size_t note_searched(const struct place *place, size_t count) {
  struct file_status status;
  if (place->error != 0 || count == MAX_SEARCHED || sweep_look(place->reach.fd, "", &status) < 0 || is_searched(&status, count)) return count;
  searched[count] = (struct searched){status.device_major, status.device_minor, status.inode};
  return count + 1;
}

// The kernel dates a folder whenever a name is added to it, and no program can set that time.
static int is_unchanged(const struct place *place) {
  struct file_status status;
  return searched_count > 0 && sweep_look(place->reach.fd, "", &status) == 0 && is_searched(&status, searched_count) && !sweep_is_touched(&status);
}

static int is_in(const struct place *place, const char *path) {
  char folder[4096];
  return folder_of(path, folder, sizeof folder) && strcmp(folder, place->folder) == 0;
}

static int enter(struct place *place, const char *path) {
  char folder[4096];
  if (!folder_of(path, folder, sizeof folder)) return 0;
  if (strcmp(folder, place->folder) == 0) return 1;
  leave_place(place);
  strcpy(place->folder, folder);
  place->error = reach_folder(folder, &place->reach) < 0 ? errno : 0;
  place->is_unchanged = place->error == 0 && is_unchanged(place);
  return 1;
}

// Only a name known to be absent counts as absent: an I/O error, or any unexpected error, does not.
static int is_there(struct place *place, const char *name) {
  struct stat status;
  if (fstatat(place->reach.fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0) return 1;
  if (errno == EACCES && reach_open_up(&place->reach, place->reach.fd))
    return fstatat(place->reach.fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
  // A closed folder that we cannot open was closed to the command as well.
  return errno != ENOENT && errno != EACCES && errno != ENAMETOOLONG;
}

enum found { FOUND_NOTHING, FOUND_NAME, FOUND_LINK, FOUND_UNKNOWN };

/** Whether a name exists, or a link on the way to it. */
static enum found find(struct place *place, const char *path) {
  if (!enter(place, path)) return FOUND_NOTHING;
  switch (place->error) {
    case 0: return !place->is_unchanged && is_there(place, name_in(path)) ? FOUND_NAME : FOUND_NOTHING;
    case ELOOP: return FOUND_LINK;
    case ENOENT:
    case ENOTDIR:
    case EACCES:
    case ENAMETOOLONG: return FOUND_NOTHING;
    default: return FOUND_UNKNOWN;
  }
}

// Names of one folder are adjacent, and need one watch.
static void watch_all(const struct confinement *confinement) {
  char folder[4096], last[4096] = "";
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (entry->kind != ENTRY_ABSENT || !folder_of(entry->path, folder, sizeof folder)) continue;
    if (strcmp(folder, last) == 0) continue;
    strcpy(last, folder);
    folder_watch_add(&watcher, entry->path);
  }
}

static int has_absent(const struct task *task) {
  const struct confinement *confinement = task->request.confinement;
  return confinement != NULL && confine_count(confinement, ENTRY_ABSENT) > 0;
}

/** Whether a name occurs in one of the paths. Letters that some folders do not tell apart count as the same. */
static int is_part(const struct confinement *confinement, const char *name) {
  size_t length = strlen(name);
  for (const char *at = name; *at != 0; at++)
    if ((unsigned char)*at >= 0x80) return 1;
  for (size_t i = 0; i < confinement->count; i++) {
    if (confinement->entries[i].kind != ENTRY_ABSENT) continue;
    for (const char *at = confinement->entries[i].path; (at = strchr(at, '/')) != NULL;) {
      at++;
      if (strncasecmp(at, name, length) == 0 && (at[length] == '/' || at[length] == 0)) return 1;
    }
  }
  return 0;
}

// Watch first, then check: a change in between is seen twice, not missed. After this the watches tell when to check again.
static void watch_from_now(const struct task *task) {
  if (!has_absent(task)) return;
  if (!folder_watch_open(&watcher)) return;
  folder_watch_read(&watcher, is_part, task->request.confinement);
  watcher.is_partial = 0;
  watch_all(task->request.confinement);
}

int undo_begin(struct task *task) {
  const struct confinement *confinement = task->request.confinement;
  struct place place = {.folder = ""};
  int error = 0;
  told = 0;
  task->undone_untold = 0;
  move_away_begin();
  sweep_begin(task);
  watch_from_now(task);
  searched_count = 0;
  size_t count = 0;
  for (size_t i = 0; confinement != NULL && error == 0 && i < confinement->count; i++) {
    if (confinement->entries[i].kind != ENTRY_ABSENT) continue;
    int is_same_folder = is_in(&place, confinement->entries[i].path);
    if (find(&place, confinement->entries[i].path) != FOUND_NOTHING) error = EEXIST;
    else if (!is_same_folder) count = note_searched(&place, count);
  }
  searched_count = error == 0 ? count : 0;
  leave_place(&place);
  return error;
}

static int open_quarantine(const struct confinement *confinement, const char **path) {
  for (size_t i = 0; i < confinement->count; i++) {
    if (confinement->entries[i].kind != ENTRY_QUARANTINE) continue;
    *path = confinement->entries[i].path;
    mkdir(*path, 0700);
    struct reach reach;
    return reach_folder(*path, &reach);
  }
  return -1;
}

// The command, which runs as the same user, may have closed the folder.
static int take_away(int folder, const char *name, int quarantine, const char *as, int *was_kept) {
  struct reach reach = {.fd = -1};
  if (move_away(folder, name, quarantine, as, was_kept)) return 1;
  int is_gone = reach_open_up(&reach, folder) && move_away(folder, name, quarantine, as, was_kept);
  reach_end(&reach);
  return is_gone;
}

static unsigned times_told(const char *path) {
  uint64_t hash = hash_text(0, path);
  unsigned times = 0;
  for (unsigned i = 0; i < told; i++) times += told_paths[i] == hash;
  return times;
}

static int is_told(const char *path) { return told < MAX_TOLD && times_told(path) < MAX_TOLD_OF_ONE; }

static void tell(struct task *task, enum undone what, const char *path, const char *moved) {
  task->undone++;
  record_undone(task, what, path, moved);
  if (is_told(path)) {
    told_paths[told++] = hash_text(0, path);
    report_undone(task, what, path, moved);
  } else if (times_told(path) == 0) task->undone_untold++;
}

void undo_take(struct task *task, int folder, const char *path) {
  char as[320], moved[4800];
  const char *kept = "";
  int was_kept = 0, quarantine = is_told(path) ? open_quarantine(task->request.confinement, &kept) : -1;
  snprintf(as, sizeof as, "%llu-%d-%u-%.200s", (unsigned long long)wall_ms(), getpid(), told, name_in(path));
  int is_gone = take_away(folder, name_in(path), quarantine, as, &was_kept);
  if (quarantine >= 0) close(quarantine);
  snprintf(moved, sizeof moved, "%s/%s", kept, as);
  tell(task, !is_gone ? UNDONE_LEFT : was_kept ? UNDONE_MOVED : UNDONE_REMOVED, path, was_kept ? moved : "");
}

void undo_leave(struct task *task, const char *path) { tell(task, UNDONE_LEFT, path, ""); }

static void undo(struct task *task, struct place *place, const char *path, enum found found) {
  char link[4096];
  if (found == FOUND_UNKNOWN) undo_leave(task, path);
  else if (found == FOUND_NAME) undo_take(task, place->reach.fd, path);
  else {
    snprintf(link, sizeof link, "%.*s", (int)place->reach.link_end, path);
    undo_take(task, place->reach.fd, link);
    // The way to the next name has changed.
    leave_place(place);
  }
}

static void look_for_all(struct task *task) {
  const struct confinement *confinement = task->request.confinement;
  struct place place = {.folder = ""};
  sweep_follow_clock();
  for (size_t i = 0; i < confinement->count; i++) {
    if (confinement->entries[i].kind != ENTRY_ABSENT) continue;
    enum found found = find(&place, confinement->entries[i].path);
    if (found == FOUND_NAME && settings_may_stay(task, place.reach.fd, confinement->entries[i].path)) continue;
    if (found == FOUND_NOTHING) continue;
    exposure_note(task, confinement->entries[i].path);
    undo(task, &place, confinement->entries[i].path, found);
  }
  leave_place(&place);
}

int undo_watch(struct task *task) {
  task->sweep_at = sweep_is_wanted(task) ? now_ms() + SWEEP_MS : 0;
  return has_absent(task) ? watcher.fd : -1;
}

void undo_hear(struct task *task) {
  if (!folder_watch_read(&watcher, is_part, task->request.confinement) && !watcher.is_partial) return;
  // A new folder on the way to a name is watched as well.
  watch_all(task->request.confinement);
  look_for_all(task);
}

// A search takes as long as the tree is large: the next one waits until it is a small part of the time.
static void sweep_now(struct task *task) {
  uint64_t began = now_ms();
  sweep(task);
  task->sweep_at = now_ms() + SWEEP_MS + SWEEP_SHARE * (now_ms() - began);
}

void undo_advance(struct task *task) {
  if (task->sweep_at == 0 || now_ms() < task->sweep_at) return;
  // A caller waits for a foreground command, and its files are checked before its end is reported.
  if (task->is_background || task->is_reported || task->link < 0) sweep_now(task);
  else task->sweep_at = now_ms() + SWEEP_MS;
}

void undo_before_report(struct task *task) {
  if (sweep_is_wanted(task)) sweep_now(task);
}

void undo_cancel(void) {
  folder_watch_clear(&watcher);
}

void undo_finish(struct task *task) {
  undo_cancel();
  task->sweep_at = 0;
  settings_finish(task);
  if (has_absent(task)) look_for_all(task);
  if (sweep_is_wanted(task)) sweep(task);
}

// The processes of the command are killed meanwhile; what they make until then is found by the last search. What existed before
// and was not searched by the plan is not known any more: only what is certainly new is removed.
_Noreturn void undo_in_place_of(const uint8_t *payload, size_t size, const struct timespec *begun) {
  static const useconds_t PAUSES[] = {20000, 300000, 1500000};
  static struct task task;
  task.link = task.lane = -1;
  if (request_parse(&task.request, payload, size) != NULL || task.request.confinement == NULL) _exit(0);
  move_away_begin();
  sweep_resume_times(begun);
  for (size_t i = 0; i < sizeof PAUSES / sizeof *PAUSES; i++) {
    usleep(PAUSES[i]);
    if (has_absent(&task)) look_for_all(&task);
    if (sweep_is_wanted(&task)) sweep(&task);
  }
  _exit(0);
}
