// What the paths of a confinement led to when a process was confined ahead, and whether they still lead there.
// Refuses when in doubt: another object, one that appeared or vanished, a file that gained or lost a name, any mount change.

#define _GNU_SOURCE
#include "confine-view.h"
#include "confine-calls.h"
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct seen_path {
  uint64_t device, inode;
  uint64_t mode;
  /** Birth time, so that a reused inode number is another object; change time if that is not known. */
  struct file_time made, changed;
};

// These change nothing in the process that waits: the supervisor checks them itself, for every command.
static int is_checked_elsewhere(enum confine_kind kind) {
  switch (kind) {
    case ENTRY_UNIX:
    case ENTRY_ABSENT:
    case ENTRY_QUARANTINE:
    case ENTRY_UNSEEN:
    case ENTRY_KEPT:
    case ENTRY_SWEEP:
    case ENTRY_SWEEP_PARTLY:
    case ENTRY_SWEEP_TAKEN:
    case ENTRY_SWEEP_PACKAGES:
    case ENTRY_SWEEP_UNSEARCHED:
    case ENTRY_GUARDED: return 1;
    default: return 0;
  }
}

static int has_room(struct confine_view *view, size_t count) {
  if (count <= view->capacity) return 1;
  struct seen_path *more = realloc(view->before, count * sizeof *more);
  if (more == NULL) return 0;
  view->before = more;
  view->capacity = count;
  return 1;
}

// A file that is unlinked loses the mounts on it, everywhere; if it then gets a name again it is the same object.
// Its change time shows that. A folder changes with everything in it, and cannot be linked.
static void look(const char *path, int is_mounted, struct seen_path *seen) {
  struct file_status status;
  memset(seen, 0, sizeof *seen);
  if (syscall(SYS_statx, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, FILE_STATUS_BASIC | FILE_STATUS_MADE, &status) < 0) return;
  int is_dated = (status.mask & FILE_STATUS_MADE) != 0;
  seen->device = (uint64_t)status.device_major << 32 | status.device_minor;
  seen->inode = status.inode;
  seen->mode = status.mode;
  if (is_dated) seen->made = status.made;
  if (!is_dated || (is_mounted && S_ISREG(status.mode))) seen->changed = status.changed;
}

// A path that is only readable was granted as an object: when it vanishes, nothing is left to read.
static int is_same(enum confine_kind kind, const struct seen_path *then, const struct seen_path *now) {
  if (kind == ENTRY_READ && now->mode == 0) return 1;
  return memcmp(then, now, sizeof *now) == 0;
}

/** Records the current state, or compares it with the recorded one; 0 if it differs. */
static int look_at_all(struct confine_view *view, const struct confinement *confinement, int compares) {
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (is_checked_elsewhere(entry->kind)) continue;
    // Hidden by name, whatever is there. A process whose overlay could not be mounted does not wait.
    if (entry->kind == ENTRY_COVERED) continue;
    int is_mounted = entry->kind == ENTRY_MASK || entry->kind == ENTRY_READ_ONLY;
    const char *paths[] = {entry->path, entry->from};
    for (size_t side = 0; side < 2; side++) {
      struct seen_path now, *then = &view->before[2 * i + side];
      if (paths[side] == NULL) continue;
      look(paths[side], is_mounted, &now);
      if (!compares) *then = now;
      else if (!is_same(entry->kind, then, &now)) return 0;
    }
  }
  return 1;
}

void confine_view_forget(struct confine_view *view) {
  if (view->mounts > 0) close(view->mounts);
  free(view->before);
  *view = (struct confine_view){.before = NULL};
}

int confine_view_take(struct confine_view *view, const struct confinement *confinement) {
  confine_view_forget(view);
  if (!has_room(view, 2 * confinement->count)) return 0;
  int mounts = open("/proc/self/mounts", O_RDONLY | O_CLOEXEC);
  if (mounts > 0) view->mounts = mounts;
  return mounts > 0 && look_at_all(view, confinement, 0);
}

int confine_view_holds(struct confine_view *view, const struct confinement *confinement) {
  struct pollfd changes = {view->mounts, POLLPRI, 0};
  return view->mounts > 0 && poll(&changes, 1, 0) == 0 && look_at_all(view, confinement, 1);
}
