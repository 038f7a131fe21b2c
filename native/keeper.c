// The keeper: frames from the host go to the supervisor of their task, frames from supervisors go to the host.
// It runs no commands and keeps no output, so it stays small and forks fast. Supervisors that finished a task without
// leftovers take the next one.

#define _GNU_SOURCE
#include "cgroup.h"
#include "frame.h"
#include "handover.h"
#include "keeper.h"
#include "task.h"
#include "undo.h"
#include "world.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_LINKS 4096
#define MAX_IDLE 4
#define READ_BYTES (256u << 10)
/** Above the first, supervisors wait; below the second they continue. */
#define HOST_HIGH (4u << 20)
#define HOST_LOW (1u << 20)
/** A host that sends stdin without waiting for credit. */
#define LINK_HIGH (16u << 20)
#define SWEEP_MS 20
/** For worlds that end because no process uses them: one that stays has background tasks. */
#define WORLDS_MS 100
/** Longer than a supervisor needs to end a tree whose host is gone, even one that it has to give up. */
#define FAREWELL_MS 15000
#define EVENTS 64
/** Beyond this, commands have a network of their own. */
#define MAX_WORLDS 256
#define MAX_SEARCHERS 64
/** For all of them, when the host is gone. */
#define SEARCHERS_MS 6000
/** Dead children in a row before others get a turn. */
#define REAP_TURN 256

enum { EVENT_HOST = MAX_LINKS, EVENT_SIGNALS, EVENT_CHANNEL };

struct link {
  int fd;
  pid_t pid;
  uint32_t task;
  /** Has or had a task that may have leftovers; it ends on its own. */
  int is_busy;
  int is_background, has_lane;
  struct buffer in, out;
  uint32_t watched;
  /** The request of the task and when it came: if the supervisor is killed, another process searches for what the command left. */
  struct buffer request;
  struct timespec begun;
};

static struct link links[MAX_LINKS];
static int link_count;
static const int host = HOST_FD;
static int poller, signals, next_lane, lane_count, holder_count, has_channel;
static struct buffer from_host, to_host;
static uint32_t host_watched;
static int is_host_full;
static struct cgroup_support cgroup;
static uint64_t sweep_until;
/** Processes that keep worlds, and are our children; 0 = none. */
static pid_t worlds[MAX_WORLDS];
/** Processes that search in the place of a killed supervisor; 0 = none. */
static pid_t searchers[MAX_SEARCHERS];
static int has_dead;

static void watch(int fd, uint32_t index, uint32_t *watched, uint32_t wanted) {
  if (*watched == wanted) return;
  struct epoll_event event = {.events = wanted, .data.u32 = index};
  if (epoll_ctl(poller, *watched == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event) < 0) die("epoll");
  *watched = wanted;
}

static pid_t *find_in(pid_t *pids, int count, pid_t pid) {
  for (int i = 0; i < count; i++)
    if (pids[i] == pid) return &pids[i];
  return NULL;
}

static pid_t *find_world(pid_t pid) { return find_in(worlds, MAX_WORLDS, pid); }
static pid_t *find_searcher(pid_t pid) { return find_in(searchers, MAX_SEARCHERS, pid); }

static int is_ours(pid_t pid) {
  for (int i = 0; i < link_count; i++)
    if (links[i].pid == pid) return 1;
  return find_world(pid) != NULL || find_searcher(pid) != NULL;
}

static struct link *find_link(uint32_t task) {
  for (int i = 0; i < link_count; i++)
    if (links[i].fd >= 0 && links[i].task == task) return &links[i];
  return NULL;
}

// A lane ends with its supervisor, and the supervisor of a background task ends with the task: those get none.
static struct link *find_idle(int is_background) {
  for (int i = 0; i < link_count; i++)
    if (links[i].fd >= 0 && !links[i].is_busy && !(is_background && links[i].has_lane)) return &links[i];
  return NULL;
}

static struct link *free_link(void) {
  for (int i = 0; i < link_count; i++)
    if (links[i].fd < 0 && links[i].pid == 0) return &links[i];
  return link_count < MAX_LINKS ? &links[link_count++] : NULL;
}

