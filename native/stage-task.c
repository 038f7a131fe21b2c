// A supervisor and the stage of its task. The landing is done by a process of its own, which has a user namespace and survives
// the supervisor; it has the lock of the stage as well.

#define _GNU_SOURCE
#include "stage-task.h"
#include "confine-calls.h"
#include "keeper.h"
#include "stage.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOUNT_ID 0x1000u
#define MOUNT_ID_FIELD 0

static struct stage current = {.fd = -1, .lock = -1, .store = -1};
static int is_active;

static int has_stage(const struct task *task) {
  return task->request.confinement != NULL && (task->request.confinement->flags & CONFINE_STAGED);
}

/** Renames work only within one mount, even on one file system. */
static int is_same_mount(int a, int b) {
  struct file_status one, other;
  if (syscall(SYS_statx, a, "", AT_EMPTY_PATH, MOUNT_ID, &one) < 0) return 0;
  if (syscall(SYS_statx, b, "", AT_EMPTY_PATH, MOUNT_ID, &other) < 0) return 0;
  return (one.mask & other.mask & MOUNT_ID) && one.more[MOUNT_ID_FIELD] == other.more[MOUNT_ID_FIELD];
}

// The folder that the command sees has the attributes of the upper layer.
static int make_upper(int folder, const struct stat *like) {
  if (mkdirat(folder, "work", 0700) < 0 || mkdirat(folder, "upper", 0700) < 0) return errno;
  int upper = openat(folder, "upper", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (upper < 0) return errno;
  const struct timespec times[2] = {like->st_atim, like->st_mtim};
  int error = fchmod(upper, like->st_mode & 07777) < 0 || futimens(upper, times) < 0 ? errno : 0;
  close(upper);
  return error;
}

static int make_root(const struct confine_entry *entry) {
  struct stat status;
  const char *number = strrchr(entry->from, '/') + 1;
  int root = confine_open(entry->path), folder = -1;
  int error = root < 0 ? errno : fstat(root, &status) < 0 ? errno : S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
  // The namespace of the command has no other identity: writing would fail.
  if (error == 0 && (status.st_uid != geteuid() || status.st_gid != getegid())) error = EOVERFLOW;
  if (error == 0 && mkdirat(current.fd, number, 0700) < 0) error = errno;
  if (error == 0 && (folder = openat(current.fd, number, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0) error = errno;
  if (error == 0 && !is_same_mount(root, folder)) error = EXDEV;
  if (error == 0) error = make_upper(folder, &status);
  if (root >= 0) close(root);
  if (folder >= 0) close(folder);
  return error;
}

static int make_stage(const struct confinement *confinement) {
  int error = stage_write(&current, "confinement", confinement->bytes, confinement->size);
  for (size_t i = 0; i < confinement->count && error == 0; i++)
    if (confinement->entries[i].kind == ENTRY_STAGE) error = make_root(&confinement->entries[i]);
  if (error == 0) error = stage_write(&current, "state", "running", strlen("running"));
  return error == 0 ? stage_take_time(&current, "begun", &current.begun) : error;
}

int stage_task_begin(struct task *task) {
  char path[4096];
  const struct confinement *confinement = task->request.confinement;
  if (!has_stage(task)) return 0;
  const struct confine_entry *entry = confinement->entries;
  while (entry->kind != ENTRY_STAGE) entry++;
  snprintf(path, sizeof path, "%.*s", (int)(strrchr(entry->from, '/') - entry->from), entry->from);
  enum stage_exit result = stage_open(&current, path);
  struct stat status;
  // A failed start removes its stage: never that of another command.
  int is_used = result == STAGE_DONE && look_at(current.fd, "state", &status) == 0;
  if (result != STAGE_DONE || is_used) {
    stage_close(&current);
    return result == STAGE_BUSY ? EBUSY : is_used ? EEXIST : EACCES;
  }
  is_active = 1;
  return make_stage(confinement);
}

static void let_go(void) {
  stage_close(&current);
  is_active = 0;
}

void stage_task_cancel(void) {
  if (!is_active) return;
  stage_remove(&current);
  let_go();
}

static enum staged_state number_of(const char *state) {
  if (strcmp(state, "empty") == 0) return STAGED_EMPTY;
  if (strcmp(state, "held") == 0) return STAGED_HELD;
  return strcmp(state, "landed") == 0 ? STAGED_LANDED : STAGED_FAILED;
}

static uint32_t count_skipped(const struct stage *stage) {
  uint32_t count = 0;
  struct unit_mark *marks = marks_read(stage, "landed");
  for (size_t i = 0; marks != NULL && i < stage->unit_count; i++)
    if (marks[i].is_skipped && stage->units[i].kind != UNIT_FOLDER) count++;
  free(marks);
  return count;
}

// In a child. It keeps nothing of the supervisor but the lock and the pipe.
static _Noreturn void land(const char *path, int lock, int answer, int holds) {
  enum { LOCK_AT = 3, ANSWER_AT = 4 };
  struct stage stage;
  const char *state = "running";
  int high_lock = fcntl(lock, F_DUPFD_CLOEXEC, ANSWER_AT + 1), high_answer = fcntl(answer, F_DUPFD_CLOEXEC, ANSWER_AT + 1);
  if (high_lock < 0 || high_answer < 0 || dup2(high_lock, LOCK_AT) < 0 || dup2(high_answer, ANSWER_AT) < 0) _exit(STAGE_TROUBLE);
  close_from(ANSWER_AT + 1);
  prctl(PR_SET_NAME, "hs-landing");
  enum stage_exit result = stage_gain_access() != 0 ? STAGE_TROUBLE : stage_open_locked(&stage, path, LOCK_AT);
  if (result == STAGE_DONE) result = stage_load(&stage);
  if (result == STAGE_DONE) result = stage_finish(&stage, holds, &state);
  if (result != STAGE_DONE) _exit(result);
  struct staged_result told = {number_of(state), 0, stage.held_count, stage.name_count};
  if (told.state == STAGED_LANDED) {
    uint32_t skipped = count_skipped(&stage);
    told.held += skipped;
    told.landed = (uint32_t)stage.unit_count - skipped;
  }
  // Without a supervisor there is nothing to report.
  (void)!write(ANSWER_AT, &told, sizeof told);
  _exit(STAGE_DONE);
}

void stage_task_before_report(struct task *task) {
  const struct staged_result result = {STAGED_RUNNING, 0, 0, 0};
  if (is_active) report_staged(task, &result);
}

void stage_task_end(struct task *task) {
  struct staged_result result = {STAGED_FAILED, 0, 0, 0};
  int ends[2], holds = 0;
  if (!is_active) return;
  // A process that cannot be ended may still write: the changes stay in the stage.
  if (task->phase != PHASE_GONE) result.state = STAGED_RUNNING;
  else if (pipe2(ends, O_CLOEXEC) == 0) {
    // A command that has seen or changed what it must not is not trusted with its changes.
    holds = (task->request.confinement->flags & CONFINE_HOLD_CHANGES) || task->exposed != NULL;
    pid_t pid = fork();
    if (pid == 0) land(current.path, current.lock, ends[1], holds);
    close(ends[1]);
    ssize_t size;
    do size = pid < 0 ? -1 : read(ends[0], &result, sizeof result);
    while (size < 0 && errno == EINTR);
    if (size != (ssize_t)sizeof result) result = (struct staged_result){STAGED_FAILED, 0, 0, 0};
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
  }
  if (!task->is_reported) report_staged(task, &result);
  let_go();
}
