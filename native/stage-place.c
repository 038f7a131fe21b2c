// The folder of a stage: opened, locked and read. Refuses one that others can access, or that belongs to another user.

#define _GNU_SOURCE
#include "stage.h"
#include "whole-file.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#define FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define MAX_STATE_FILE (1u << 30)

enum stage_exit stage_trouble(const char *what, int error) {
  fprintf(stderr, "hardshell: staged changes: %s%s%s\n", what, error != 0 ? ": " : "", error != 0 ? strerror(error) : "");
  return STAGE_TROUBLE;
}

int stage_gain_access(void) {
  struct confine_identity identity = {geteuid(), getegid()};
  struct rlimit files;
  // A deep tree needs two descriptors for each level.
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  if (identity.uid == 0 || unshare(CLONE_NEWUSER) < 0) return 0;
  return confine_take_identity(&identity);
}

enum stage_exit stage_open_locked(struct stage *stage, const char *path, int lock) {
  struct stat status;
  *stage = (struct stage){.fd = open(path, FOLDER), .lock = lock, .store = -1};
  if (stage->fd < 0 || fstat(stage->fd, &status) < 0) return stage_trouble(path, errno);
  int is_private = status.st_uid == geteuid() && (status.st_mode & 077) == 0;
  if (!is_private) return stage_trouble("the folder of the stage is open to other users", 0);
  return (stage->path = strdup(path)) == NULL ? stage_trouble("memory", ENOMEM) : STAGE_DONE;
}

