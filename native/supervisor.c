// A supervisor runs one task after another: it spawns, drains, limits, ends and reports. It outlives the keeper and the
// host if its task is a background task; otherwise their end is the task's end.

#define _GNU_SOURCE
#include "broker.h"
#include "exposure.h"
#include "handover.h"
#include "keeper.h"
#include "observe.h"
#include "parked-shell.h"
#include "prestart.h"
#include "publish.h"
#include "refusal.h"
#include "stage-task.h"
#include "task.h"
#include "undo.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define READ_BYTES (256u << 10)
/** Bytes of one stream before others get a turn. */
#define TURN_BYTES (4u << 20)
#define MAX_INPUT (4u << 20)
#define HOST_GONE_GRACE_MS 1000u
#define MAX_CREDIT (1u << 30)
#define PAUSE_NS 400000
/** For a busy host. */
#define HOST_WAIT_MS 20000

enum { AT_LINK, AT_LANE, AT_SIGNALS, AT_OUT, AT_ERR, AT_IN, AT_END, AT_NOTIFY, AT_UNDO, AT_ROOM, AT_EXPOSURE, AT_COUNT = AT_EXPOSURE + EXPOSURE_POLLS };

static struct task task;
static const struct cgroup_support *support;
static pid_t keeper_pid;
static struct buffer from_link;
static uint8_t bytes[READ_BYTES];
static int signals, may_hold;

// The last one out: a keeper that was killed could not remove its folder. While it lives, the folder is in use.
static _Noreturn void leave(void) {
  parked_shell_drop();
  if (getppid() != keeper_pid) cgroup_forget(support);
  _exit(0);
}

// Whether noticed by a read or by a write: without its host a foreground command ends.
static void lose_link(void) {
  if (task.link < 0) return;
  if (task.lane != task.link) close(task.lane);
  close(task.link);
  task.link = task.lane = -1;
  buffer_free(&task.out);
  if (task.is_background || task.command.pid <= 0) return;
  uint32_t grace = task.request.grace_ms;
  end_task(&task, CAUSE_HOST_GONE, grace < HOST_GONE_GRACE_MS ? grace : HOST_GONE_GRACE_MS);
}

static void flush_link(void) {
  if (task.link >= 0 && buffer_flush(&task.out, task.lane) < 0) lose_link();
}

// Before the exit reaches the host, which may then send the next request: the keeper should know who is idle.
static void say_done(int is_reusable) {
  struct buffer notice = {0};
  if (task.link < 0) return;
  size_t frame = frame_begin(&notice, OUT_DONE, task.id);
  put_u8(&notice, (uint8_t)is_reusable);
  frame_end(&notice, frame);
  if (task.lane == task.link) buffer_append(&task.out, notice.data, notice.end);
  else if (buffer_flush(&notice, task.link) < 0 || buffer_size(&notice) > 0) lose_link();
  buffer_free(&notice);
}

