// The first process of a room: forks one process for each command, in the place of its init, and ends what such a process leaves
// behind. It has no capabilities, what all filters refuse is refused to it, and it may not be inspected; no process inside can
// signal it. Its own end is the end of everything in the room.

#define _GNU_SOURCE
#include "room.h"
#include "confine.h"
#include "descriptors.h"
#include "entry.h"
#include "file-limit.h"
#include "keeper.h"
#include "tree.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/** Without a command. */
#ifndef IDLE_MS
#define IDLE_MS 20000
#endif
/** Between two rounds of killing what a lost job has left. */
#define AGAIN_MS 5
/** For all of them. Then the room ends: what forks faster than it can be killed must not run on. */
#define ORPHANS_MS 1500
#define MAX_CHILDREN 4096
/** Where a job has its descriptors: behind those of its command. */
#define JOB_FD 3
/** Those of a start, and where its filter's notifications arrive. */
#define JOB_FDS (START_FDS + 1)
/** Without an event, before a spare process is made: a room that is busy does not wait for it. */
#define PAUSE_MS 1
/** The world did not take a note. */
#define TELL_AGAIN_MS 200
#define MAX_EVENTS 64
/** Events of children in a row before others get a turn. */
#define REAP_TURN 256

/** What an event is about: one of these, or the PID of a job, or with a bit the ticket of a visitor. */
enum { EVENT_CONTROL = 0, EVENT_SIGNALS = 1 };
#define EVENT_VISIT (1ull << 32)
#define EVENT_VISITOR (1ull << 33)

/** A command. `report` is kept open until nothing of it is left, so that its supervisor sees the end of it. */
struct job {
  pid_t pid;
  int report;
  uint32_t ticket;
  int is_ended;
  /** Of a visitor, which has no PID here: its init, a child of its supervisor; -1 = it has none yet. */
  int init_fd;
};

static struct job jobs[MAX_JOBS];
static size_t job_count;
static struct confine_report confinement;
static int control = ROOM_CONTROL, signals, children, events_fd;
/** How many requests have come, and the last of them. */
static uint32_t received, last_ticket;
/** No more requests come; or none are taken, and the world is told. */
static int is_retired, is_closed;
/** There may be more events of children. */
static int has_more;
/** The world does not know yet what is over. */
static int is_untold;
/** A process that waits behind its filter for the next command with the same flags; `pid` 0 = there is none. */
static struct {
  pid_t pid;
  int gate;
  uint32_t flags;
} spare;
static uint32_t last_flags;
/** How many requests had come when the last one was made: others may kill it, and it is not made again and again. */
static uint32_t spare_made_at;
/** How many commands were started: their first processes see it, too. */
static volatile uint32_t *started;
/** Since when processes without a job are being killed; 0 = there are none. */
static uint64_t orphans_at;

static int watch(int fd, uint32_t events, uint64_t about) {
  struct epoll_event event = {.events = events, .data.u64 = about};
  return epoll_ctl(events_fd, EPOLL_CTL_ADD, fd, &event);
}

// Others have it open as well, so to close it is not enough.
static void unwatch(int fd) { epoll_ctl(events_fd, EPOLL_CTL_DEL, fd, NULL); }

static struct job *find_job(pid_t pid) {
  for (size_t i = 0; i < job_count; i++)
    if (jobs[i].pid == pid && !jobs[i].is_ended) return &jobs[i];
  return NULL;
}

static struct job *find_visitor(uint32_t ticket) {
  for (size_t i = 0; i < job_count; i++)
    if (jobs[i].pid == 0 && jobs[i].ticket == ticket && !jobs[i].is_ended) return &jobs[i];
  return NULL;
}