static _Noreturn void become_supervisor(int link, int lane) {
  // Over our descriptors: all that is left of the keeper in the child is its code.
  if (dup2(link, HOST_FD) < 0 || fcntl(HOST_FD, F_SETFD, FD_CLOEXEC) < 0) _exit(70);
  if (lane >= 0 && lane != LANE_FD && dup2(lane, LANE_FD) < 0) _exit(70);
  if (lane >= 0 && fcntl(LANE_FD, F_SETFD, FD_CLOEXEC) < 0) _exit(70);
  if (lane < 0) close(LANE_FD);
  if (has_channel && dup2(CHANNEL_FD, SUPERVISOR_CHANNEL_FD) < 0) _exit(70);
  if (has_channel && fcntl(SUPERVISOR_CHANNEL_FD, F_SETFD, FD_CLOEXEC) < 0) _exit(70);
  close_from(has_channel ? SUPERVISOR_CHANNEL_FD + 1 : SUPERVISOR_CHANNEL_FD);
  handover_use(has_channel ? SUPERVISOR_CHANNEL_FD : -1);
  // Lanes are given out once, so this limits the number of waiting shells; the first supervisors get most of the work.
  supervise(lane >= 0, lane >= 0 && lane - LANE_FD < holder_count, &cgroup);
}

static struct link *fork_supervisor(int is_background) {
  int ends[2];
  struct link *link = free_link();
  if (link == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) < 0) return NULL;
  int lane = !is_background && next_lane < lane_count ? LANE_FD + next_lane : -1;
  pid_t pid = fork();
  if (pid == 0) become_supervisor(ends[1], lane);
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return NULL;
  }
  if (lane >= 0) {
    close(lane);
    next_lane++;
  }
  *link = (struct link){.fd = ends[0], .pid = pid, .has_lane = lane >= 0};
  watch(link->fd, (uint32_t)(link - links), &link->watched, EPOLLIN);
  return link;
}

static int count_idle(void) {
  int count = 0;
  for (int i = 0; i < link_count; i++) count += links[i].fd >= 0 && !links[i].is_busy;
  return count;
}

// In turns: orphans of a dead supervisor may fork endlessly.
static void reap_children(void) {
  pid_t pid = 0;
  has_dead = 0;
  for (int turn = 0; turn < REAP_TURN && (pid = waitpid(-1, NULL, WNOHANG)) > 0; turn++) {
    for (int i = 0; i < link_count; i++)
      if (links[i].pid == pid) links[i].pid = 0;
    pid_t *other = find_world(pid);
    if (other == NULL) other = find_searcher(pid);
    if (other != NULL) *other = 0;
  }
  has_dead = pid > 0;
}

static void sweep(void) {
  struct tree tree = {0};
  uint64_t until = now_ms() + SWEEP_MS;
  // Endless forks are faster than inspection; see native/terminate.c.
  do reap_children();
  while ((tree_kill_children(is_ours, 0) > 0 || has_dead) && now_ms() < until);
  size_t found = tree_kill(&tree, is_ours, 0);
  tree_free(&tree);
  if (found == 0 && now_ms() >= sweep_until) sweep_until = 0;
}

static void search_for(const struct link *link) {
  pid_t *place = find_searcher(0);
  if (place == NULL || buffer_size(&link->request) == 0) return;
  pid_t pid = fork();
  if (pid == 0) {
    close_from(HOST_FD);
    undo_in_place_of(link->request.data, link->request.end, &link->begun);
  }
  if (pid > 0) *place = pid;
}

// Without an exit frame the supervisor was killed. Its orphans are our children now, and only such orphans are. One
// that could not end everything leaves orphans too.
static void close_link(struct link *link) {
  if (link->task != 0 || link->is_busy) sweep_until = now_ms() + 1000;
  epoll_ctl(poller, EPOLL_CTL_DEL, link->fd, NULL);
  close(link->fd);
  link->fd = -1;
  buffer_free(&link->in);
  buffer_free(&link->out);
  if (link->task != 0) search_for(link);
  buffer_free(&link->request);
  if (link->task == 0) return;
  report_error(&to_host, link->task, ERROR_SUPERVISOR, STEP_NONE, 0, "the supervisor of the task was killed");
  link->task = 0;
}

static void flush_to_link(struct link *link) {
  if (buffer_flush(&link->out, link->fd) < 0) return;
  watch(link->fd, (uint32_t)(link - links), &link->watched,
        (is_host_full ? 0u : (uint32_t)EPOLLIN) | (buffer_size(&link->out) > 0 ? (uint32_t)EPOLLOUT : 0u) | (uint32_t)EPOLLRDHUP);
}

