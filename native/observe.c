// A call's paths → reports: absolute, without `.`, `..` and doubled slashes, links not followed. A caller that changes them
// in the meantime makes a report wrong and nothing else: no decision may depend on these.

#define _GNU_SOURCE
#include "observe.h"
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TOLD 4096u
#define SLOTS (2 * MAX_TOLD)

static uint64_t *told;
static uint32_t told_count, untold;

static uint64_t hash_of(enum observed what, const char *text) {
  uint64_t hash = 0xcbf29ce484222325ull ^ (uint64_t)what;
  for (; *text != 0; text++) hash = (hash ^ (uint8_t)*text) * 0x100000001b3ull;
  return hash != 0 ? hash : 1;
}

/** Whether it is new, and there is space for it. */
static int remember(uint64_t hash) {
  if (told == NULL && (told = calloc(SLOTS, sizeof *told)) == NULL) return 0;
  size_t at = hash % SLOTS;
  for (; told[at] != 0; at = (at + 1) % SLOTS)
    if (told[at] == hash) return 0;
  if (told_count == MAX_TOLD) {
    untold++;
    return 0;
  }
  told[at] = hash;
  told_count++;
  return 1;
}

void observe_target(struct task *task, enum observed what, const char *target) {
  if (remember(hash_of(what, target)) && !report_observed(task, what, target)) untold++;
}

uint32_t observe_end(void) {
  uint32_t count = untold;
  free(told);
  told = NULL;
  told_count = untold = 0;
  return count;
}

/** In place; `path` is absolute. */
static void make_plain(char *path) {
  size_t end = 0;
  for (const char *part = path; *part != 0;) {
    while (*part == '/') part++;
    size_t length = strcspn(part, "/");
    if (length == 2 && part[0] == '.' && part[1] == '.') {
      while (end > 0 && path[--end] != '/') continue;
    } else if (length > 0 && !(length == 1 && part[0] == '.')) {
      path[end++] = '/';
      memmove(path + end, part, length);
      end += length;
    }
    part += length;
  }
  if (end == 0) path[end++] = '/';
  path[end] = 0;
}

static enum observed kind_of(const struct observed_call *call, const struct notice *notice) {
  uint64_t flags = call->flags < 0 ? WRITING_FLAGS : notice->arguments[call->flags];
  if (notice->number == SYS_openat2 && notice_read(notice, notice->arguments[2], &flags, sizeof flags) != 0) flags = 0;
  return call->what == OBSERVED_WRITE && !(flags & WRITING_FLAGS) ? OBSERVED_READ : call->what;
}

void observe_call(struct task *task, const struct notice *notice) {
  static char path[PATH_MAX], whole[2 * PATH_MAX];
  int reads = (task->request.confinement->flags & CONFINE_OBSERVE_ALL) != 0;
  for (const struct observed_call *call = OBSERVED_CALLS; call->number != -1; call++) {
    if (call->number != notice->number) continue;
    enum observed what = kind_of(call, notice);
    int folder = call->folder < 0 ? AT_FDCWD : (int)notice->arguments[call->folder];
    if (what == OBSERVED_READ && !reads) continue;
    if (notice_read_text(notice, notice->arguments[call->path], path, sizeof path) < 0) continue;
    if (notice_absolute(notice, folder, path, whole, sizeof whole) != 0) continue;
    make_plain(whole);
    observe_target(task, what, whole);
  }
}