static void take_inherited(const struct room_start *start) {
  umask((mode_t)start->umask);
  file_limit_set_usual(start->limits[RLIMIT_NOFILE].rlim_cur);
  for (int i = 0; i < RLIM_NLIMITS; i++) {
    struct rlimit own, wanted = start->limits[i];
    // Its soft limit is for the command: until then we send descriptors.
    if (i == RLIMIT_NOFILE) wanted.rlim_cur = wanted.rlim_max;
    if (getrlimit((__typeof__(RLIMIT_CPU))i, &own) == 0 && own.rlim_cur == wanted.rlim_cur && own.rlim_max == wanted.rlim_max) continue;
    if (setrlimit((__typeof__(RLIMIT_CPU))i, &wanted) < 0) _exit(127);
  }
}

/** Nothing of the room and of other jobs: a supervisor that waits for its end must not wait for ours. */
static void keep_only(int *fds, int count) {
  int copies[JOB_FDS];
  for (int i = 0; i < count; i++)
    if ((copies[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, JOB_FD + JOB_FDS)) < 0) _exit(127);
  for (int i = 0; i < count; i++)
    if ((fds[i] = dup3(copies[i], JOB_FD + i, O_CLOEXEC)) < 0) _exit(127);
  close_from((unsigned)(JOB_FD + count));
}

static void be_subreaper(void) {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) _exit(127);
  prctl(PR_SET_NAME, "hs-command");
}

/** Becomes the init of a command. `filtered`: NULL, or the state of a spare process. */
static _Noreturn void be_job(const struct room_start *start, const int *given, int count, const struct ahead *filtered) {
  static char text[ENTRY_TEXT_BYTES];
  struct request request;
  struct ahead ahead = {.is_shared = 1, .is_room = 1, .report = confinement, .notify = -1};
  int fds[JOB_FDS];
  if (filtered != NULL) ahead = *filtered;
  ahead.started = started;
  ahead.number = start->number;
  ahead.is_alone = (int)start->is_alone;
  memcpy(fds, given, (size_t)count * sizeof *fds);
  fds[count] = ahead.notify;
  keep_only(fds, ahead.notify < 0 ? count : count + 1);
  ahead.notify = fds[count];
  if (filtered == NULL) be_subreaper();
  take_inherited(start);
  // Otherwise something has changed the room: the command starts elsewhere.
  if (room_scheduling() != start->scheduling) _exit(127);
  size_t size = (size_t)start->payload_size;
  uint8_t *payload = room_read_payload(fds[START_PAYLOAD], size);
  if (payload == NULL || request_parse(&request, payload, size) != NULL || request.confinement == NULL) _exit(127);
  // The filter is that of these flags.
  if (request.confinement->flags != start->flags) _exit(127);
  free(payload);
  close(fds[START_PAYLOAD]);
  // The command that it waits for is not known yet; this one has already been run.
  entry_fill(text);
  if (start->is_held) request.argv[request.argc - 1] = text;
  spawn_as_init(&request, &ahead, fds + START_INIT, start->is_held ? fds[START_HOLD] : -1);
}

static _Noreturn void be_spare(int gate, uint32_t flags) {
  const struct confinement filter = {.flags = flags};
  struct ahead ahead = {.is_shared = 1, .is_room = 1, .is_filtered = 1, .report = confinement, .notify = -1};
  struct room_start start;
  struct pollfd poll_gate = {JOB_FD, POLLIN, 0};
  int fds[START_FDS], count;
  keep_only(&gate, 1);
  be_subreaper();
  if (spawn_be_alone() < 0 || confine_filter(&filter, &ahead.report, &ahead.notify) < 0) _exit(127);
  do {
    poll(&poll_gate, 1, -1);
    count = room_receive(JOB_FD, &start, fds);
  } while (count < 0 && errno == EAGAIN);
  if (count <= 0) _exit(0);
  be_job(&start, fds, count, &ahead);
}

// Those whose names are hidden by mounts, not by an overlay, could change: such a room has one command.
static int is_firm(void) { return !(confinement.missing & 1u << CONFINE_OVERLAYS); }

