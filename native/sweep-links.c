// Links that a command leaves behind. In a git folder, git writes through them: `COMMIT_EDITMSG -> ~/.bashrc`. In other
// folders, a link to a place that is not searched, such as the private /tmp, brings everything created there into the project.

#define _GNU_SOURCE
#include "keeper.h"
#include "sweep.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_LEVELS 8

/** A bare repository can have any name. */
static int is_in_repository(int folder, const char *path) {
  char up[8 + 3 * MAX_LEVELS + 8] = "";
  if (strstr(path, "/.git/") != NULL || strcmp(strrchr(path, '/'), "/.git") == 0) return 1;
  for (int level = 0; level < MAX_LEVELS; level++) {
    char objects[64], refs[64];
    snprintf(objects, sizeof objects, "%sobjects", up);
    snprintf(refs, sizeof refs, "%srefs", up);
    if (faccessat(folder, objects, F_OK, AT_EACCESS) == 0 && faccessat(folder, refs, F_OK, AT_EACCESS) == 0) return 1;
    strcat(up, "../");
  }
  return 0;
}

/** Where commands may write and no search follows. */
static int is_unsearched_place(const struct task *task, const char *place) {
  const struct confinement *confinement = task->request.confinement;
  if (sweep_covers(task, place)) return 0;
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    const char *writable = entry->kind == ENTRY_WRITE ? entry->path : entry->kind == ENTRY_BIND ? entry->from : NULL;
    if (writable != NULL && is_at_or_below(place, writable)) return 1;
  }
  return 0;
}

static int is_part(const char *part, const char *name) {
  return strcspn(part, "/") == strlen(name) && strncmp(part, name, strlen(name)) == 0;
}

// `/proc/1/root`, also as `/dev/fd/../../1/root`: the files of a process, and its private /tmp. Not `/proc/self/fd/0`.
int leads_to_process(const char *target) {
  int is_proc = 0, may_be_number = 0, is_dev = 0;
  for (const char *part = target; *(part += strspn(part, "/")) != 0; part += strcspn(part, "/")) {
    if (is_part(part, ".")) continue;
    if (is_proc && may_be_number && *part >= '0' && *part <= '9') return 1;
    is_proc = is_proc || is_part(part, "proc") || (is_dev && is_part(part, "fd"));
    is_dev = is_part(part, "dev");
    may_be_number = is_part(part, "proc") || is_part(part, "..");
  }
  return 0;
}

int sweep_is_bad_link(const struct task *task, int folder, const char *path) {
  char target[PATH_MAX], above[8192], place[8192], real[PATH_MAX];
  const char *name = strrchr(path, '/') + 1;
  snprintf(above, sizeof above, "%.*s", (int)(name - 1 - path), path);
  if (is_in_repository(folder, above)) return 1;
  // `.github` would bring `.github/hooks`.
  if (is_above_taken_name(name)) return 1;
  ssize_t size = readlinkat(folder, name, target, sizeof target - 1);
  if (size < 0 || (size_t)size == sizeof target - 1) return 1;
  target[size] = 0;
  if (leads_to_process(target)) return 1;
  if (resolve_text(above, target, (size_t)size, place, sizeof place) && is_unsearched_place(task, place)) return 1;
  return realpath(path, real) != NULL && is_unsearched_place(task, real);
}
