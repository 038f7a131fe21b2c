// The first process of a room: forks one process for each command, in the place of its init, and ends what such a process leaves
// behind. It has no capabilities, no filter, and may not be inspected; no process inside can signal it. Its own end is the end of
// everything in the room.

#define _GNU_SOURCE
#include "room.h"
#include "confine.h"
#include "entry.h"
#include "keeper.h"
#include "tree.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_JOBS 256
/** Without a command. */
#ifndef IDLE_MS
#define IDLE_MS 120000
#endif
/** Between two rounds of killing what a lost job has left. */
#define AGAIN_MS 5
/** For all of them. Then the room ends: what forks faster than it can be killed must not run on. */
#define ORPHANS_MS 1500
#define MAX_CHILDREN 4096
/** Where a job has its descriptors: behind those of its command. */
#define JOB_FD 3

enum { AT_CONTROL, AT_SIGNALS, AT_JOBS };

/** A command. `report` is kept open until nothing of it is left, so that its supervisor sees the end of it. */
struct job {
  pid_t pid;
  int report;
  int is_ended, is_abandoned;
};

static struct job jobs[MAX_JOBS];
static size_t job_count;
static struct confine_report confinement;
static int control = ROOM_CONTROL, signals, children;
static uint32_t received;
/** How many commands were started: their first processes see it, too. */
static volatile uint32_t *started;
/** Since when processes without a job are being killed; 0 = there are none. */
static uint64_t orphans_at;

static struct job *find_job(pid_t pid) {
  for (size_t i = 0; i < job_count; i++)
    if (jobs[i].pid == pid && !jobs[i].is_ended) return &jobs[i];
  return NULL;
}

static void take_inherited(const struct room_start *start) {
  umask((mode_t)start->umask);
  for (int i = 0; i < RLIM_NLIMITS; i++) {
    struct rlimit own;
    const struct rlimit *wanted = &start->limits[i];
    if (getrlimit((__typeof__(RLIMIT_CPU))i, &own) == 0 && own.rlim_cur == wanted->rlim_cur && own.rlim_max == wanted->rlim_max) continue;
    if (setrlimit((__typeof__(RLIMIT_CPU))i, wanted) < 0) _exit(127);
  }
}

/** Nothing of the room and of other jobs: a supervisor that waits for its end must not wait for ours. */
static void keep_only(int *fds, int count) {
  int copies[START_FDS];
  for (int i = 0; i < count; i++)
    if ((copies[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, JOB_FD + START_FDS)) < 0) _exit(127);
  for (int i = 0; i < count; i++)
    if ((fds[i] = dup3(copies[i], JOB_FD + i, O_CLOEXEC)) < 0) _exit(127);
  close_from((unsigned)(JOB_FD + count));
}

static _Noreturn void be_job(const struct room_start *start, int *fds, int count) {
  static char text[ENTRY_TEXT_BYTES];
  struct request request;
  const struct ahead ahead = {.is_shared = 1, .is_room = 1, .report = confinement, .notify = -1, .started = started,
                              .is_alone = job_count == 0};
  keep_only(fds, count);
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) _exit(127);
  prctl(PR_SET_NAME, "hs-command");
  take_inherited(start);
  size_t size = (size_t)start->payload_size;
  uint8_t *payload = room_read_payload(fds[START_PAYLOAD], size);
  if (payload == NULL || request_parse(&request, payload, size) != NULL || request.confinement == NULL) _exit(127);
  free(payload);
  close(fds[START_PAYLOAD]);
  // The command that it waits for is not known yet; this one has already been run.
  entry_fill(text);
  if (start->is_held) request.argv[request.argc - 1] = text;
  spawn_as_init(&request, &ahead, fds + START_INIT, start->is_held ? fds[START_HOLD] : -1);
}

// Those whose names are hidden by mounts, not by an overlay, could change: such a room has one command.
static int is_firm(void) { return !(confinement.missing & 1u << CONFINE_OVERLAYS); }

static void leave_world(void) {
  if (control >= 0) close(control);
  control = -1;
}

static void hear_world(void) {
  struct room_start start;
  int fds[START_FDS], count;
  while (control >= 0 && (count = room_receive(control, &start, fds)) != -1) {
    if (count == 0) {
      leave_world();
      return;
    }
    received++;
    ++*started;
    pid_t pid = job_count < MAX_JOBS ? fork() : -1;
    if (pid == 0) be_job(&start, fds, count);
    for (int i = 0; i < count; i++)
      if (i != START_INIT + INIT_REPORT || pid < 0) close(fds[i]);
    if (pid > 0) jobs[job_count++] = (struct job){.pid = pid, .report = fds[START_INIT + INIT_REPORT]};
    if (!is_firm()) leave_world();
  }
}

static int has_ended(pid_t pid) {
  int fd = (int)syscall(SYS_pidfd_open, pid, 0);
  struct pollfd poll_fd = {fd, POLLIN, 0};
  if (fd < 0) return errno == ESRCH;
  int is_ended = poll(&poll_fd, 1, 0) == 1;
  close(fd);
  return is_ended;
}

