// An overlay cannot rename a folder of its lower layer (EXDEV), and most programs have no other way. The supervisor does it for
// them, entry by entry. It works on folders of the overlay alone, by descriptors, and moves nothing that is hidden by a mount.

#define _GNU_SOURCE
#include "stage-rename.h"
#include "confine-calls.h"
#include "observe-calls.h"
#include "refusal-path.h"
#include "stage-layer.h"
#include "stage.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define NOREPLACE 1u
/** Of statx(2). */
#define MOUNT_ROOT 0x2000ull
#define MAX_DEPTH 1000

/** One side of a rename. */
struct side {
  int folder;
  char name[NAME_MAX + 1];
};

static const struct observed_call *find_call(const struct notice *notice) {
  const int *number = RENAMES;
  const struct observed_call *call = OBSERVED_CALLS;
  while (*number != -1 && *number != notice->number) number++;
  if (*number == -1) return NULL;
  while (call->number != notice->number) call++;
  return call;
}

/** The folder and name of one path of the call, if that folder is in a staged root. */
static int find_side(const struct confinement *confinement, const struct notice *notice, const struct observed_call *call,
                     struct side *side) {
  static char given[PATH_MAX];
  char path[PATH_MAX];
  struct place place;
  int at = call->folder < 0 ? AT_FDCWD : (int)notice->arguments[call->folder];
  side->folder = -1;
  if (notice_read_text(notice, notice->arguments[call->path], given, sizeof given) < 0) return 0;
  if (place_find(notice, at, given, 0, &place) != 0) return 0;
  if (place_name(place.folder, path, sizeof path) != 0 || stage_root_of(confinement, path) == NULL) return 0;
  if (!is_on_overlay(place.folder)) return 0;
  strcpy(side->name, place.name);
  side->folder = fcntl(place.folder, F_DUPFD_CLOEXEC, 0);
  return side->folder >= 0;
}

// The lookup crosses mounts of the command's namespace. A rename from outside would not: it would remove what hides the name.
static int is_hidden(int folder, const char *name) {
  struct file_status status;
  if (syscall(SYS_statx, folder, name, AT_SYMLINK_NOFOLLOW, FILE_STATUS_BASIC, &status) < 0) return errno != ENOENT;
  return !(status.attributes_mask & MOUNT_ROOT) || (status.attributes & MOUNT_ROOT);
}

static int move_folder(const struct side *from, const struct side *to, int depth);

static int move_name(int from, const char *name, int to, int depth) {
  struct side old = {from, ""}, new = {to, ""};
  strcpy(old.name, name);
  strcpy(new.name, name);
  if (is_hidden(from, name)) return EBUSY;
  int error = rename_new(from, name, to, name);
  return error == EXDEV ? move_folder(&old, &new, depth + 1) : error;
}

static int move_entries(int from, int to, int depth) {
  size_t count, moved = 0;
  int error = 0;
  char **names = list_names(from, &count);
  if (names == NULL) return errno;
  while (moved < count && (error = move_name(from, names[moved], to, depth)) == 0) moved++;
  // All or nothing: what was moved can be renamed now.
  while (error != 0 && moved-- > 0) rename_new(to, names[moved], from, names[moved]);
  free(names);
  return error;
}

static int move_folder(const struct side *from, const struct side *to, int depth) {
  struct stat status;
  if (depth > MAX_DEPTH) return EXDEV;
  if (mkdirat(to->folder, to->name, 0700) < 0) return errno;
  int old = openat(from->folder, from->name, FOLDER), new = openat(to->folder, to->name, FOLDER);
  int error = old < 0 || new < 0 || fstat(old, &status) < 0 ? errno : move_entries(old, new, depth);
  const struct timespec times[2] = {status.st_atim, status.st_mtim};
  if (error == 0 && (fchmod(new, status.st_mode & 07777) < 0 || futimens(new, times) < 0)) error = errno;
  if (old >= 0) close(old);
  if (new >= 0) close(new);
  if (error == 0 && unlinkat(from->folder, from->name, AT_REMOVEDIR) < 0) error = errno;
  if (error != 0) unlinkat(to->folder, to->name, AT_REMOVEDIR);
  return error;
}

static int rename_folder(const struct side *from, const struct side *to, unsigned flags) {
  if (is_hidden(from->folder, from->name) || is_hidden(to->folder, to->name)) return EBUSY;
  // Everything that the kernel would refuse anyway comes first.
  if (syscall(SYS_renameat2, from->folder, from->name, to->folder, to->name, flags) == 0) return 0;
  if (errno != EXDEV) return errno;
  if (unlinkat(to->folder, to->name, AT_REMOVEDIR) < 0 && errno != ENOENT) return errno;
  return move_folder(from, to, 0);
}

int stage_rename_answer(const struct task *task, int notify_fd, const struct notice *notice) {
  const struct confinement *confinement = task->request.confinement;
  const struct observed_call *call = find_call(notice);
  unsigned flags = notice->number == SYS_renameat2 ? (unsigned)notice->arguments[4] : 0;
  struct side from = {.folder = -1}, to = {.folder = -1};
  struct stat status, above, below;
  if (call == NULL || (flags & ~NOREPLACE) != 0) return 0;
  // A folder that was found a moment ago may have been renamed since.
  place_end();
  int is_ours = find_side(confinement, notice, call, &from) && look_at(from.folder, from.name, &status) == 0 &&
                S_ISDIR(status.st_mode) && find_side(confinement, notice, call + 1, &to);
  is_ours = is_ours && fstat(from.folder, &above) == 0 && fstat(to.folder, &below) == 0 && S_ISDIR(below.st_mode) &&
            above.st_dev == below.st_dev && notice_is_current(notify_fd, notice);
  if (is_ours) notice_answer(notify_fd, notice, rename_folder(&from, &to, flags));
  if (from.folder >= 0) close(from.folder);
  if (to.folder >= 0) close(to.folder);
  return is_ours;
}
