// The kernel counts the descriptors that are sent and not yet received for each user, and compares the count with the soft limit of
// files of the process that sends (ETOOMANYREFS). Our processes have the hard limit, and the commands a lower one: a command that
// fills the count cannot send any more, and we can. The kernel compares first and counts then: as many messages as there are
// processors may pass at the same moment. (500 threads on two processors were never more than one message above the limit.)

#define _GNU_SOURCE
#include "file-limit.h"
#include <unistd.h>

/** What we may send beyond a command, and what it may send beyond its limit; of a small limit a quarter. */
#define OWN_FILES 1024
/** In one message (SCM_MAX_FD). */
#define MESSAGE_FILES 253

static rlim_t usual_soft = RLIM_INFINITY;
static rlim_t reserved_files = OWN_FILES;

void file_limit_begin(void) {
  struct rlimit limit;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (processors > 0) reserved_files = OWN_FILES + (rlim_t)processors * MESSAGE_FILES;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return;
  usual_soft = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void file_limit_set_usual(rlim_t usual) { usual_soft = usual; }

struct rlimit file_limit_usual(void) {
  struct rlimit limit = {usual_soft, usual_soft};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > usual_soft) limit.rlim_cur = usual_soft;
  return limit;
}

static rlim_t asked_files(const struct request *request) {
  for (size_t i = 0; i < request->rlimit_count; i++)
    if (request->rlimits[i].resource == RLIMIT_NOFILE) return request->rlimits[i].value;
  return 0;
}

// A command without a sandbox could take everything else from us as well.
int file_limit_apply(const struct request *request) {
  struct rlimit limit = file_limit_usual();
  rlim_t reserved = limit.rlim_max / 4 < reserved_files ? limit.rlim_max / 4 : reserved_files, asked = asked_files(request);
  rlim_t most = request->confinement == NULL ? limit.rlim_max : limit.rlim_max - reserved;
  if (asked > most) most = asked < limit.rlim_max ? asked : limit.rlim_max;
  limit.rlim_max = most;
  if (limit.rlim_cur > most) limit.rlim_cur = most;
  return setrlimit(RLIMIT_NOFILE, &limit);
}