static void reap(void) {
  pid_t pid;
  while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
    struct job *job = find_job(pid);
    if (job != NULL) job->is_ended = 1;
  }
}

/** Kills our children that are no jobs: orphans of a job that was killed. How many of them live. A debugger in the room may keep
 * a dead one from being reaped. */
static size_t kill_orphans(void) {
  static pid_t pids[MAX_CHILDREN];
  size_t living = 0;
  ssize_t count = tree_read_children(children, pids, MAX_CHILDREN);
  if (count < 0) _exit(1);
  for (ssize_t i = count - 1; i >= 0; i--) {
    if (find_job(pids[i]) != NULL || has_ended(pids[i])) continue;
    kill(pids[i], SIGKILL);
    living++;
  }
  return living;
}

static size_t count_living(void) {
  size_t count = 0;
  for (size_t i = 0; i < job_count; i++) count += !jobs[i].is_ended;
  return count;
}

static void end_orphans(void) {
  uint64_t until = now_ms() + AGAIN_MS;
  size_t living;
  do {
    // Without other commands everything at once, and no process can fork out of that.
    if (count_living() == 0) kill(-1, SIGKILL);
    reap();
    living = kill_orphans();
  } while (living > 0 && now_ms() < until);
  if (living == 0) orphans_at = 0;
  else if (orphans_at == 0) orphans_at = now_ms();
  else if (now_ms() >= orphans_at + ORPHANS_MS) _exit(1);
}

static void tell_idle(void) {
  const struct room_note note = {received};
  if (control >= 0) (void)!send(control, &note, sizeof note, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/** Lets the supervisors of ended commands know that nothing is left of them. */
static void drop_ended(void) {
  size_t kept = 0;
  for (size_t i = 0; i < job_count; i++) {
    if (jobs[i].is_ended) close(jobs[i].report);
    else jobs[kept++] = jobs[i];
  }
  if (kept == 0 && job_count > 0) tell_idle();
  job_count = kept;
}

// Only a supervisor limits and ends a command: without one it ends.
static void end_abandoned(const struct pollfd *polls, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (polls[i].revents == 0 || jobs[i].is_ended) continue;
    jobs[i].is_abandoned = 1;
    kill(jobs[i].pid, SIGKILL);
  }
}

static void serve(void) {
  static struct pollfd polls[AT_JOBS + MAX_JOBS];
  size_t polled = job_count;
  int wait = orphans_at != 0 ? AGAIN_MS : job_count == 0 ? IDLE_MS : -1;
  polls[AT_CONTROL] = (struct pollfd){control, POLLIN, 0};
  polls[AT_SIGNALS] = (struct pollfd){signals, POLLIN, 0};
  for (size_t i = 0; i < polled; i++) polls[AT_JOBS + i] = (struct pollfd){jobs[i].is_abandoned ? -1 : jobs[i].report, 0, 0};
  int ready = poll(polls, AT_JOBS + polled, wait);
  if (ready < 0) return;
  if (ready == 0 && orphans_at == 0) _exit(0);
  struct signalfd_siginfo info;
  while (read(signals, &info, sizeof info) > 0) continue;
  end_abandoned(polls + AT_JOBS, polled);
  size_t before = count_living();
  reap();
  // What a job leaves behind becomes ours when it ends, not later.
  if (orphans_at != 0 || count_living() < before) end_orphans();
  if (orphans_at == 0) drop_ended();
  if (polls[AT_CONTROL].revents != 0) hear_world();
  if (control < 0 && job_count == 0) _exit(0);
}

/** 0 if the confinement is not in force. */
static int take_confinement(void) {
  struct request request;
  struct stat status;
  size_t size = fstat(ROOM_STATE, &status) < 0 || status.st_size <= (off_t)sizeof confinement ? 0 : (size_t)status.st_size - sizeof confinement;
  uint8_t *payload = room_read_payload(ROOM_STATE, size);
  if (payload == NULL || request_parse(&request, payload, size) != NULL || request.confinement == NULL) return 0;
  if (pread(ROOM_STATE, &confinement, sizeof confinement, (off_t)size) != (ssize_t)sizeof confinement) return 0;
  int is_held = confine_restrict_files(request.confinement, &confinement) == 0;
  free(payload);
  request_free(&request);
  close(ROOM_STATE);
  return is_held;
}

_Noreturn void room_serve(void) {
  sigset_t all;
  if (prctl(PR_SET_DUMPABLE, 0) < 0 || getpid() != 1) _exit(64);
  prctl(PR_SET_NAME, "hs-room");
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  sigemptyset(&all);
  sigaddset(&all, SIGCHLD);
  signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
  // Before the domain, which may not show it.
  children = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  int flags = fcntl(ROOM_CONTROL, F_SETFD, FD_CLOEXEC);
  started = mmap(NULL, sizeof *started, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (started == MAP_FAILED || signals < 0 || children < 0 || flags < 0 || !take_confinement()) _exit(1);
  for (;;) serve();
}