static void close_fd(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static int is_paced(void) { return (task.request.flags & FLAG_PACE) && task.link >= 0 && !task.is_reported; }

static void hold_to_limits(int had_error) {
  int error = task.spool.error;
  if (error != 0 && had_error == 0) {
    report_violation(&task, CAUSE_DISK, (uint64_t)error, task.spool.total);
    end_task(&task, CAUSE_DISK, task.request.grace_ms);
  }
  uint64_t limit = task.request.output_limit;
  if (limit == 0 || task.spool.total <= limit || task.is_over_output) return;
  task.is_over_output = 1;
  if (task.cause != CAUSE_NONE) return;
  report_violation(&task, CAUSE_OUTPUT, limit, task.spool.total);
  end_task(&task, CAUSE_OUTPUT, task.request.grace_ms);
  // The last output is often read after the command has ended: that it ended on its own does not change that it is cut.
  if (!task.is_reported) task.cause = CAUSE_OUTPUT;
}

// Past the head the pipe is read directly into the ring: a flood costs one copy.
static ssize_t take_output(int fd, enum stream stream, size_t most) {
  int had_error = task.spool.error;
  uint64_t offset = task.spool.total;
  uint8_t *window = spool_window(&task.spool, most, &most), *at = window != NULL ? window : bytes;
  ssize_t count = read(fd, at, most);
  int error = errno;
  if (window != NULL) spool_commit(&task.spool, stream, count > 0 ? (size_t)count : 0);
  errno = error;
  if (count <= 0) return count;
  if (window == NULL) spool_write(&task.spool, stream, bytes, (size_t)count);
  report_chunk(&task, stream, offset, at, (size_t)count);
  hold_to_limits(had_error);
  return count;
}

static void drain(int *fd, enum stream stream) {
  for (size_t taken = 0; *fd >= 0 && taken < TURN_BYTES;) {
    size_t most = READ_BYTES;
    if (is_paced() && report_room(&task) < most) most = report_room(&task);
    if (most == 0) return;
    ssize_t count = take_output(*fd, stream, most);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      close_fd(fd);
      return;
    }
    taken += (size_t)count;
    if (is_paced()) flush_link();
  }
}

static void feed_input(void) {
  uint32_t taken = 0;
  while (task.command.in >= 0 && buffer_size(&task.input) > 0) {
    ssize_t count = write(task.command.in, task.input.data + task.input.start, buffer_size(&task.input));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count <= 0) {
      // The command no longer reads; that is allowed.
      close_fd(&task.command.in);
      buffer_free(&task.input);
      break;
    }
    task.input.start += (size_t)count;
    taken += (uint32_t)count;
  }
  if (task.input_ends && buffer_size(&task.input) == 0) close_fd(&task.command.in);
  if (taken > 0 || task.command.in < 0) report_input(&task, taken, task.command.in < 0);
}

static void go_background(void) {
  if (task.request.spool == NULL || task.is_background) return;
  task.is_background = 1;
  spool_open(&task.spool);
  record_write(&task);
}

static void obey(const struct frame *frame) {
  uint32_t value;
  if (frame->task != task.id || !frame_is_sound(frame)) return;
  switch (frame->type) {
    case IN_KILL:
      value = get_u32(frame->payload + 1);
      if (frame->payload[0] == KILL_TREE) end_task(&task, CAUSE_CANCELLED, value);
      else signal_command(&task, (int)value);
      break;
    case IN_STDIN:
      if (task.command.in < 0 || task.input_ends) break;
      buffer_append(&task.input, frame->payload, frame->size);
      if (buffer_size(&task.input) > MAX_INPUT) {
        buffer_free(&task.input);
        task.input_ends = 1;
      }
      feed_input();
      break;
    case IN_STDIN_END:
      task.input_ends = 1;
      if (task.command.in >= 0) feed_input();
      break;
    case IN_CREDIT:
      value = get_u32(frame->payload);
      task.credit = value > MAX_CREDIT - task.credit ? MAX_CREDIT : task.credit + value;
      break;
    case IN_DETACH: go_background(); break;
    case IN_PROXY: publish_note_proxy((pid_t)get_u32(frame->payload), get_u64(frame->payload + 4)); break;
    case IN_PING: report_pong(&task); break;
    default: break;
  }
}

static int obey_all(void) {
  struct frame frame;
  enum frame_result result;
  while ((result = frame_next(&from_link, &frame, 1)) == FRAME_COMPLETE) obey(&frame);
  return result != FRAME_MALFORMED;
}

static void hear_link(void) {
  ssize_t count = buffer_fill(&from_link, task.link, READ_BYTES);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0 || !obey_all()) lose_link();
}

static int pass_listener(uint16_t port, int fd) { return hand_over(task.id, port, fd); }

