// Staged folders: a writable overlay of each, whose upper layer is in the stage. In the child: only system calls.

#define _GNU_SOURCE
#include "confine.h"
#include "confine-calls.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define FOLDER (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define CLOSED (MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID)

struct layers {
  int lower, upper, work;
};

static int set_layer(int fs, const char *key, int fd) {
  char path[64];
  // By descriptor: a path with a colon or a comma would be two.
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return syscall(SYS_fsconfig, fs, CONFIG_SET_TEXT, key, path, 0) < 0 ? errno : 0;
}

static int set_flag(int fs, const char *key) { return syscall(SYS_fsconfig, fs, CONFIG_SET_FLAG, key, NULL, 0) < 0 ? errno : 0; }

// `volatile`: otherwise the whole disk would be written out when the command has ended.
static int configure(int fs, const struct layers *layers) {
  int error = syscall(SYS_fsconfig, fs, CONFIG_SET_TEXT, "source", "hardshell-stage", 0) < 0 ? errno : 0;
  if (error == 0) error = set_layer(fs, "lowerdir", layers->lower);
  if (error == 0) error = set_layer(fs, "upperdir", layers->upper);
  if (error == 0) error = set_layer(fs, "workdir", layers->work);
  if (error == 0) error = set_flag(fs, "userxattr");
  if (error == 0) error = set_flag(fs, "volatile");
  if (error == 0 && syscall(SYS_fsconfig, fs, CONFIG_CREATE, NULL, NULL, 0) < 0) error = errno;
  return error;
}

static int mount_layers(const struct layers *layers, int *fd) {
  struct statvfs status;
  if (fstatvfs(layers->lower, &status) < 0) return errno;
  int fs = (int)syscall(SYS_fsopen, "overlay", FSOPEN_CLOEXEC);
  if (fs < 0) return errno;
  int error = configure(fs, layers);
  unsigned attributes = CLOSED | (status.f_flag & ST_NOEXEC ? MOUNT_ATTR_NOEXEC : 0);
  if (error == 0 && (*fd = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, attributes)) < 0) error = errno;
  close(fs);
  return error;
}

static int open_stage(struct confine_entry *entry) {
  struct layers layers = {confine_open(entry->path), -1, -1};
  int folder = confine_open(entry->from), error = layers.lower < 0 || folder < 0 ? errno : 0;
  if (error == 0 && (layers.upper = openat(folder, "upper", FOLDER)) < 0) error = errno;
  if (error == 0 && (layers.work = openat(folder, "work", FOLDER)) < 0) error = errno;
  if (error == 0) error = mount_layers(&layers, &entry->fd);
  const int fds[] = {layers.lower, layers.upper, layers.work, folder};
  for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
    if (fds[i] >= 0) close(fds[i]);
  return error;
}

int confine_open_stages(const struct confinement *confinement) {
  int error = 0;
  for (size_t i = 0; i < confinement->count && error == 0; i++)
    if (confinement->entries[i].kind == ENTRY_STAGE) error = open_stage(&confinement->entries[i]);
  return error;
}
