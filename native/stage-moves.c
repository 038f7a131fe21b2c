// Objects that undo and redo have put back: the same as before, with another time of change. A file of the store, for all stages,
// says so; with it, an earlier stage knows what it has left in the project after a later one was undone.

#define _GNU_SOURCE
#include "stage.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_MOVES (256u << 10)

static int compare_times(const struct timespec *a, const struct timespec *b) {
  return is_same_time(a, b) ? 0 : is_since_time(a, b) ? 1 : -1;
}

static int compare_moves(const void *first, const void *second) {
  const struct stage_move *a = first, *b = second;
  if (a->id.device != b->id.device) return a->id.device < b->id.device ? -1 : 1;
  if (a->id.inode != b->id.inode) return a->id.inode < b->id.inode ? -1 : 1;
  return compare_times(&a->after, &b->after);
}

static int read_at(int fd, void *bytes, size_t size, off_t from) {
  for (size_t done = 0; done < size;) {
    ssize_t count = pread(fd, (char *)bytes + done, size - done, from + (off_t)done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : EIO;
    done += (size_t)count;
  }
  return 0;
}

static int write_at(int fd, const void *bytes, size_t size, off_t to) {
  for (size_t done = 0; done < size;) {
    ssize_t count = pwrite(fd, (const char *)bytes + done, size - done, to + (off_t)done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : EIO;
    done += (size_t)count;
  }
  return 0;
}

static int open_moves(const struct stage *stage, int flags, size_t *count) {
  struct stat status;
  int fd = openat(stage->store, "moves", flags | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0 && (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))) {
    close(fd);
    return -1;
  }
  // A record that a crash has cut off does not count.
  if (fd >= 0) *count = (size_t)status.st_size / sizeof(struct stage_move);
  return fd;
}

void moves_load(struct stage *stage) {
  size_t count = 0;
  int fd = open_moves(stage, O_RDONLY, &count);
  if (fd < 0) return;
  size_t first = count > MAX_MOVES ? count - MAX_MOVES : 0;
  struct stage_move *moves = calloc(count - first + 1, sizeof *moves);
  if (moves != NULL && read_at(fd, moves, (count - first) * sizeof *moves, (off_t)(first * sizeof *moves)) == 0) {
    stage->move_count = count - first;
    qsort(moves, stage->move_count, sizeof *moves, compare_moves);
    stage->moves = moves;
  } else
    free(moves);
  close(fd);
}

/** The time before the object was put back at this one; NULL if it was not. */
static const struct timespec *find_earlier(const struct stage *stage, const struct stat *status, const struct timespec *time) {
  struct stage_move key = {.id = file_id_of(status), .after = *time};
  const struct stage_move *found =
      stage->move_count == 0 ? NULL : bsearch(&key, stage->moves, stage->move_count, sizeof key, compare_moves);
  return found == NULL || is_since_time(&found->before, &found->after) ? NULL : &found->before;
}

int is_unchanged_since(const struct stage *stage, const struct stat *status, const struct timespec *mark) {
  for (const struct timespec *time = &status->st_ctim; time != NULL; time = find_earlier(stage, status, time))
    if (is_same_time(time, mark)) return 1;
  return 0;
}

int is_changed_since(const struct stage *stage, const struct stat *status, const struct timespec *since) {
  for (const struct timespec *time = &status->st_ctim; time != NULL; time = find_earlier(stage, status, time))
    if (!is_since_time(time, since)) return 0;
  return 1;
}

static int look_at_unit(const struct stage *stage, const struct unit *unit, struct stat *status) {
  const char *name = unit->path;
  int is_root = strcmp(unit->path, ".") == 0;
  int folder = is_root ? stage->roots[unit->root].fd : root_folder_of(stage, unit, &name);
  return folder >= 0 && look_at(folder, name, status) == 0;
}

/** What a verb has taken out of the root: in `undo` after a landing, in the upper layer after an undo. A folder stays. */
static int look_at_taken(const struct stage *stage, size_t which, enum moved_to where, struct stat *status) {
  const struct unit *unit = &stage->units[which];
  const char *name;
  char number[32];
  if (unit->kind == UNIT_FOLDER) return look_at_unit(stage, unit, status);
  snprintf(number, sizeof number, "%zu", which);
  if (where == MOVED_TO_UNDO) return look_at(stage->roots[unit->root].undo, number, status) == 0;
  int folder = upper_folder_of(stage, unit, &name);
  return folder >= 0 && look_at(folder, name, status) == 0;
}

void moves_begin(const struct stage *stage, enum moved_to from, struct unit_mark *earlier, struct unit_mark *marks) {
  struct stat status;
  for (size_t i = 0; i < stage->unit_count; i++) {
    if (look_at_unit(stage, &stage->units[i], &status)) {
      marks[i].taken = file_id_of(&status);
      marks[i].before = status.st_ctim;
    }
    // Whatever has changed it in the stage, or a folder in the root, was not a verb.
    if (earlier == NULL || earlier[i].taken.inode == 0) continue;
    int is_there = look_at_taken(stage, i, from, &status) && is_same_file(&earlier[i].taken, &status);
    if (!is_there || !is_unchanged_since(stage, &status, &earlier[i].inside)) earlier[i].taken.inode = 0;
  }
}

static int append(const struct stage *stage, const struct stage_move *moves, size_t added) {
  size_t count;
  int fd = open_moves(stage, O_RDWR | O_CREAT, &count), error = 0;
  if (fd < 0) return errno;
  if (count + added > 2 * MAX_MOVES && stage->moves != NULL) {
    // Without them, an undo is refused that could have been done.
    error = ftruncate(fd, 0) < 0 ? errno : 0;
    count = 0;
  }
  if (error == 0) error = write_at(fd, moves, added * sizeof *moves, (off_t)(count * sizeof *moves));
  close(fd);
  return error;
}

int moves_end(const struct stage *stage, enum moved_to to, const struct unit_mark *earlier, struct unit_mark *marks) {
  struct stage_move *moves = calloc(stage->unit_count + 1, sizeof *moves);
  struct stat status;
  size_t count = 0;
  if (moves == NULL) return ENOMEM;
  for (size_t i = 0; i < stage->unit_count; i++) {
    if (marks[i].taken.inode != 0 && look_at_taken(stage, i, to, &status) && is_same_file(&marks[i].taken, &status))
      marks[i].inside = status.st_ctim;
    else marks[i].taken.inode = 0;
    if (earlier == NULL || earlier[i].taken.inode == 0 || !look_at_unit(stage, &stage->units[i], &status)) continue;
    if (is_same_file(&earlier[i].taken, &status))
      moves[count++] = (struct stage_move){earlier[i].taken, earlier[i].before, status.st_ctim};
  }
  int error = count == 0 ? 0 : append(stage, moves, count);
  free(moves);
  return error;
}