// Everything else that has arrived stays there until the command runs.
static int await_host(void) {
  for (uint64_t until = now_ms() + HOST_WAIT_MS; now_ms() < until;) {
    struct buffer look = from_link;
    struct frame frame;
    enum frame_result result;
    while ((result = frame_next(&look, &frame, 1)) == FRAME_COMPLETE)
      if (frame.type == IN_LISTENING && frame.task == task.id && frame_is_sound(&frame))
        return frame.payload[0] == 0 ? 0 : ECANCELED;
    if (result == FRAME_MALFORMED) return EPROTO;
    struct pollfd poll_link = {task.link, POLLIN, 0};
    flush_link();
    if (task.link < 0) return EPIPE;
    if (poll(&poll_link, 1, 1000) <= 0) continue;
    ssize_t count = buffer_fill(&from_link, task.link, READ_BYTES);
    if (count == 0 || (count < 0 && errno != EAGAIN)) return EPIPE;
  }
  return ETIMEDOUT;
}

// The frame stays there, with all others, until the command runs.
static void answer_ping(void) {
  struct pollfd poll_link = {task.link, POLLIN, 0};
  struct buffer look;
  struct frame frame;
  int is_asked = 0;
  if (task.link < 0 || poll(&poll_link, 1, 0) <= 0 || buffer_fill(&from_link, task.link, READ_BYTES) <= 0) return;
  look = from_link;
  while (frame_next(&look, &frame, 1) == FRAME_COMPLETE) is_asked = is_asked || (frame.type == IN_PING && frame.task == task.id);
  if (is_asked) report_pong(&task);
  flush_link();
}

static void serve(int *notify_fd) { broker_serve(&task, notify_fd, POLLIN); }

static void hear_signals(void) {
  struct signalfd_siginfo info;
  while (read(signals, &info, sizeof info) == (ssize_t)sizeof info) {
    if (info.ssi_signo == SIGTERM) end_task(&task, CAUSE_STOPPED, task.request.grace_ms);
    if (info.ssi_signo == SIGUSR1) end_task(&task, CAUSE_STOPPED, 0);
  }
  reap(&task);
}

static int wait_ms(void) {
  uint64_t at = UINT64_MAX, now = now_ms();
  if (task.timeout_at != 0 && task.phase == PHASE_RUNNING && !task.is_reported) at = task.timeout_at;
  // When the tree is gone, only the consumer of its output is waited for.
  int is_gone = task.phase == PHASE_GONE;
  uint64_t others[] = {is_gone ? 0 : task.phase_at, task.sample_at,   is_gone ? 0 : task.give_up_at,
                       task.seen_at,                  task.sweep_at, is_gone ? 0 : exposure_at()};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i] != 0 && others[i] < at) at = others[i];
  if (task.has_dead) at = now;
  int soon = broker_wait_ms();
  if (soon >= 0 && now + (uint64_t)soon < at) at = now + (uint64_t)soon;
  if (at == UINT64_MAX) return -1;
  if (at <= now) return 0;
  return at - now > 3600000 ? 3600000 : (int)(at - now);
}

/** The kernel counts poll entries without a descriptor against the descriptor limit, and then refuses all of them. */
static int poll_used(struct pollfd *polls, size_t count, int wait) {
  struct pollfd used[AT_COUNT + MAX_CONNECTING];
  size_t used_count = 0;
  for (size_t i = 0; i < count; i++)
    if (polls[i].fd >= 0) used[used_count++] = polls[i];
  int ready = poll(used, used_count, wait);
  for (size_t i = 0, next = 0; i < count; i++) polls[i].revents = polls[i].fd >= 0 && ready > 0 ? used[next++].revents : 0;
  // A limit that was lowered below what is open: never spin.
  if (ready < 0 && errno == EINVAL) poll(NULL, 0, 10);
  return ready;
}