static void tell_world(void) {
  struct room_note note = {.seen = last_ticket, .is_closed = (uint32_t)is_closed};
  for (size_t i = 0; i < job_count; i++) note.tickets[note.count++] = jobs[i].ticket;
  size_t size = offsetof(struct room_note, tickets) + note.count * sizeof *note.tickets;
  is_untold = send(control, &note, size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM);
}

static void retire(void) {
  unwatch(control);
  is_retired = 1;
}

static void forget_spare(void) {
  if (spare.pid > 0) close(spare.gate);
  spare.pid = 0;
}

// Not while one command is alone: the kernel counts its processes for it. What a filter depends on beyond its flags is not ahead.
static void make_spare(void) {
  int ends[2];
  spare_made_at = received;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return;
  pid_t pid = fork();
  if (pid == 0) be_spare(ends[1], last_flags);
  close(ends[1]);
  spare.pid = pid > 0 ? pid : 0;
  spare.gate = ends[0];
  spare.flags = last_flags;
  if (pid < 0) close(ends[0]);
}

static int wants_spare(void) {
  return spare.pid == 0 && !is_retired && !is_closed && received != spare_made_at && job_count != 1 && job_count < MAX_JOBS && orphans_at == 0 &&
         !(last_flags & ~(uint32_t)CONFINE_AHEAD);
}

/** The PID of the init of a new command, or -1. */
static pid_t start_job(const struct room_start *start, const int *fds, int count) {
  if (job_count == MAX_JOBS) return -1;
  pid_t pid = spare.pid;
  if (pid > 0 && spare.flags == start->flags && room_send(spare.gate, start, fds, (size_t)count) == 0) {
    forget_spare();
    return pid;
  }
  // It is waiting for something else, and ends with its connection.
  forget_spare();
  pid = fork();
  if (pid == 0) be_job(start, fds, count, NULL);
  return pid;
}

// Without a watch its supervisor could vanish unseen: such a job ends before it may run anything.
static void add_job(pid_t pid, int report, uint32_t ticket) {
  jobs[job_count++] = (struct job){.pid = pid, .report = report, .ticket = ticket, .init_fd = -1};
  if (watch(report, 0, (uint64_t)pid) < 0) kill(pid, SIGKILL);
}

