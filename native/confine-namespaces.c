// Namespaces: the first process in them maps its identity, makes the whole mount tree read-only, adds
// writable mounts, hides paths that must not be read, and has a private /proc, terminals and loopback.

#define _GNU_SOURCE
#include "confine.h"
#include "confine-calls.h"
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLOSED (MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID)

int confine_clone_flags(uint32_t flags) {
  int usual = SIGCHLD | CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
  return flags & CONFINE_OWN_NETWORK ? usual | CLONE_NEWNET : usual;
}

static int write_text(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  ssize_t count = write(fd, text, strlen(text));
  int error = count < 0 ? errno : 0;
  close(fd);
  return error;
}

// The same numbers inside as outside, and no others: files show their owners, and no other identity is available.
int confine_take_identity(const struct confine_identity *identity) {
  char text[64];
  int error = write_text("/proc/self/setgroups", "deny");
  if (error != 0 && error != ENOENT) return error;
  snprintf(text, sizeof text, "%u %u 1\n", identity->uid, identity->uid);
  if ((error = write_text("/proc/self/uid_map", text)) != 0) return error;
  snprintf(text, sizeof text, "%u %u 1\n", identity->gid, identity->gid);
  return write_text("/proc/self/gid_map", text);
}

static int set_attributes(int fd, const char *path, unsigned flags, uint64_t set) {
  struct mount_attributes attributes = {.set = set};
  return syscall(SYS_mount_setattr, fd, path, flags, &attributes, sizeof attributes) < 0 ? errno : 0;
}

static int is_absent(int error) { return error == ENOENT || error == ENOTDIR; }

/** A detached copy of the tree at `path`; -1 with errno. */
static int clone_tree(const char *path) {
  int place = confine_open(path);
  if (place < 0) return -1;
  int fd = (int)syscall(SYS_open_tree, place, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_WHOLE_TREE | AT_EMPTY_PATH);
  int error = errno;
  close(place);
  errno = error;
  return fd;
}

static int attach(int fd, const char *path) {
  int place = confine_open(path);
  if (place < 0) return errno;
  long result = syscall(SYS_move_mount, fd, "", place, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
  int error = result < 0 ? errno : 0;
  close(place);
  return error;
}

// Taken before the tree becomes read-only, so that the copies keep their flags.
static int open_copy(struct confine_entry *entry) {
  int is_device = entry->kind == ENTRY_DEVICE;
  if (!is_device && entry->kind != ENTRY_WRITE && entry->kind != ENTRY_READ_ONLY && entry->kind != ENTRY_BIND) return 0;
  entry->fd = clone_tree(entry->kind == ENTRY_BIND ? entry->from : entry->path);
  // The source of a bind must exist; other missing paths are skipped.
  if (entry->fd < 0) return is_absent(errno) && entry->kind != ENTRY_BIND ? 0 : errno;
  uint64_t set = is_device ? MOUNT_ATTR_NOSUID : entry->kind == ENTRY_READ_ONLY ? CLOSED | MOUNT_ATTR_RDONLY : CLOSED;
  return set_attributes(entry->fd, "", AT_EMPTY_PATH | AT_WHOLE_TREE, set);
}

// Whether the nearest parent mount is one of our empty folders, or one that hides something. Anywhere else a missing path
// vanished a moment ago, and nothing must be created in its place: it would be a file of the
// host.
static int is_in_empty(const struct confinement *confinement, const char *path) {
  const struct confine_entry *nearest = NULL;
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (!confine_is_laid(entry->kind) || !confine_is_below(path, entry->path)) continue;
    if (nearest == NULL || strlen(entry->path) >= strlen(nearest->path)) nearest = entry;
  }
  return nearest != NULL && (nearest->kind == ENTRY_EMPTY || nearest->kind == ENTRY_MASK);
}

/** Whether something is shown below a hidden place. */
static int has_shown(const struct confinement *confinement, const char *path) {
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    int is_seen = entry->kind == ENTRY_READ_ONLY || confine_is_writable(entry->kind) || entry->kind == ENTRY_BIND;
    if (is_seen && confine_is_below(entry->path, path)) return 1;
  }
  return 0;
}

