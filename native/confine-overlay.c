// Folders with hidden names, seen through a read-only overlay of three layers: empty folders, covers, and the folder itself.
// A cover hides by name, so nothing that is renamed, deleted or created in the folder while the command runs uncovers it:
// a file without content for a file, a whiteout for a missing name, and a whiteout below an empty folder for a folder.

#define _GNU_SOURCE
#include "confine.h"
#include "confine-calls.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define CLOSED (MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID)
#define FOLDER (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static int set_text(int fs, const char *key, const char *value) {
  return syscall(SYS_fsconfig, fs, CONFIG_SET_TEXT, key, value, 0) < 0 ? errno : 0;
}

/** Creates the file system and closes `fs`: a detached mount, or -1 with errno. */
static int mount_detached(int fs, int error, unsigned attributes) {
  int fd = -1;
  if (error == 0 && syscall(SYS_fsconfig, fs, CONFIG_CREATE, NULL, NULL, 0) < 0) error = errno;
  if (error == 0 && (fd = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, attributes)) < 0) error = errno;
  close(fs);
  errno = error;
  return fd;
}

static int open_tmpfs(void) {
  int fs = (int)syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC);
  return fs < 0 ? -1 : mount_detached(fs, set_text(fs, "size", "1m"), CLOSED);
}

// The attributes of a merged folder are those of its upper layer. An owner without a number in this namespace stays ours:
// the folder below still decides who may enter it. The caller has cleared the umask.
static int make_folder(int layer, const char *name, const struct stat *like) {
  if (mkdirat(layer, name, like->st_mode & 01777) < 0) return errno == EEXIST ? 0 : errno;
  if (like->st_uid != geteuid() || like->st_gid != getegid())
    (void)!fchownat(layer, name, like->st_uid, like->st_gid, AT_SYMLINK_NOFOLLOW);
  return like->st_mode & 06000 && fchmodat(layer, name, like->st_mode & 07777, 0) < 0 ? errno : 0;
}

/** What stands for hidden names, once on the tmpfs: another name for it is faster than another file. */
#define WHITEOUT "whiteout"
#define FILE_COVER "file"

/** Layers of an overlay that is being made, and the folder in them in which the last name was. */
struct layers {
  int tmpfs, folder, covers, empty;
  char parent[4096];
  int parent_folder, parent_covers, is_parent_hidden;
};

// A folder or a pinned link that another name needs is there already: then this layer does not hide it.
static int make_cover(int tmpfs, int layer, const char *name, const char *kind) {
  struct stat status;
  if (linkat(tmpfs, kind, layer, name, 0) == 0) return 0;
  if (errno != EEXIST || fstatat(layer, name, &status, AT_SYMLINK_NOFOLLOW) < 0) return errno;
  return S_ISCHR(status.st_mode) || S_ISREG(status.st_mode) ? 0 : EEXIST;
}

// A link on the way to a name stays as it is now: a folder in its place would uncover the name.
static int pin_link(const struct layers *layers, const char *name) {
  char target[4096];
  ssize_t size = readlinkat(layers->parent_folder, name, target, sizeof target - 1);
  if (size < 0 || size == (ssize_t)sizeof target - 1) return make_cover(layers->tmpfs, layers->parent_covers, name, WHITEOUT);
  target[size] = 0;
  return symlinkat(target, layers->parent_covers, name) < 0 ? errno : 0;
}

static int move_down(int *fd, int top, const char *name) {
  int below = openat(*fd, name, FOLDER);
  int error = below < 0 ? errno : 0;
  if (*fd >= 0 && *fd != top) close(*fd);
  *fd = below;
  return error;
}

