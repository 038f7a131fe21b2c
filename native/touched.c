// What a command may have changed, created or moved, by kernel timestamps, and by what existed before it if the plan
// does not know all of that.

#define _GNU_SOURCE
#include "sweep.h"
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DONT_SYNC 0x4000u
#define NO_AUTOMOUNT 0x800u
/** More than FRESH_MS in src/sandbox/boundary.ts. */
#define PLAN_SECONDS 10

struct volume {
  uint32_t major, minor;
  int trust;
};

/** A repository, or a protected name, by its place and identity. */
struct noted {
  uint64_t path, device, inode;
};

static struct timespec since;
/** How far the clock is ahead of the time since boot. */
static int64_t clock_offset_ns;
/** Known until a mount changes, which this descriptor tells. */
static struct volume volumes[16];
static size_t volume_count;
static int mounts_fd = -1;
static struct noted *survey;
static size_t survey_count, survey_capacity;
static int is_survey_cut, is_partly_known;

static int64_t read_clock_offset(void) {
  struct timespec wall, running;
  clock_gettime(CLOCK_REALTIME, &wall);
  clock_gettime(CLOCK_BOOTTIME, &running);
  return (wall.tv_sec - running.tv_sec) * 1000000000ll + wall.tv_nsec - running.tv_nsec;
}

static void forget_old_volumes(void) {
  struct pollfd changes = {mounts_fd, POLLPRI, 0};
  if (mounts_fd >= 0 && poll(&changes, 1, 0) == 0) return;
  volume_count = 0;
  // Opened before they are read: a change in between is told.
  if (mounts_fd < 0) mounts_fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
}

void sweep_begin_times(void) {
  // The clock that dates files: it advances in ticks.
  clock_gettime(CLOCK_REALTIME_COARSE, &since);
  clock_offset_ns = read_clock_offset();
  forget_old_volumes();
  survey_count = 0;
  is_survey_cut = 0;
}

void sweep_resume_times(const struct timespec *begun) {
  sweep_begin_times();
  since = *begun;
  is_survey_cut = 1;
}

void sweep_follow_clock(void) {
  int64_t offset = read_clock_offset(), back = clock_offset_ns - offset;
  if (back <= 0) return;
  int64_t at = since.tv_sec * 1000000000ll + since.tv_nsec - back;
  since = (struct timespec){at / 1000000000ll, at % 1000000000ll};
  clock_offset_ns = offset;
}

int sweep_look(int folder, const char *name, struct file_status *status) {
  unsigned flags = AT_SYMLINK_NOFOLLOW | DONT_SYNC | NO_AUTOMOUNT | (name[0] == 0 ? AT_EMPTY_PATH : 0);
  return (int)syscall(SYS_statx, folder, name, flags, FILE_STATUS_BASIC | FILE_STATUS_MADE, status);
}

static int trust_of_type(const char *type) {
  static const char *const BOTH[] = {"ext2", "ext3", "ext4", "xfs", "tmpfs"};
  static const char *const TIMES[] = {"btrfs", "overlay", "f2fs"};
  if (is_any(type, BOTH, sizeof BOTH / sizeof *BOTH)) return TRUST_TIMES | TRUST_LINKS;
  if (is_any(type, TIMES, sizeof TIMES / sizeof *TIMES)) return TRUST_TIMES;
  // Remote file systems may never answer, and use another clock.
  static const char *const REMOTE[] = {"nfs", "nfs4", "cifs", "smb3", "ceph", "afs", "autofs"};
  int is_remote = is_any(type, REMOTE, sizeof REMOTE / sizeof *REMOTE) || strncmp(type, "fuse", 4) == 0;
  return is_remote ? TRUST_NO_ANSWER : TRUST_NOTHING;
}

// By the kernel's mount table: asking the file system itself could block forever.
static int find_trust(uint32_t major, uint32_t minor) {
  char line[4096], type[64];
  unsigned a, b;
  int trust = TRUST_NOTHING;
  FILE *mounts = fopen("/proc/self/mountinfo", "re");
  while (mounts != NULL && fgets(line, sizeof line, mounts) != NULL) {
    if (sscanf(line, "%*s %*s %u:%u", &a, &b) != 2 || a != major || b != minor) continue;
    const char *rest = strstr(line, " - ");
    if (rest != NULL && sscanf(rest, " - %63s", type) == 1) trust = trust_of_type(type);
    break;
  }
  if (mounts != NULL) fclose(mounts);
  return trust;
}

int sweep_trust_in(const struct file_status *status) {
  for (size_t i = 0; i < volume_count; i++)
    if (volumes[i].major == status->device_major && volumes[i].minor == status->device_minor) return volumes[i].trust;
  int trust = find_trust(status->device_major, status->device_minor);
  if (volume_count < sizeof volumes / sizeof *volumes)
    volumes[volume_count++] = (struct volume){status->device_major, status->device_minor, trust};
  return trust;
}

static int is_since(const struct file_time *time) {
  // Some disks only store whole seconds.
  int is_fine = time->nanoseconds != 0;
  return time->seconds > since.tv_sec || (time->seconds == since.tv_sec && (!is_fine || time->nanoseconds >= since.tv_nsec));
}

int sweep_is_touched(const struct file_status *status) {
  return !(sweep_trust_in(status) & TRUST_TIMES) || is_since(&status->changed);
}

int sweep_is_settled(const struct file_status *status) { return status->changed.seconds < since.tv_sec - PLAN_SECONDS; }

void sweep_set_partly_known(int is) { is_partly_known = is; }

int sweep_is_partly_known(void) { return is_partly_known; }

static struct noted describe(const char *path, const struct file_status *status) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (; *path != 0; path++) hash = (hash ^ (uint8_t)*path) * 0x100000001b3ull;
  return (struct noted){hash, (uint64_t)status->device_major << 32 | status->device_minor, status->inode};
}

void survey_cut(void) { is_survey_cut = 1; }

void survey_note(const char *path, const struct file_status *status) {
  if (survey_count == survey_capacity) {
    size_t capacity = survey_capacity > 0 ? 2 * survey_capacity : 64;
    struct noted *more = realloc(survey, capacity * sizeof *more);
    if (more == NULL) {
      is_survey_cut = 1;
      return;
    }
    survey = more;
    survey_capacity = capacity;
  }
  survey[survey_count++] = describe(path, status);
}

static int is_surveyed(const char *path, const struct file_status *status) {
  struct noted wanted = describe(path, status);
  for (size_t i = 0; i < survey_count; i++)
    if (memcmp(&survey[i], &wanted, sizeof wanted) == 0) return 1;
  return 0;
}

int sweep_was_here(const char *path, const struct file_status *status) { return is_surveyed(path, status); }

// A folder changes with everything in it: a user who works in their own repository in the meantime must not lose it.
int sweep_is_new(const char *path, const struct file_status *status, int is_moved) {
  if (!is_partly_known) return is_moved || sweep_is_touched(status);
  if (is_surveyed(path, status)) return 0;
  if (!is_survey_cut || is_moved) return 1;
  return S_ISDIR(status->mode) && (status->mask & FILE_STATUS_MADE) ? is_since(&status->made) : sweep_is_touched(status);
}