static void wait_for_events(void) {
  int is_open = !is_paced() || report_room(&task) > 0;
  struct pollfd polls[AT_COUNT + MAX_CONNECTING] = {
      [AT_LINK] = {task.link, POLLIN, 0},
      [AT_LANE] = {buffer_size(&task.out) > 0 ? task.lane : -1, POLLOUT, 0},
      [AT_SIGNALS] = {signals, POLLIN, 0},
      [AT_OUT] = {is_open ? task.command.out : -1, POLLIN, 0},
      [AT_ERR] = {is_open ? task.command.err : -1, POLLIN, 0},
      [AT_IN] = {buffer_size(&task.input) > 0 ? task.command.in : -1, POLLOUT, 0},
      [AT_END] = {task.command.end_fd, POLLIN, 0},
      [AT_UNDO] = {task.undo_fd, POLLIN, 0},
      [AT_ROOM] = {task.is_room_ending ? task.command.room_fd : -1, POLLIN, 0},
      [AT_NOTIFY] = {broker_has_room() ? task.command.notify_fd : -1, POLLIN, 0},
  };
  exposure_polls(polls + AT_EXPOSURE);
  size_t under_way = broker_polls(polls + AT_COUNT);
  int ready = poll_used(polls, AT_COUNT + under_way, wait_ms());
  if (under_way > 0) broker_advance(task.command.notify_fd, polls + AT_COUNT, ready < 0 ? 0 : under_way);
  if (ready >= 0) exposure_hear(&task, polls + AT_EXPOSURE);
  if (ready <= 0) return;
  if (polls[AT_NOTIFY].revents) broker_serve(&task, &task.command.notify_fd, polls[AT_NOTIFY].revents);
  if (polls[AT_OUT].revents) drain(&task.command.out, STREAM_OUT);
  if (polls[AT_ERR].revents) drain(&task.command.err, STREAM_ERR);
  if (polls[AT_IN].revents) feed_input();
  if (polls[AT_LINK].revents & (POLLIN | POLLHUP | POLLERR)) hear_link();
  if (polls[AT_END].revents) hear_end(&task);
  if (polls[AT_ROOM].revents) hear_room_end(&task);
  if (polls[AT_UNDO].revents) undo_hear(&task);
  if (polls[AT_SIGNALS].revents) hear_signals();
}

static void report_end(void) {
  if (!task.is_init_lost) {
    report_exit(&task);
    return;
  }
  report_seen(&task, 1);
  if (task.link < 0) return;
  report_error(&task.out, task.id, ERROR_INIT, STEP_NONE, 0, "the first process of the sandbox was killed, and the command with it");
}

static void finish(int is_reusable) {
  char line[512];
  if (!task.is_reported) measure_end(&task);
  exposure_finish(&task);
  undo_finish(&task);
  stage_task_end(&task);
  close_fd(&task.command.in);
  close_fd(&task.command.out);
  close_fd(&task.command.err);
  close_fd(&task.command.end_fd);
  broker_end();
  close_fd(&task.command.notify_fd);
  spool_finish(&task.spool, line, task.is_background ? record_line(&task, line, sizeof line) : 0);
  if (task.is_background) record_write(&task);
  task.observed_untold = observe_end();
  refusal_end();
  if (task.lane != task.link && !task.is_reported) say_done(is_reusable);
  if (!task.is_reported) report_end();
  if (task.lane == task.link && !task.is_reported) say_done(is_reusable);
  flush_link();
  // The host has been told of the end; the remaining cleanup delays no one.
  int is_settled = wait_for_init(&task);
  if (publish_end() || is_settled) report_settle_io();
  exposure_end();
  spool_close(&task.spool);
  tree_free(&task.tree);
  close_fd(&task.command.init_fd);
  close_fd(&task.command.room_fd);
  close_fd(&task.command.visit_fd);
  cgroup_remove(&task.cgroup);
  if (is_reusable && may_hold) parked_shell_want(&task.request);
  else request_free(&task.request);
  buffer_free(&task.input);
  buffer_free(&task.seen);
  buffer_free(&task.undone_names);
}