static void hear_link(struct link *link) {
  struct frame frame;
  enum frame_result result;
  ssize_t count = buffer_fill(&link->in, link->fd, READ_BYTES);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) {
    close_link(link);
    return;
  }
  while ((result = frame_next(&link->in, &frame, 0)) == FRAME_COMPLETE) {
    if (frame.type != OUT_DONE) {
      buffer_append(&to_host, frame.raw, frame.raw_size);
      continue;
    }
    link->task = 0;
    buffer_free(&link->request);
    link->is_busy = frame.size < 1 || frame.payload[0] != 1;
    if (!link->is_busy && !link->has_lane && count_idle() > MAX_IDLE) {
      close_link(link);
      return;
    }
  }
  if (result == FRAME_MALFORMED) close_link(link);
  else if (buffer_size(&link->in) == 0) buffer_free(&link->in);
}

// Before its command: a world must not be a child of a supervisor, for which every child belongs to its task.
static void keep_world(const struct frame *frame) {
  const char *path = request_world(frame->payload, frame->size);
  pid_t *free_place = path == NULL ? NULL : find_world(0);
  if (free_place != NULL) *free_place = world_keep(path);
}

static void start(const struct frame *frame) {
  int is_background = request_is_background(frame->payload, frame->size);
  struct link *link = find_idle(is_background);
  if (link == NULL) link = fork_supervisor(is_background);
  if (link == NULL) {
    report_error(&to_host, frame->task, ERROR_START, STEP_RESOURCES, errno ? errno : EAGAIN, "cannot start a supervisor");
    return;
  }
  keep_world(frame);
  link->task = frame->task;
  link->is_busy = 1;
  link->is_background = is_background;
  clock_gettime(CLOCK_REALTIME_COARSE, &link->begun);
  buffer_append(&link->request, frame->payload, frame->size);
  buffer_append(&link->out, frame->raw, frame->raw_size);
  flush_to_link(link);
}

/** 0 if the connection must end. */
static int obey(const struct frame *frame) {
  if (!frame_is_sound(frame)) return 0;
  if (frame->type == IN_PING && frame->task == 0) {
    size_t begun = frame_begin(&to_host, OUT_PONG, 0);
    buffer_append(&to_host, frame->payload, frame->size);
    frame_end(&to_host, begun);
    return 1;
  }
  struct link *link = find_link(frame->task);
  if (frame->type == IN_START) {
    if (link != NULL) return 0;
    start(frame);
    return 1;
  }
  // A task that has just ended: the host could not know yet.
  if (link == NULL) return 1;
  if (frame->type == IN_DETACH) link->is_background = 1;
  buffer_append(&link->out, frame->raw, frame->raw_size);
  flush_to_link(link);
  return buffer_size(&link->out) <= LINK_HIGH;
}

static int hear_host(void) {
  struct frame frame;
  enum frame_result result;
  ssize_t count = buffer_fill(&from_host, host, READ_BYTES);
  if (count < 0 && errno == EAGAIN) return 1;
  if (count <= 0) return 0;
  while ((result = frame_next(&from_host, &frame, 1)) == FRAME_COMPLETE)
    if (!obey(&frame)) return 0;
  // A fork copies our memory: after a large request it is released.
  if (buffer_size(&from_host) == 0 && from_host.capacity > 2 * READ_BYTES) buffer_free(&from_host);
  return result != FRAME_MALFORMED;
}

static int hear_signals(void) {
  struct signalfd_siginfo info;
  int goes_on = 1;
  while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
    if (info.ssi_signo == SIGTERM) goes_on = 0;
  reap_children();
  return goes_on;
}

static int flush_to_host(void) {
  if (buffer_flush(&to_host, host) < 0) return 0;
  size_t waiting = buffer_size(&to_host);
  watch(host, EVENT_HOST, &host_watched, EPOLLIN | (waiting > 0 ? (uint32_t)EPOLLOUT : 0u));
  if (is_host_full ? waiting < HOST_LOW : waiting > HOST_HIGH) {
    is_host_full = !is_host_full;
    for (int i = 0; i < link_count; i++)
      if (links[i].fd >= 0) flush_to_link(&links[i]);
  }
  return 1;
}

static void greet(void) {
  size_t frame = frame_begin(&to_host, OUT_HELLO, 0);
  put_u32(&to_host, PROTOCOL_VERSION);
  put_u32(&to_host, (uint32_t)getpid());
  put_u32(&to_host, cgroup.features);
  frame_end(&to_host, frame);
}

// Node answers each descriptor with a line; the host's own answer comes as a frame.
static void hear_channel(void) {
  char line[4096];
  ssize_t count;
  do count = read(CHANNEL_FD, line, sizeof line);
  while (count > 0);
  if (count == 0 || (errno != EAGAIN && errno != EINTR)) epoll_ctl(poller, EPOLL_CTL_DEL, CHANNEL_FD, NULL);
}