// Only Landlock keeps its processes and ours from tracing each other.
static void take_visit(const struct room_start *start, int report) {
  int is_welcome = !is_closed && job_count < MAX_JOBS && (confinement.held >> CONFINE_FILES & 1);
  received++;
  last_ticket = start->ticket;
  if (!is_welcome || watch(report, EPOLLIN, EVENT_VISIT | start->ticket) < 0 || send(report, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1) {
    close(report);
    tell_world();
    return;
  }
  ++*started;
  jobs[job_count++] = (struct job){.report = report, .ticket = start->ticket, .init_fd = -1};
}

static void leave(struct job *job) {
  unwatch(job->report);
  if (job->init_fd >= 0) {
    unwatch(job->init_fd);
    close(job->init_fd);
  }
  job->init_fd = -1;
  job->is_ended = 1;
}

// The init of a visitor comes before its command may run; after that only the end of the connection, by its supervisor.
static void hear_visit(uint32_t ticket) {
  struct job *job = find_visitor(ticket);
  char byte;
  int fd;
  if (job == NULL) return;
  if (job->init_fd < 0 && take_descriptors(job->report, &byte, 1, &fd, 1)) {
    job->init_fd = fd;
    // Its end would not be seen.
    if (watch(fd, EPOLLIN, EVENT_VISITOR | ticket) < 0) _exit(1);
    return;
  }
  unwatch(job->report);
  if (job->init_fd < 0) leave(job);
  else syscall(SYS_pidfd_send_signal, job->init_fd, SIGKILL, NULL, 0);
}

static void hear_visitor(uint32_t ticket) {
  struct job *job = find_visitor(ticket);
  if (job != NULL) leave(job);
}

static void take_start(struct room_start *start, const int *fds, int count) {
  pid_t pid = -1;
  received++;
  last_ticket = start->ticket;
  if (!is_closed) {
    start->number = ++*started;
    start->is_alone = job_count == 0;
    last_flags = start->flags;
    pid = start_job(start, fds, count);
  }
  for (int i = 0; i < count; i++)
    if (i != START_INIT + INIT_REPORT || pid < 0) close(fds[i]);
  if (pid > 0) add_job(pid, fds[START_INIT + INIT_REPORT], start->ticket);
  if (pid < 0 || (!is_closed && !is_firm())) {
    is_closed = is_closed || !is_firm();
    tell_world();
  }
}

static void hear_world(void) {
  struct room_start start;
  int fds[START_FDS], count;
  while (!is_retired && (count = room_receive(control, &start, fds)) != -1) {
    if (count == 0) retire();
    else if (start.is_visit) take_visit(&start, fds[START_PAYLOAD]);
    else take_start(&start, fds, count);
  }
  // The world was killed, or is not to be understood.
  if (!is_retired && errno != EAGAIN) retire();
}

static int has_ended(pid_t pid) {
  int fd = (int)syscall(SYS_pidfd_open, pid, 0);
  struct pollfd poll_fd = {fd, POLLIN, 0};
  if (fd < 0) return errno == ESRCH;
  int is_ended = poll(&poll_fd, 1, 0) == 1;
  close(fd);
  return is_ended;
}

// Others may stop the init of a command: it goes on at once, because only it reports, and ends, what is below it. They may do so
// again and again, and other work must not wait for that.
static void reap(void) {
  pid_t pid = 0;
  int status;
  has_more = 1;
  for (int turn = 0; turn < REAP_TURN; turn++) {
    if ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) <= 0) {
      has_more = 0;
      return;
    }
    struct job *job = find_job(pid);
    if (WIFSTOPPED(status)) {
      if (job != NULL || pid == spare.pid) kill(pid, SIGCONT);
      continue;
    }
    if (job != NULL) {
      job->is_ended = 1;
      unwatch(job->report);
    }
    if (pid == spare.pid) forget_spare();
  }
}

static int is_among(pid_t pid, const pid_t *pids, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (pids[i] == pid) return 1;
  return 0;
}

// Kills our children that are no jobs: orphans of a job that was killed. How many may still have children of their own: one that
// has ended since it was listed may have forked before. Ended ones that are listed a second time cannot be reaped, because a
// debugger in the room has them.
static size_t kill_orphans(void) {
  static pid_t pids[MAX_CHILDREN], ended[MAX_CHILDREN];
  static size_t ended_count;
  size_t open_count = 0, still_ended = 0;
  reap();
  ssize_t count = tree_read_children(children, pids, MAX_CHILDREN);
  if (count < 0) _exit(1);
  for (ssize_t i = count - 1; i >= 0; i--) {
    if (pids[i] == spare.pid || find_job(pids[i]) != NULL) continue;
    int is_ended = has_ended(pids[i]);
    if (!is_ended) kill(pids[i], SIGKILL);
    open_count += !is_ended || !is_among(pids[i], ended, ended_count);
    // To the end of the list, which is read from there.
    if (is_ended) pids[count - 1 - (ssize_t)still_ended++] = pids[i];
  }
  memcpy(ended, pids + count - (ssize_t)still_ended, still_ended * sizeof *ended);
  ended_count = still_ended;
  return open_count;
}

static size_t count_living(void) {
  size_t count = 0;
  for (size_t i = 0; i < job_count; i++) count += !jobs[i].is_ended;
  return count;
}

static void end_orphans(void) {
  uint64_t until = now_ms() + AGAIN_MS;
  size_t living = kill_orphans();
  // Without other commands everything at once, and no process can fork out of that.
  if (living > 0 && count_living() == 0) kill(-1, SIGKILL);
  while (living > 0 && now_ms() < until) living = kill_orphans();
  if (living == 0) orphans_at = 0;
  else if (orphans_at == 0) orphans_at = now_ms();
  else if (now_ms() >= orphans_at + ORPHANS_MS) _exit(1);
}