enum stage_exit stage_open(struct stage *stage, const char *path) {
  enum stage_exit result = stage_open_locked(stage, path, -1);
  if (result != STAGE_DONE) return result;
  stage->lock = openat(stage->fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (stage->lock < 0) return stage_trouble("lock", errno);
  if (flock(stage->lock, LOCK_EX | LOCK_NB) == 0) return STAGE_DONE;
  int error = errno;
  close(stage->lock);
  stage->lock = -1;
  return error == EWOULDBLOCK ? STAGE_BUSY : stage_trouble("lock", error);
}

char *stage_read(const struct stage *stage, const char *name, size_t *size) {
  int fd = openat(stage->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return NULL;
  char *text = read_whole_file(fd, MAX_STATE_FILE, size);
  int error = errno;
  close(fd);
  errno = error;
  return text;
}

static int has_range_error(int result) { return result < 0 && errno != EINVAL && errno != ESPIPE && errno != ENOSYS; }

void stage_start_writing(const struct stage *stage, const char *name) {
  int fd = openat(stage->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return;
  sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
  close(fd);
}

int stage_wait_written(const struct stage *stage, const char *name) {
  int fd = openat(stage->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? 0 : errno;
  // Without a flush of the disk, which costs milliseconds: the file system flushes it before it commits later renames.
  int error = has_range_error(sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER)) ? errno : 0;
  close(fd);
  return error;
}

static void name_draft(char draft[64], const char *name) { snprintf(draft, 64, "%s.new", name); }

static int write_draft(const struct stage *stage, const char *draft, const void *bytes, size_t size) {
  int fd = openat(stage->fd, draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  int error = 0;
  for (size_t done = 0; done < size && error == 0;) {
    ssize_t count = write(fd, (const char *)bytes + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) error = count < 0 ? errno : EIO;
    else done += (size_t)count;
  }
  close(fd);
  return error;
}

int stage_write(const struct stage *stage, const char *name, const void *bytes, size_t size) {
  char draft[64];
  name_draft(draft, name);
  int error = write_draft(stage, draft, bytes, size);
  return error == 0 && renameat(stage->fd, draft, stage->fd, name) < 0 ? errno : error;
}

int stage_draft(const struct stage *stage, const char *name, const void *bytes, size_t size) {
  char draft[64];
  name_draft(draft, name);
  int error = write_draft(stage, draft, bytes, size);
  if (error == 0) stage_start_writing(stage, draft);
  return error;
}

int stage_publish(const struct stage *stage, const char *name) {
  char draft[64];
  name_draft(draft, name);
  int error = stage_wait_written(stage, draft);
  return error == 0 && renameat(stage->fd, draft, stage->fd, name) < 0 ? errno : error;
}

int stage_take_time(const struct stage *stage, const char *name, struct timespec *time) {
  int fd = openat(stage->fd, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  int error = take_time(fd, time);
  close(fd);
  return error;
}

int stage_set_state(const struct stage *stage, const char *state) {
  int error = stage_draft(stage, "state", state, strlen(state));
  return error == 0 ? stage_publish(stage, "state") : error;
}

static int open_root(struct stage_root *root, int stage, const char *path, size_t number) {
  char name[32];
  snprintf(name, sizeof name, "%zu", number);
  *root = (struct stage_root){.path = path, .fd = -1, .folder = -1, .upper = -1, .undo = -1};
  int place = confine_open(path);
  if (place < 0) return errno;
  root->fd = openat(place, ".", FOLDER);
  int error = root->fd < 0 ? errno : 0;
  close(place);
  if (error != 0) return error;
  if ((root->folder = openat(stage, name, FOLDER)) < 0) return errno;
  if (mkdirat(root->folder, "undo", 0700) < 0 && errno != EEXIST) return errno;
  if ((root->undo = openat(root->folder, "undo", FOLDER)) < 0) return errno;
  return (root->upper = openat(root->folder, "upper", FOLDER)) < 0 ? errno : 0;
}

// Two stages that are judged at the same time could each land a half of what neither may land.
static int lock_store(struct stage *stage) {
  if ((stage->store = openat(stage->fd, "..", FOLDER)) < 0) return errno;
  while (flock(stage->store, LOCK_EX) < 0)
    if (errno != EINTR) return errno;
  return 0;
}

enum stage_exit stage_load(struct stage *stage) {
  struct stat status;
  size_t size = 0, count = 0;
  int locked = lock_store(stage);
  if (locked != 0) return stage_trouble("the folder of all stages", locked);
  moves_load(stage);
  if (fstatat(stage->fd, "begun", &status, AT_SYMLINK_NOFOLLOW) < 0) return stage_trouble("begun", errno);
  stage->begun = status.st_ctim;
  stage->bytes = (uint8_t *)stage_read(stage, "confinement", &size);
  if (stage->bytes == NULL) return stage_trouble("confinement", errno);
  const char *wrong = confine_parse(&stage->confinement, stage->bytes, size);
  if (wrong != NULL) return stage_trouble(wrong, 0);
  count = confine_count(stage->confinement, ENTRY_STAGE);
  if (count == 0) return stage_trouble("the stage has no folders", 0);
  if ((stage->roots = calloc(count, sizeof *stage->roots)) == NULL) return stage_trouble("memory", ENOMEM);
  for (size_t i = 0; i < stage->confinement->count; i++) {
    const struct confine_entry *entry = &stage->confinement->entries[i];
    if (entry->kind != ENTRY_STAGE) continue;
    size_t number = stage->root_count++;
    int error = open_root(&stage->roots[number], stage->fd, entry->path, number);
    if (error != 0) return stage_trouble(entry->path, error);
  }
  return STAGE_DONE;
}

void stage_close(struct stage *stage) {
  close_unit_folders();
  for (size_t i = 0; i < stage->root_count; i++) {
    const int fds[] = {stage->roots[i].fd, stage->roots[i].folder, stage->roots[i].upper, stage->roots[i].undo};
    for (size_t k = 0; k < sizeof fds / sizeof *fds; k++)
      if (fds[k] >= 0) close(fds[k]);
  }
  journal_forget(stage);
  free(stage->roots);
  free(stage->moves);
  confine_free(stage->confinement);
  free(stage->bytes);
  free(stage->path);
  if (stage->fd >= 0) close(stage->fd);
  if (stage->store >= 0) close(stage->store);
  // Last: the next process that gets the lock finds a finished stage.
  if (stage->lock >= 0) close(stage->lock);
  *stage = (struct stage){.fd = -1, .lock = -1, .store = -1};
}

int stage_empty(struct stage *stage) {
  static const char *const PARTS[] = {"upper", "work", "undo", "aside", "kept"};
  int error = 0;
  for (size_t i = 0; i < stage->root_count; i++)
    for (size_t k = 0; k < sizeof PARTS / sizeof *PARTS; k++) {
      int failed = remove_tree(stage->roots[i].folder, PARTS[k]);
      if (error == 0) error = failed;
    }
  return error;
}

int stage_remove(struct stage *stage) {
  const char *slash = strrchr(stage->path, '/');
  int error = stage_empty(stage);
  size_t count;
  char **names = error == 0 ? list_names(stage->fd, &count) : NULL;
  for (size_t i = 0; names != NULL && i < count && error == 0; i++) error = remove_tree(stage->fd, names[i]);
  free(names);
  return error == 0 && slash != NULL && rmdir(stage->path) < 0 ? errno : error;
}