static int handle(uint32_t index, uint32_t events) {
  if (index == EVENT_HOST) return !(events & (EPOLLIN | EPOLLHUP | EPOLLERR)) || hear_host();
  if (index == EVENT_SIGNALS) return hear_signals();
  if (index == EVENT_CHANNEL) {
    hear_channel();
    return 1;
  }
  struct link *link = &links[index];
  if (link->fd < 0) return 1;
  if (events & EPOLLOUT) flush_to_link(link);
  if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) hear_link(link);
  return 1;
}

static int has_foreground(void) {
  for (int i = 0; i < link_count; i++)
    if (links[i].pid != 0 && !links[i].is_background) return 1;
  return 0;
}

static int has_any(const pid_t *pids, int count) {
  for (int i = 0; i < count; i++)
    if (pids[i] > 0) return 1;
  return 0;
}

static void wait_for_all(const pid_t *pids, int count, uint64_t most_ms) {
  for (uint64_t until = now_ms() + most_ms; has_any(pids, count) && now_ms() < until;) {
    struct pollfd poll_signals = {signals, POLLIN, 0};
    poll(&poll_signals, 1, SWEEP_MS);
    hear_signals();
  }
}

// When the foreground is gone, so that its leases are.
static void end_worlds(void) {
  for (int i = 0; i < MAX_WORLDS; i++) {
    if (worlds[i] <= 0) continue;
    kill(worlds[i], SIGTERM);
    // A stopped process receives SIGTERM only after it continues.
    kill(worlds[i], SIGCONT);
  }
  wait_for_all(worlds, MAX_WORLDS, WORLDS_MS);
}

// Supervisors see that we hang up and act according to their task. We stay until the foreground is gone: if
// no process reaps orphans, as in many containers, they would stay as zombies.
static void say_farewell(void) {
  uint64_t until = now_ms() + FAREWELL_MS;
  close(host);
  for (int i = 0; i < link_count; i++)
    if (links[i].fd >= 0) close(links[i].fd);
  while (has_foreground() && now_ms() < until) {
    struct pollfd poll_signals = {signals, POLLIN, 0};
    poll(&poll_signals, 1, has_dead ? 0 : SWEEP_MS);
    hear_signals();
    if (sweep_until != 0) sweep();
  }
  end_worlds();
  wait_for_all(searchers, MAX_SEARCHERS, SEARCHERS_MS);
}

int keep(int lanes, int holders, int channel) {
  uint32_t signals_watched = 0, channel_watched = 0;
  has_channel = channel;
  lane_count = lanes;
  holder_count = holders;
  signals = open_signals();
  poller = epoll_create1(EPOLL_CLOEXEC);
  if (poller < 0) die("epoll");
  for (int fd = HOST_FD; fd < LANE_FD + lane_count; fd++)
    if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) die("a descriptor of the host");
  if (has_channel && fcntl(CHANNEL_FD, F_SETFL, O_NONBLOCK) < 0) die("the channel");
  if (has_channel && fcntl(CHANNEL_FD, F_SETFD, FD_CLOEXEC) < 0) die("the channel");
  cgroup_detect(&cgroup);
  watch(signals, EVENT_SIGNALS, &signals_watched, EPOLLIN);
  if (has_channel) watch(CHANNEL_FD, EVENT_CHANNEL, &channel_watched, EPOLLIN);
  greet();
  int goes_on = flush_to_host();
  if (goes_on) fork_supervisor(0);
  while (goes_on) {
    struct epoll_event events[EVENTS];
    int count = epoll_wait(poller, events, EVENTS, has_dead ? 0 : sweep_until != 0 ? SWEEP_MS : -1);
    if (has_dead) reap_children();
    // Supervisors before the host: an idle one can take the host's next request, and may have a shell waiting for it.
    for (int i = 0; i < count && goes_on; i++)
      if (events[i].data.u32 != EVENT_HOST) goes_on = handle(events[i].data.u32, events[i].events);
    for (int i = 0; i < count && goes_on; i++)
      if (events[i].data.u32 == EVENT_HOST) goes_on = handle(EVENT_HOST, events[i].events);
    if (sweep_until != 0) sweep();
    if (goes_on) goes_on = flush_to_host();
  }
  buffer_flush(&to_host, host);
  say_farewell();
  cgroup_forget(&cgroup);
  return 0;
}