/** Proves to the supervisors of ended commands that nothing is left of them. */
static void drop_ended(void) {
  static const struct room_proof proof = {.is_gone = 1};
  size_t kept = 0, before = job_count;
  for (size_t i = 0; i < job_count; i++) {
    if (!jobs[i].is_ended) {
      jobs[kept++] = jobs[i];
      continue;
    }
    (void)!send(jobs[i].report, &proof, sizeof proof, MSG_NOSIGNAL | MSG_DONTWAIT);
    close(jobs[i].report);
  }
  job_count = kept;
  if (kept < before) tell_world();
}

// Only a supervisor limits and ends a command: without one it ends.
static void end_abandoned(pid_t pid) {
  struct job *job = find_job(pid);
  if (job == NULL) return;
  unwatch(job->report);
  kill(pid, SIGKILL);
}

static int wait_ms(int wants) {
  if (has_more) return 0;
  if (orphans_at != 0) return AGAIN_MS;
  if (is_untold) return TELL_AGAIN_MS;
  if (wants) return PAUSE_MS;
  return job_count == 0 ? IDLE_MS : -1;
}

static void pass_time(int wants) {
  if (has_more || orphans_at != 0) return;
  if (is_untold) tell_world();
  else if (wants) make_spare();
  else _exit(0);
}

static void serve(void) {
  struct epoll_event events[MAX_EVENTS];
  struct signalfd_siginfo info;
  int wants = wants_spare(), is_asked = 0;
  int count = epoll_wait(events_fd, events, MAX_EVENTS, wait_ms(wants));
  if (count < 0 && errno == EINTR) return;
  // A room that cannot wait ends no command any more, so it ends, and the kernel ends them.
  if (count < 0) _exit(1);
  if (count == 0) pass_time(wants);
  size_t before = count_living();
  while (read(signals, &info, sizeof info) > 0) continue;
  for (int i = 0; i < count; i++) {
    uint64_t about = events[i].data.u64;
    if (about == EVENT_CONTROL) is_asked = 1;
    else if (about & EVENT_VISIT) hear_visit((uint32_t)about);
    else if (about & EVENT_VISITOR) hear_visitor((uint32_t)about);
    else if (about != EVENT_SIGNALS) end_abandoned((pid_t)about);
  }
  reap();
  // What a job leaves behind becomes ours when it ends, not later.
  if (orphans_at != 0 || count_living() < before) end_orphans();
  if (orphans_at == 0) drop_ended();
  if (is_asked && !is_retired) hear_world();
  if (is_retired && job_count == 0) _exit(0);
}

/** 0 if the confinement is not in force. */
static int take_confinement(void) {
  struct request request;
  struct stat status;
  size_t size = fstat(ROOM_STATE, &status) < 0 || status.st_size <= (off_t)sizeof confinement ? 0 : (size_t)status.st_size - sizeof confinement;
  uint8_t *payload = room_read_payload(ROOM_STATE, size);
  if (payload == NULL || request_parse(&request, payload, size) != NULL || request.confinement == NULL) return 0;
  if (pread(ROOM_STATE, &confinement, sizeof confinement, (off_t)size) != (ssize_t)sizeof confinement) return 0;
  int is_held = confine_restrict_files(request.confinement, &confinement) == 0 && confine_seccomp_ahead(request.confinement) == 0;
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
  events_fd = epoll_create1(EPOLL_CLOEXEC);
  // Before the domain, which may not show it.
  children = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  int flags = fcntl(ROOM_CONTROL, F_SETFD, FD_CLOEXEC);
  started = mmap(NULL, sizeof *started, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (started == MAP_FAILED || signals < 0 || children < 0 || flags < 0) _exit(1);
  if (watch(control, EPOLLIN, EVENT_CONTROL) < 0 || watch(signals, EPOLLIN, EVENT_SIGNALS) < 0 || !take_confinement()) _exit(1);
  for (;;) serve();
}