/** One step towards a hidden name. The parent is hidden: the name is hidden with it, or is not reached through it. */
static int enter(struct layers *layers, const char *name) {
  struct stat status;
  int error = 0, is_there = 1;
  if (fstatat(layers->parent_covers, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
    layers->is_parent_hidden = !S_ISDIR(status.st_mode);
  else {
    is_there = fstatat(layers->parent_folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
    layers->is_parent_hidden = !is_there || !S_ISDIR(status.st_mode);
    // A missing folder is hidden as a whole: otherwise one that does not exist outside would appear here.
    if (!layers->is_parent_hidden) error = make_folder(layers->parent_covers, name, &status);
    else if (is_there && S_ISLNK(status.st_mode)) error = pin_link(layers, name);
    else error = make_cover(layers->tmpfs, layers->parent_covers, name, WHITEOUT);
  }
  if (error != 0 || layers->is_parent_hidden) return error;
  // If it has just vanished, what follows counts as missing.
  move_down(&layers->parent_folder, layers->folder, name);
  return move_down(&layers->parent_covers, layers->covers, name);
}

static void leave_parent(struct layers *layers) {
  if (layers->parent_folder >= 0 && layers->parent_folder != layers->folder) close(layers->parent_folder);
  if (layers->parent_covers >= 0 && layers->parent_covers != layers->covers) close(layers->parent_covers);
  layers->parent_folder = layers->folder;
  layers->parent_covers = layers->covers;
  layers->is_parent_hidden = 0;
  layers->parent[0] = 0;
}

/** `length` bytes of `path` are the folder of the next name; names in one folder are adjacent. */
static int enter_parent(struct layers *layers, const char *path, size_t length) {
  char text[4096];
  if (strlen(layers->parent) == length && strncmp(layers->parent, path, length) == 0) return 0;
  leave_parent(layers);
  memcpy(text, path, length);
  text[length] = 0;
  int error = 0;
  for (char *rest = length > 0 ? text : NULL, *name; error == 0 && !layers->is_parent_hidden && (name = strsep(&rest, "/")) != NULL;)
    error = enter(layers, name);
  memcpy(layers->parent, path, length);
  layers->parent[length] = 0;
  return error;
}

/** With the folders above it, which look as they do outside. */
static int make_empty(const struct layers *layers, const char *path) {
  char text[4096];
  struct stat status = {.st_mode = 0755};
  int error = 0;
  strcpy(text, path);
  for (char *at = text; error == 0 && (at = strchr(at, '/')) != NULL; *at++ = '/') {
    *at = 0;
    // If it has just vanished it looks like the one above it.
    (void)!fstatat(layers->folder, text, &status, AT_SYMLINK_NOFOLLOW);
    error = make_folder(layers->empty, text, &status);
  }
  if (error == 0 && mkdirat(layers->empty, path, 0555) < 0 && errno != EEXIST) error = errno;
  return error;
}

/** `path` is relative to all layers. */
static int hide_name(struct layers *layers, const char *path) {
  struct stat status;
  const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
  if (strlen(path) >= sizeof layers->parent) return ENAMETOOLONG;
  int error = enter_parent(layers, path, slash == NULL ? 0 : (size_t)(slash - path));
  if (error != 0 || layers->is_parent_hidden) return error;
  int is_there = fstatat(layers->parent_folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
  int is_folder = is_there && S_ISDIR(status.st_mode);
  error = make_cover(layers->tmpfs, layers->parent_covers, name, is_there && !is_folder ? FILE_COVER : WHITEOUT);
  return error == 0 && is_folder ? make_empty(layers, path) : error;
}

static int hide_names(const struct confinement *confinement, const struct confine_entry *overlay, struct layers *layers) {
  size_t skipped = strlen(overlay->path) + 1;
  int error = 0;
  for (size_t i = 0; i < confinement->count && error == 0; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (entry->kind != ENTRY_COVERED) continue;
    for (const char *path = entry->path; path < entry->end && error == 0; path = confine_next_path(path))
      if (confine_is_below(path, overlay->path)) error = hide_name(layers, path + skipped);
  }
  return error;
}

// Inode numbers of files stay those of the folder: programs that compare them find the same files.
static int open_overlay(const struct layers *layers) {
  char list[128];
  struct statvfs status;
  if (fstatvfs(layers->folder, &status) < 0) return -1;
  int fs = (int)syscall(SYS_fsopen, "overlay", FSOPEN_CLOEXEC);
  if (fs < 0) return -1;
  snprintf(list, sizeof list, "/proc/self/fd/%d:/proc/self/fd/%d:/proc/self/fd/%d", layers->empty, layers->covers, layers->folder);
  int error = set_text(fs, "source", OVERLAY_SOURCE);
  if (error == 0) error = set_text(fs, "lowerdir", list);
  if (error == 0) error = set_text(fs, "xino", "off");
  if (error == 0 && syscall(SYS_fsconfig, fs, CONFIG_SET_FLAG, "userxattr", NULL, 0) < 0) error = errno;
  unsigned attributes = CLOSED | MOUNT_ATTR_RDONLY | (status.f_flag & ST_NOEXEC ? MOUNT_ATTR_NOEXEC : 0);
  return mount_detached(fs, error, attributes);
}

static int open_layer(int tmpfs, const char *name, size_t number, const struct stat *like) {
  char text[48];
  snprintf(text, sizeof text, "%s-%zu", name, number);
  int error = make_folder(tmpfs, text, like);
  if (error == 0) return openat(tmpfs, text, FOLDER);
  errno = error;
  return -1;
}

/** 0, or the reason why there is no overlay. */
static int make_overlay(const struct confinement *confinement, struct confine_entry *overlay, int folder, int tmpfs) {
  struct stat status;
  size_t number = (size_t)(overlay - confinement->entries);
  struct layers layers = {.tmpfs = tmpfs, .folder = folder, .covers = -1, .empty = -1, .parent_folder = folder, .parent_covers = -1};
  int error = 0;
  if (fstat(folder, &status) < 0) return errno;
  if (!S_ISDIR(status.st_mode)) return ENOTDIR;
  if ((layers.covers = open_layer(tmpfs, "covers", number, &status)) < 0) error = errno;
  if (error == 0 && (layers.empty = open_layer(tmpfs, "empty", number, &status)) < 0) error = errno;
  layers.parent_covers = layers.covers;
  if (error == 0) error = hide_names(confinement, overlay, &layers);
  leave_parent(&layers);
  if (error == 0 && (overlay->fd = open_overlay(&layers)) < 0) error = errno;
  if (layers.covers >= 0) close(layers.covers);
  if (layers.empty >= 0) close(layers.empty);
  return error;
}

static int make_covers(int tmpfs) {
  return mknodat(tmpfs, WHITEOUT, S_IFCHR, 0) < 0 || mknodat(tmpfs, FILE_COVER, S_IFREG, 0) < 0 ? errno : 0;
}

// Before Linux 6.15 a layer must be on a mount of this namespace: the tmpfs is mounted on the first folder, below its overlay.
static int attach_tmpfs(int tmpfs, int folder) {
  return syscall(SYS_move_mount, tmpfs, "", folder, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0 ? errno : 0;
}

// Only if there is no overlay to cover it: the kernel waits for all processors before it removes a mount.
static int detach_tmpfs(int tmpfs) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", tmpfs);
  return umount2(path, MNT_DETACH) < 0 ? errno : 0;
}

int confine_open_overlays(const struct confinement *confinement, int *missing) {
  const struct confine_entry *first = NULL;
  int tmpfs = -1, error = 0;
  if (confine_count(confinement, ENTRY_OVERLAY) == 0) return 0;
  mode_t before = umask(0);
  for (size_t i = 0; i < confinement->count; i++) {
    struct confine_entry *overlay = &confinement->entries[i];
    if (overlay->kind != ENTRY_OVERLAY) continue;
    int folder = confine_open(overlay->path);
    error = folder < 0 ? errno : 0;
    if (error == 0 && tmpfs < 0 && (tmpfs = open_tmpfs()) < 0) error = errno;
    if (error == 0 && first == NULL && (error = attach_tmpfs(tmpfs, folder)) == 0) {
      first = overlay;
      error = make_covers(tmpfs);
    }
    if (error == 0) error = make_overlay(confinement, overlay, folder, tmpfs);
    if (folder >= 0) close(folder);
    overlay->is_masked = error != 0;
    if (*missing == 0) *missing = error;
  }
  error = first != NULL && first->is_masked ? detach_tmpfs(tmpfs) : 0;
  if (tmpfs >= 0) close(tmpfs);
  umask(before);
  return error;
}
