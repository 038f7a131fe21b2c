// git replaces its settings by a rename of `config.lock`, which the mount on `config` refuses. Here the supervisor takes that
// call, compares both files, and writes the new settings itself if they run nothing. Nothing but the bytes that were compared
// is written, so it does not matter what the command does meanwhile. The file keeps its inode: one that is replaced loses its
// mounts in every namespace, and running commands would no longer be kept from it.

#define _GNU_SOURCE
#include "settings.h"
#include "observe-calls.h"
#include "reach.h"
#include "refusal-path.h"
#include "refusal.h"
#include "sweep.h"
#include "whole-file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_BYTES (256u << 10)
#define LOCK ".lock"
/** git outside renames its lock sooner than this. */
#define LOCK_PAUSE_NS 50000000

struct file {
  int fd;
  struct stat status;
  char *bytes;
  size_t size;
};

static void close_file(struct file *file) {
  if (file->fd >= 0) close(file->fd);
  free(file->bytes);
  *file = (struct file){.fd = -1};
}

/** A whole regular file with one name; 0 or an errno. */
static int open_file(int folder, const char *name, int access, struct file *file) {
  *file = (struct file){.fd = openat(folder, name, access | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  if (file->fd < 0 || fstat(file->fd, &file->status) < 0) return errno;
  if (!S_ISREG(file->status.st_mode) || file->status.st_nlink != 1) return EPERM;
  file->bytes = read_whole_file(file->fd, MAX_BYTES, &file->size);
  return file->bytes == NULL ? errno : 0;
}

static int write_at_once(int fd, const char *bytes, size_t size) {
  ssize_t count;
  do count = pwrite(fd, bytes, size, 0);
  while (count < 0 && errno == EINTR);
  return count < 0 ? errno : (size_t)count == size ? 0 : EIO;
}

// What a reader sees in between is either the old or the new file: a shorter one is first written with empty lines at its end.
static int write_over(const struct file *old, const struct file *new) {
  size_t size = new->size > old->size ? new->size : old->size;
  char *bytes = malloc(size + 1);
  if (bytes == NULL) return ENOMEM;
  memset(bytes, '\n', size);
  memcpy(bytes, new->bytes, new->size);
  // With no space left nothing is written.
  int error = fallocate(old->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size + 1) < 0 && errno == ENOSPC ? ENOSPC : 0;
  if (error == 0 && (error = write_at_once(old->fd, bytes, size)) == 0 && ftruncate(old->fd, (off_t)new->size) < 0)
    error = errno;
  else if (error != 0 && error != ENOSPC && write_at_once(old->fd, old->bytes, old->size) == 0)
    (void)!ftruncate(old->fd, (off_t)old->size);
  free(bytes);
  return error;
}

static const struct confine_entry *find_entry(const struct confinement *confinement, enum confine_kind kind, const char *path) {
  for (size_t i = 0; i < confinement->count; i++)
    if (confinement->entries[i].kind == kind && (path == NULL || strcmp(confinement->entries[i].path, path) == 0))
      return &confinement->entries[i];
  return NULL;
}

static int is_sound_change(const struct task *task, const char *path, const struct file *old, const struct file *new, char *which, size_t room) {
  char folder[PATH_MAX];
  struct settings_text before = {old->bytes, old->size}, after = {new->bytes, new->size};
  const struct confine_entry *named = find_entry(task->request.confinement, ENTRY_SETTING_NAMES, NULL);
  struct setting_names names = {named == NULL ? NULL : named->path, named == NULL ? NULL : named->end};
  snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
  return is_inert_change(&before, &after, folder, &names, which, room);
}

static void report_setting(struct task *task, const char *path, const char *which) {
  char target[PATH_MAX + 512];
  snprintf(target, sizeof target, "%s\n%s", path, which);
  report_refusal(task, REFUSED_SETTING, EPERM, target);
}

/** A path of the call as the command sees it; 0 or an errno. */
static int find_path(const struct notice *notice, const struct observed_call *call, char *path, size_t room) {
  static char given[PATH_MAX];
  char folder[PATH_MAX];
  struct place place;
  int at = call->folder < 0 ? AT_FDCWD : (int)notice->arguments[call->folder];
  if (notice_read_text(notice, notice->arguments[call->path], given, sizeof given) < 0) return errno;
  int error = place_find(notice, at, given, 0, &place);
  if (error == 0) error = place_name(place.folder, folder, sizeof folder);
  if (error != 0) return error;
  int length = snprintf(path, room, "%s/%s", folder[1] == 0 ? "" : folder, place.name);
  return length > 0 && (size_t)length < room ? 0 : ENAMETOOLONG;
}

/** The settings file that the call would replace by its own lock file, as git does; NULL for every other call. */
static const struct confine_entry *find_settings(const struct confinement *confinement, const struct notice *notice) {
  char from[PATH_MAX + NAME_MAX], to[PATH_MAX];
  const int *number = RENAMES;
  const struct observed_call *call = OBSERVED_CALLS;
  while (*number != -1 && *number != notice->number) number++;
  if (*number == -1 || (notice->number == SYS_renameat2 && notice->arguments[4] != 0)) return NULL;
  while (call->number != notice->number) call++;
  if (find_path(notice, call + 1, to, sizeof to) != 0) return NULL;
  const struct confine_entry *entry = find_entry(confinement, ENTRY_SETTINGS, to);
  if (entry == NULL || find_entry(confinement, ENTRY_ABSENT, to) != NULL) return NULL;
  if (find_path(notice, call, from, sizeof from) != 0) return NULL;
  size_t length = strlen(to);
  return strncmp(from, to, length) == 0 && strcmp(from + length, LOCK) == 0 ? entry : NULL;
}

/** Whether the file is still the one that was written: a program that ignores the lock may have replaced it. */
static int is_in_place(int folder, const char *name, const struct file *file) {
  struct stat status;
  return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_dev == file->status.st_dev &&
         status.st_ino == file->status.st_ino;
}

/** 0 or an errno for the caller. The lock is held by the command, so no other git changes the file meanwhile. */
static int replace(struct task *task, const char *path) {
  char which[256] = "", lock[NAME_MAX + sizeof LOCK];
  const char *name = strrchr(path, '/') + 1;
  char folder[PATH_MAX];
  struct reach reach;
  struct file old = {.fd = -1}, new = {.fd = -1};
  snprintf(folder, sizeof folder, "%.*s", (int)(name - 1 - path), path);
  snprintf(lock, sizeof lock, "%s%s", name, LOCK);
  int error = reach_folder(folder, &reach) < 0 ? errno : 0;
  if (error == 0) error = open_file(reach.fd, lock, O_RDONLY, &new);
  if (error == 0) error = open_file(reach.fd, name, O_RDWR, &old);
  if (error == 0 && !is_sound_change(task, path, &old, &new, which, sizeof which)) error = EPERM;
  if (error == EPERM || error == EFBIG) report_setting(task, path, which);
  int is_same = error == 0 && old.size == new.size && memcmp(old.bytes, new.bytes, old.size) == 0;
  if (error == 0 && !is_same) error = write_over(&old, &new);
  if (error == 0 && !is_in_place(reach.fd, name, &old)) error = EBUSY;
  if (error == 0 && unlinkat(reach.fd, lock, 0) < 0 && errno != ENOENT) error = errno;
  close_file(&old);
  close_file(&new);
  reach_end(&reach);
  return error;
}

int settings_answer(struct task *task, int notify_fd, const struct notice *notice) {
  const struct confine_entry *entry = find_settings(task->request.confinement, notice);
  if (entry == NULL) return 0;
  // From here on it is known whose call it is.
  if (notice_is_current(notify_fd, notice)) notice_answer(notify_fd, notice, replace(task, entry->path));
  return 1;
}

// A lease for writing is granted only if no other process has the file open: git outside has, until it renames it.
static int is_unused(int folder, const char *name, ino_t *inode) {
  struct stat status;
  int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return 0;
  int is_free = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
  *inode = status.st_ino;
  close(fd);
  return is_free;
}

static void release(const char *path) {
  char folder[PATH_MAX], lock[NAME_MAX + sizeof LOCK];
  const char *name = strrchr(path, '/') + 1;
  const struct timespec pause = {0, LOCK_PAUSE_NS};
  struct reach reach;
  struct file_status status;
  ino_t first = 0, second = 0;
  snprintf(folder, sizeof folder, "%.*s", (int)(name - 1 - path), path);
  snprintf(lock, sizeof lock, "%s%s", name, LOCK);
  int is_new = reach_folder(folder, &reach) >= 0 && sweep_look(reach.fd, lock, &status) == 0 && sweep_is_touched(&status);
  if (is_new && is_unused(reach.fd, lock, &first)) {
    nanosleep(&pause, NULL);
    if (is_unused(reach.fd, lock, &second) && first == second) unlinkat(reach.fd, lock, 0);
  }
  reach_end(&reach);
}

void settings_finish(const struct task *task) {
  const struct confinement *confinement = task->request.confinement;
  if (confinement == NULL || !(confinement->flags & CONFINE_JUDGE_SETTINGS) || task->cause == CAUSE_NONE) return;
  for (size_t i = 0; i < confinement->count; i++)
    if (confinement->entries[i].kind == ENTRY_SETTINGS) release(confinement->entries[i].path);
}

int settings_may_stay(const struct task *task, int folder, const char *path) {
  char which[256];
  struct file none = {.fd = -1}, new = {.fd = -1};
  if (!(task->request.confinement->flags & CONFINE_JUDGE_SETTINGS)) return 0;
  if (find_entry(task->request.confinement, ENTRY_SETTINGS, path) == NULL) return 0;
  int may_stay = open_file(folder, strrchr(path, '/') + 1, O_RDONLY, &new) == 0 &&
                 is_sound_change(task, path, &none, &new, which, sizeof which);
  close_file(&new);
  return may_stay;
}

int settings_may_be_partial(const struct confinement *confinement) {
  const struct confine_entry *named = find_entry(confinement, ENTRY_SETTING_NAMES, NULL);
  for (const char *name = named == NULL ? NULL : named->path; name != NULL && name < named->end; name += strlen(name) + 1)
    if (strcmp(name, "/remote.*.promisor") == 0) return 1;
  return 0;
}