// The rest of the pipes after the last writer of ours is gone. A process outside may keep one open forever:
// what is there now is all that belongs to the task.
static int is_drained(void) {
  if (is_paced() && report_room(&task) == 0 && (task.command.out >= 0 || task.command.err >= 0)) return 0;
  // A turn takes more than a pipe holds, so a process that still writes after two of them is not ours.
  for (int turn = 0; turn < 2; turn++) {
    drain(&task.command.out, STREAM_OUT);
    drain(&task.command.err, STREAM_ERR);
    if (is_paced() && report_room(&task) == 0 && (task.command.out >= 0 || task.command.err >= 0)) return 0;
  }
  return 1;
}

static void leave_the_rest(void) {
  if (task.is_reported || !task.is_leader_gone || task.request.leftovers != LEFTOVERS_LEAVE) return;
  if (task.phase != PHASE_RUNNING || task.is_init_lost || !is_drained()) return;
  task.was_left = 1;
  undo_before_report(&task);
  stage_task_before_report(&task);
  report_exit(&task);
  say_done(0);
  task.is_reported = 1;
}

static void run(void) {
  // What the host sent right after the request came with it.
  obey_all();
  for (;;) {
    flush_link();
    wait_for_events();
    if (task.has_dead) reap(&task);
    report_seen(&task, 0);
    measure_sample(&task);
    undo_advance(&task);
    advance_ending(&task);
    if (task.phase == PHASE_GONE && is_drained()) break;
    if (task.phase == PHASE_KILLING && task.give_up_at != 0 && now_ms() >= task.give_up_at) break;
    leave_the_rest();
  }
  if (task.phase != PHASE_GONE) give_up(&task);
  // A background task and its supervisor end together: other processes know the task by it.
  int is_reusable = task.phase == PHASE_GONE && task.link >= 0 && !task.is_reported && !task.is_background;
  finish(is_reusable);
  // Unsent frames delay us, not the next task: the exit must arrive.
  while (task.link >= 0 && buffer_size(&task.out) > 0) {
    struct pollfd poll_link = {task.lane, POLLOUT, 0};
    poll(&poll_link, 1, -1);
    flush_link();
  }
  if (!is_reusable) leave();
}

// Nothing was started, so nothing is left.
static void fail_start(enum error_code code, int step, int error, const char *text) {
  task.phase = PHASE_GONE;
  if (publish_end()) report_settle_io();
  undo_cancel();
  stage_task_cancel();
  observe_end();
  refusal_end();
  buffer_free(&task.seen);
  report_error(&task.out, task.id, code, step, error, text);
  say_done(1);
  spool_close(&task.spool);
  if (task.cgroup.features & CGROUP_USABLE) cgroup_remove(&task.cgroup);
  request_free(&task.request);
}

static void start_command(const struct request *request, const struct start_hooks *hooks) {
  const int *procs = task.cgroup.features & CGROUP_USABLE ? task.cgroup.procs : NULL;
  spawn_command(&task.command, request, procs, hooks);
}

/** The step of the confinement, or the published port that could not be opened: `127.0.0.1:5173`. */
static const char *name_failure(void) {
  static char text[32];
  int step = task.command.confinement.step;
  if (task.command.step != STEP_CONFINE) return strerror(task.command.error);
  if (step != CONFINE_LISTENERS || publish_failed_port() == 0) return confine_step_name(step);
  snprintf(text, sizeof text, "127.0.0.1:%u", publish_failed_port());
  return text;
}

