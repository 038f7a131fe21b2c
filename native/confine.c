// The steps of a confinement that need no namespace: drop privileges, then Landlock, then the seccomp filter.
// Runs in the child: only system calls, no allocation.

#define _GNU_SOURCE
#include "confine.h"
#include "confine-calls.h"
#include "own-sockets.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CAPABILITY_VERSION_3 0x20080522u

struct capability_header {
  uint32_t version;
  int pid;
};

struct capability_data {
  uint32_t effective, permitted, inheritable;
};

int confine_note(const struct confinement *confinement, struct confine_report *report, enum confine_step step, int error) {
  uint32_t bit = 1u << step;
  if (error == 0) {
    report->held |= bit;
    return 0;
  }
  if (confinement->optional & bit) {
    report->missing |= bit;
    report->why[step] = error;
    return 0;
  }
  report->step = (int32_t)step;
  report->error = error;
  return -1;
}

// An earlier command may have put a link where the plan saw a folder: nothing is granted through a link.
int confine_open(const char *path) {
  struct open_how how = {.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW, .resolve = RESOLVE_NO_SYMLINKS};
  int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
  if (fd >= 0 || errno != ENOSYS) return fd;
  return open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
}

// The bounding set matters for uid 0, which gets all of it with every exec; a process without the right to lower it has
// no capability to lose, and no_new_privs prevents new ones.
static int drop_capabilities(void) {
  struct capability_header header = {CAPABILITY_VERSION_3, 0};
  struct capability_data data[2];
  int is_bounded = 1;
  for (unsigned long capability = 0; capability < 64; capability++) {
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0) continue;
    // If one cannot be lowered, none can, but it may have been before; an unknown number ends the list.
    int is_left = prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
    if (is_left == 0) continue;
    is_bounded = is_left < 0 && errno == EINVAL && capability > 0;
    break;
  }
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 && errno != EINVAL) return errno;
  for (int i = 0; i < 2; i++) data[i] = (struct capability_data){0, 0, 0};
  if (syscall(SYS_capset, &header, data) < 0) return errno;
  return is_bounded || geteuid() != 0 ? 0 : EPERM;
}

static int forbid_new_privileges(void) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return errno;
  return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : EPERM;
}

int confine_drop_privileges(void) {
  int error = drop_capabilities();
  return error != 0 ? error : forbid_new_privileges();
}

int confine_filter(const struct confinement *confinement, struct confine_report *report, int *notify) {
  if (confine_note(confinement, report, CONFINE_SYSTEM_CALLS, confine_seccomp(confinement, notify)) < 0) return -1;
  return confine_is_notified(confinement) ? confine_note(confinement, report, CONFINE_BROKER, *notify < 0 ? ENOSYS : 0) : 0;
}

int confine_restrict_files(const struct confinement *confinement, struct confine_report *report) {
  // Before the filter, which refuses the socket that is needed to ask.
  if ((confinement->flags & CONFINE_OWN_UNIX) &&
      confine_note(confinement, report, CONFINE_SOCKETS, own_sockets_check()) < 0)
    return -1;
  if (confine_note(confinement, report, CONFINE_CAPABILITIES, drop_capabilities()) < 0) return -1;
  if (confine_note(confinement, report, CONFINE_NO_NEW_PRIVILEGES, forbid_new_privileges()) < 0) return -1;
  return confine_landlock(confinement, report);
}

int confine_restrict(const struct confinement *confinement, struct confine_report *report, int *notify) {
  return confine_restrict_files(confinement, report) < 0 ? -1 : confine_filter(confinement, report, notify);
}
