// What is done in the upper layer before a unit is written to the journal: fresh copies of judged files, and held names taken out
// of new trees. After a crash the next plan finds the same changes; the notes of the overlay are needed for that, and stay.

#define _GNU_SOURCE
#include "stage-plan.h"
#include "keeper.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#define FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define COPY_BYTES (1u << 20)

void add_fix(struct planning *planning, enum judged what, const char *record) {
  if (planning->fix_count == planning->fix_capacity) {
    planning->fix_capacity = planning->fix_capacity > 0 ? 2 * planning->fix_capacity : 16;
    planning->fixes = realloc(planning->fixes, planning->fix_capacity * sizeof *planning->fixes);
    if (planning->fixes == NULL) die("memory for a plan");
  }
  struct fix fix = {what, strdup(path_of(planning)), record == NULL ? NULL : strdup(record)};
  if (fix.path == NULL || (record != NULL && fix.record == NULL)) die("memory for a plan");
  planning->fixes[planning->fix_count++] = fix;
}

void forget_fixes(struct planning *planning) {
  while (planning->fix_count > 0) {
    struct fix *fix = &planning->fixes[--planning->fix_count];
    free(fix->path);
    free(fix->record);
  }
}

static int copy_bytes(int from, int to) {
  for (;;) {
    ssize_t count = sendfile(to, from, NULL, COPY_BYTES);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return count < 0 ? errno : 0;
  }
}

/** Replaces a file of the upper layer by a copy that no other process has open. */
static int replace_by_copy(const struct stage_root *root, int folder, const char *name) {
  static const char DRAFT[] = "copy";
  struct stat status;
  int from = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (from < 0 || fstat(from, &status) < 0) return errno;
  int error = S_ISREG(status.st_mode) ? remove_tree(root->folder, DRAFT) : EINVAL;
  int to = error != 0 ? -1 : openat(root->folder, DRAFT, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (error == 0 && to < 0) error = errno;
  if (error == 0) error = copy_bytes(from, to);
  const struct timespec times[2] = {status.st_atim, status.st_mtim};
  if (error == 0 && (fchmod(to, status.st_mode & 0777) < 0 || futimens(to, times) < 0)) error = errno;
  if (error == 0 && renameat(root->folder, DRAFT, folder, name) < 0) error = errno;
  if (to >= 0) close(to);
  close(from);
  return error;
}

/** The copy is judged again: no other process can change its content. */
static int land_copy(struct planning *planning, const struct fix *fix) {
  const struct stage_root *root = &planning->stage->roots[planning->root];
  const char *name;
  struct stat up, lo;
  int upper = open_parent(root->upper, fix->path, &name), lower = open_parent(root->fd, fix->path, &name);
  int error = upper < 0 ? errno : look_at(upper, name, &up) < 0 ? errno : 0;
  if (error == 0 && S_ISREG(up.st_mode)) {
    error = replace_by_copy(root, upper, name);
    if (error == 0 && look_at(upper, name, &up) < 0) error = errno;
  }
  int has_lo = lower >= 0 && look_at(lower, name, &lo) == 0 && !is_whiteout(&lo);
  struct name_view view = {planning->stage, planning->root, fix->path, name, upper, lower, &up, NULL, DIFFERENT_CONTENT};
  if (has_lo) view.lo = &lo;
  if (error == 0 && has_lo) view.difference = compare_files(upper, lower, name, &up, &lo);
  if (error == 0 && judge_name(&view).what == JUDGED_HELD) error = EBUSY;
  if (upper >= 0) close(upper);
  if (lower >= 0) close(lower);
  errno = error;
  return error == 0;
}

static int write_record(int folder, const struct fix *fix) {
  int fd = openat(folder, "record", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  int length = dprintf(fd, "%s\t%s", fix->record, fix->path);
  close(fd);
  return length < 0 ? errno : 0;
}

/** Takes a held name out of a tree that lands: into `kept/N/object`, with a record of what it is. */
static int take_out(struct planning *planning, const struct fix *fix) {
  const struct stage_root *root = &planning->stage->roots[planning->root];
  const char *name;
  char place[32];
  int folder = open_parent(root->upper, fix->path, &name), kept = -1, error = folder < 0 ? errno : 0;
  if (error == 0 && mkdirat(root->folder, "kept", 0700) < 0 && errno != EEXIST) error = errno;
  for (unsigned number = 0; error == 0 && kept < 0; number++) {
    snprintf(place, sizeof place, "kept/%u", number);
    if (mkdirat(root->folder, place, 0700) == 0) kept = openat(root->folder, place, FOLDER);
    else if (errno == EEXIST) continue;
    if (kept < 0) error = errno;
  }
  if (error == 0) error = write_record(kept, fix);
  if (error == 0) error = rename_new(folder, name, kept, "object");
  if (kept >= 0) close(kept);
  if (folder >= 0) close(folder);
  errno = error;
  return error == 0;
}

int prepare_unit(struct planning *planning) {
  for (size_t i = 0; i < planning->fix_count; i++) {
    const struct fix *fix = &planning->fixes[i];
    if (!(fix->what == JUDGED_HELD ? take_out(planning, fix) : land_copy(planning, fix))) return 0;
  }
  return 1;
}

static void list_kept_object(struct planning *planning, int kept, const char *number) {
  char place[64], record[8192];
  struct stat status;
  snprintf(place, sizeof place, "%s/object", number);
  if (look_at(kept, place, &status) < 0) return;
  snprintf(place, sizeof place, "%s/record", number);
  int fd = openat(kept, place, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  ssize_t size = fd < 0 ? -1 : read(fd, record, sizeof record - 1);
  if (fd >= 0) close(fd);
  if (size < 0) return;
  record[size] = 0;
  char *rest = record, *why = strsep(&rest, "\t"), *detail = strsep(&rest, "\t");
  unsigned long reason = strtoul(why, NULL, 10);
  if (rest != NULL && reason < HELD_REASONS) journal_held(planning->stage, (enum held_why)reason, detail, planning->root, rest);
}

void list_kept(struct planning *planning) {
  size_t count;
  int kept = openat(planning->stage->roots[planning->root].folder, "kept", FOLDER);
  char **names = kept < 0 ? NULL : list_names(kept, &count);
  for (size_t i = 0; names != NULL && i < count; i++) list_kept_object(planning, kept, names[i]);
  free(names);
  if (kept >= 0) close(kept);
}