// The command sees EOF on stdin at once if all of it fits into the pipe.
static void begin_task(void) {
  static const struct start_hooks hooks = {.hand_over = pass_listener, .await_host = await_host, .serve = serve, .wait = answer_ping};
  struct request *request = &task.request;
  task.is_background = (request->flags & FLAG_BACKGROUND) != 0;
  task.credit = request->credit;
  spool_init(&task.spool, request->spool, request->head_bytes, request->tail_bytes, (request->flags & FLAG_SPLIT) != 0);
  int is_eager = task.is_background || (request->flags & FLAG_EAGER) || request->credit < INLINE_BYTES;
  if (is_eager && spool_open(&task.spool) != 0) {
    fail_start(ERROR_SPOOL, STEP_NONE, task.spool.error, strerror(task.spool.error));
    return;
  }
  cgroup_create(&task.cgroup, support, request);
  broker_begin(request->confinement);
  task.started_us = now_us();
  task.started_wall_ms = wall_ms();
  if (undo_begin(&task) != 0) {
    fail_start(ERROR_START, STEP_CONFINE, EEXIST, "protected names");
    return;
  }
  int stage_error = stage_task_begin(&task);
  if (stage_error != 0) {
    fail_start(ERROR_START, STEP_CONFINE, stage_error, confine_step_name(CONFINE_STAGE));
    return;
  }
  if (!parked_shell_take(&task.command, request, &hooks)) start_command(request, &hooks);
  // A process still waiting was for another command: while a task runs, all our children belong to it.
  prestart_drop();
  if (task.command.error != 0) {
    fail_start(ERROR_START, task.command.step, task.command.error, name_failure());
    return;
  }
  if (task.command.is_in_room) {
    task.tree.root = task.command.pid;
    task.tree.root_fd = task.command.init_fd;
  }
  report_started(&task);
  if (request->timeout_ms > 0) task.timeout_at = now_ms() + request->timeout_ms;
  measure_begin(&task);
  buffer_append(&task.input, request->input, request->input_size);
  task.input_ends = !(request->flags & FLAG_STDIN_OPEN);
  if (task.command.in >= 0) feed_input();
  if (task.is_background) record_write(&task);
  flush_link();
  task.undo_fd = undo_watch(&task);
  exposure_begin(&task);
  run();
}

static void start_task(const struct frame *frame) {
  int link = task.link, lane = task.lane;
  struct buffer out = task.out;
  memset(&task, 0, sizeof task);
  task.link = link;
  task.lane = lane;
  task.out = out;
  task.id = frame->task;
  const char *wrong = request_parse(&task.request, frame->payload, frame->size);
  if (wrong != NULL) {
    spool_init(&task.spool, NULL, 0, 0, 0);
    fail_start(ERROR_REQUEST, STEP_NONE, EINVAL, wrong);
    return;
  }
  begin_task();
}

// The next shell is prepared only when the host pauses: a host that sends one command after the other would wait for it
// longer than it gains. It is released if no request comes.
static void wait_for_request(void) {
  struct pollfd poll_link = {HOST_FD, POLLIN, 0};
  const struct timespec pause = {0, PAUSE_NS};
  if (may_hold && ppoll(&poll_link, 1, &pause, NULL) != 0) return;
  if (may_hold) parked_shell_prepare();
  if (poll(&poll_link, 1, parked_shell_wait_ms()) == 0) parked_shell_expire();
}

void supervise(int has_lane, int holds, const struct cgroup_support *cgroup) {
  task.link = HOST_FD;
  task.lane = has_lane ? LANE_FD : HOST_FD;
  support = cgroup;
  may_hold = holds;
  keeper_pid = getppid();
  // No terminal, a separate group: a signal to the host's group must not reach us.
  setsid();
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) die("subreaper");
  signals = open_signals();
  for (;;) {
    struct frame frame;
    enum frame_result result = frame_next(&from_link, &frame, 1);
    if (result == FRAME_MALFORMED) leave();
    if (result == FRAME_COMPLETE) {
      if (frame.type == IN_START) start_task(&frame);
      flush_link();
      continue;
    }
    wait_for_request();
    ssize_t count = buffer_fill(&from_link, HOST_FD, READ_BYTES);
    if (count == 0 || (count < 0 && errno != EAGAIN)) leave();
  }
}