// In one of our empty folders, a mount point for mounts below it must be created first.
static int make_place(const char *path, int is_folder) {
  char text[4096];
  size_t length = strlen(path);
  if (length >= sizeof text) return ENAMETOOLONG;
  memcpy(text, path, length + 1);
  for (size_t i = 1; i < length; i++) {
    if (text[i] != '/') continue;
    text[i] = 0;
    if (mkdir(text, 0755) < 0 && errno != EEXIST && errno != EROFS) return errno;
    text[i] = '/';
  }
  if (is_folder) return mkdir(text, 0755) < 0 ? errno : 0;
  int fd = open(text, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return errno;
  close(fd);
  return 0;
}

static int attach_copy(const struct confinement *confinement, struct confine_entry *entry) {
  struct stat status;
  int error = attach(entry->fd, entry->path);
  if (is_absent(error) && is_in_empty(confinement, entry->path) && fstat(entry->fd, &status) == 0) {
    error = make_place(entry->path, S_ISDIR(status.st_mode));
    if (error == 0) error = attach(entry->fd, entry->path);
  }
  close(entry->fd);
  entry->fd = -1;
  return error;
}

static int mount_empty(const char *path, const char *options, unsigned long flags) {
  // By descriptor: a link in the path must not redirect it.
  char place[64];
  int fd = confine_open(path);
  if (fd < 0) return is_absent(errno) ? 0 : errno;
  snprintf(place, sizeof place, "/proc/self/fd/%d", fd);
  int error = mount("none", place, "tmpfs", MS_NOSUID | MS_NODEV | flags, options) < 0 ? errno : 0;
  close(fd);
  return error;
}

// A file is hidden by a device that cannot be opened. A folder that shows something is sealed after that was mounted.
static int hide(const struct confinement *confinement, const char *path) {
  struct stat status;
  int place = confine_open(path);
  if (place < 0) return is_absent(errno) ? 0 : errno;
  int error = fstat(place, &status) < 0 ? errno : 0;
  close(place);
  if (error != 0) return error;
  if (S_ISDIR(status.st_mode))
    return mount_empty(path, "mode=0555,size=4k", has_shown(confinement, path) ? 0 : MS_RDONLY);
  int fd = clone_tree("/dev/null");
  if (fd < 0) return errno;
  error = set_attributes(fd, "", AT_EMPTY_PATH | AT_WHOLE_TREE, CLOSED | MOUNT_ATTR_RDONLY);
  if (error == 0) error = attach(fd, path);
  close(fd);
  return error;
}

// The target of a link is hidden: the link itself cannot be.
static int hide_target(const struct confinement *confinement, const char *path) {
  char place[64], target[4096];
  struct stat status;
  int fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return is_absent(errno) || errno == ELOOP || errno == EACCES ? 0 : errno;
  snprintf(place, sizeof place, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(place, target, sizeof target - 1);
  int error = size < 0 || fstat(fd, &status) < 0 ? errno : 0;
  close(fd);
  if (error != 0) return error;
  target[size] = 0;
  return S_ISCHR(status.st_mode) ? 0 : hide(confinement, target);
}

static int hide_without_overlay(const struct confinement *confinement, const struct confine_entry *names) {
  int error = 0;
  for (const char *path = names->path; path < names->end && error == 0; path = confine_next_path(path))
    if (confine_overlay_of(confinement, path)->is_masked) error = hide_target(confinement, path);
  return error;
}

static int place_entry(const struct confinement *confinement, struct confine_entry *entry) {
  if (entry->fd >= 0) return attach_copy(confinement, entry);
  if (entry->kind == ENTRY_COVERED) return hide_without_overlay(confinement, entry);
  if (entry->kind == ENTRY_EMPTY) return mount_empty(entry->path, "mode=1777,size=25%", 0);
  return entry->kind == ENTRY_MASK ? hide(confinement, entry->path) : 0;
}

static int close_hidden(const struct confinement *confinement, const struct confine_entry *entry) {
  if (entry->kind != ENTRY_MASK || !has_shown(confinement, entry->path)) return 0;
  int fd = confine_open(entry->path);
  if (fd < 0) return is_absent(errno) ? 0 : errno;
  int error = set_attributes(fd, "", AT_EMPTY_PATH, CLOSED | MOUNT_ATTR_RDONLY);
  close(fd);
  // No separate mount: it is hidden with a parent folder, in which a mount point was created for what is shown.
  return error == EINVAL ? 0 : error;
}

static int make_mounts(const struct confinement *confinement, int *without_overlay) {
  struct rlimit usual, raised;
  if (getrlimit(RLIMIT_NOFILE, &usual) < 0) return errno;
  raised = (struct rlimit){usual.rlim_max, usual.rlim_max};
  setrlimit(RLIMIT_NOFILE, &raised);
  int error = 0;
  for (size_t i = 0; i < confinement->count && error == 0; i++) error = open_copy(&confinement->entries[i]);
  if (error == 0) error = set_attributes(AT_FDCWD, "/", AT_WHOLE_TREE, CLOSED | MOUNT_ATTR_RDONLY);
  if (error == 0) error = confine_open_overlays(confinement, without_overlay);
  for (size_t i = 0; i < confinement->count && error == 0; i++) error = place_entry(confinement, &confinement->entries[i]);
  for (size_t i = 0; i < confinement->count && error == 0; i++) error = close_hidden(confinement, &confinement->entries[i]);
  if (error == 0 && setrlimit(RLIMIT_NOFILE, &usual) < 0) error = errno;
  return error;
}

static int mount_proc(void) {
  unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY;
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) return errno;
  return mount("proc", "/proc", "proc", flags, NULL) < 0 ? errno : 0;
}

static int mount_terminals(void) {
  unsigned long flags = MS_NOSUID | MS_NOEXEC;
  if (mount("devpts", "/dev/pts", "devpts", flags, "newinstance,ptmxmode=0666,mode=0620") < 0) return errno;
  struct stat status;
  // If it is a link it already leads there.
  if (lstat("/dev/ptmx", &status) < 0 || !S_ISCHR(status.st_mode)) return 0;
  return mount("/dev/pts/ptmx", "/dev/ptmx", NULL, MS_BIND, NULL) < 0 ? errno : 0;
}

int confine_raise_loopback(void) {
  struct ifreq request = {.ifr_name = "lo"};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  int error = ioctl(fd, SIOCGIFFLAGS, &request) < 0 ? errno : 0;
  request.ifr_flags = (short)(request.ifr_flags | IFF_UP | IFF_RUNNING);
  if (error == 0 && ioctl(fd, SIOCSIFFLAGS, &request) < 0) error = errno;
  close(fd);
  return error;
}

void confine_arrive(uint32_t flags, int is_shared, const struct confine_identity *identity, struct confine_arrival *arrival) {
  *arrival = (struct confine_arrival){.identity = identity == NULL ? 0 : confine_take_identity(identity)};
  arrival->proc = mount_proc();
  arrival->loopback = (flags & CONFINE_OWN_NETWORK) && !is_shared ? confine_raise_loopback() : 0;
}

int confine_enter(const struct confinement *confinement, const struct confine_arrival *arrival,
                  struct confine_report *report) {
  uint32_t flags = confinement->flags;
  int without_overlay = 0;
  if (confine_note(confinement, report, CONFINE_NAMESPACES, 0) < 0) return -1;
  if (confine_note(confinement, report, CONFINE_IDENTITY, arrival->identity) < 0) return -1;
  if ((flags & CONFINE_STAGED) && confine_note(confinement, report, CONFINE_STAGE, confine_open_stages(confinement)) < 0) return -1;
  if (confine_note(confinement, report, CONFINE_MOUNTS, make_mounts(confinement, &without_overlay)) < 0) return -1;
  if (confine_count(confinement, ENTRY_OVERLAY) > 0 &&
      confine_note(confinement, report, CONFINE_OVERLAYS, without_overlay) < 0)
    return -1;
  if (confine_note(confinement, report, CONFINE_PROC, arrival->proc) < 0) return -1;
  if ((flags & CONFINE_OWN_TERMINALS) && confine_note(confinement, report, CONFINE_TERMINALS, mount_terminals()) < 0) return -1;
  if ((flags & CONFINE_OWN_NETWORK) && confine_note(confinement, report, CONFINE_LOOPBACK, arrival->loopback) < 0) return -1;
  return 0;
}
