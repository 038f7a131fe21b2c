// Outbound frames of a task. Each function defines its payload; src/run/keeper/messages.ts and usage-messages.ts read them.

#define _GNU_SOURCE
#include "keeper.h"
#include "task.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/** Live frames wait here while the host is busy; beyond it chunks are dropped, and the host reads the spool. */
#define MAX_WAITING (4u << 20)
#define MAX_CHUNK (64u << 10)
#define SEEN_BYTES (16u << 10)
#define SEEN_MS 100

enum exit_flag {
  EXIT_LEFTOVERS_KILLED = 1,
  EXIT_LEFTOVERS_LEFT = 2,
  EXIT_IO_MEASURED = 4,
  EXIT_SPOOLED = 8,
  EXIT_UNKILLABLE = 16,
};

/** Added to the features of a cgroup: see spawn_can_limit_processes. */
#define LIMIT_BY_RLIMIT 64u
/** What the command shares with others of its world. */
#define SHARES_NETWORK 128u
#define SHARES_PROCESSES 256u
#define MISSES_PROCESSES 512u
/** The fastest way to start a thread takes longer, in the time of the kernel. */
#define THREAD_US 8u

void report_started(struct task *task) {
  if (task->link < 0) return;
  size_t frame = frame_begin(&task->out, OUT_STARTED, task->id);
  int is_limited = task->request.processes > 0 && task->command.has_init && spawn_can_limit_processes();
  put_u32(&task->out, (uint32_t)spawned_command(&task->command));
  put_u32(&task->out, (uint32_t)task->command.pid);
  put_u32(&task->out, (uint32_t)getpid());
  uint32_t shared = (task->command.is_shared ? SHARES_NETWORK : 0) | (spawned_has_company(&task->command) ? SHARES_PROCESSES : 0) |
                    (task->command.misses_room ? MISSES_PROCESSES : 0);
  put_u32(&task->out, task->cgroup.features | (is_limited ? LIMIT_BY_RLIMIT : 0) | shared);
  put_u64(&task->out, task->started_wall_ms);
  if (task->request.confinement != NULL) {
    const struct confine_report *report = &task->command.confinement;
    put_u32(&task->out, report->held);
    put_u32(&task->out, report->missing);
    for (int step = 0; step < CONFINE_STEPS; step++)
      if (report->missing >> step & 1) put_u32(&task->out, (uint32_t)report->why[step]);
  }
  frame_end(&task->out, frame);
}

// Bytes that are certain to be sent, not dropped.
size_t report_room(const struct task *task) {
  size_t waiting = buffer_size(&task->out), room = waiting < MAX_WAITING ? MAX_WAITING - waiting : 0;
  return room < task->credit ? room : task->credit;
}

void report_chunk(struct task *task, enum stream stream, uint64_t offset, const uint8_t *bytes, size_t size) {
  while (size > 0 && task->link >= 0 && task->credit > 0 && buffer_size(&task->out) < MAX_WAITING) {
    size_t part = size < MAX_CHUNK ? size : MAX_CHUNK;
    if (part > task->credit) part = task->credit;
    size_t frame = frame_begin(&task->out, OUT_CHUNK, task->id);
    put_u8(&task->out, (uint8_t)stream);
    put_u64(&task->out, offset);
    buffer_append(&task->out, bytes, part);
    frame_end(&task->out, frame);
    task->credit -= (uint32_t)part;
    bytes += part;
    offset += part;
    size -= part;
  }
}

void report_pong(struct task *task) {
  if (task->link >= 0) frame_end(&task->out, frame_begin(&task->out, OUT_PONG, task->id));
}

void report_input(struct task *task, uint32_t taken, int is_closed) {
  if (task->link < 0) return;
  size_t frame = frame_begin(&task->out, OUT_STDIN, task->id);
  put_u32(&task->out, taken);
  put_u8(&task->out, (uint8_t)is_closed);
  frame_end(&task->out, frame);
}

void report_resource(struct task *task, uint32_t cpu_percent) {
  enum memory_measure how;
  uint64_t peak = measure_peak(task, &how);
  const struct samples *samples = &task->samples;
  if (task->link < 0 || buffer_size(&task->out) >= MAX_WAITING) return;
  size_t frame = frame_begin(&task->out, OUT_RESOURCE, task->id);
  put_u64(&task->out, (now_us() - task->started_us) / 1000);
  put_u64(&task->out, samples->user_us);
  put_u64(&task->out, samples->system_us);
  put_u32(&task->out, cpu_percent);
  put_u64(&task->out, samples->memory);
  put_u64(&task->out, peak);
  put_u8(&task->out, (uint8_t)how);
  put_u32(&task->out, samples->processes);
  put_u32(&task->out, samples->peak_processes);
  put_u64(&task->out, samples->io[0]);
  put_u64(&task->out, samples->io[1]);
  put_u64(&task->out, task->spool.total);
  frame_end(&task->out, frame);
}

void report_violation(struct task *task, enum cause which, uint64_t limit, uint64_t seen) {
  if (task->link < 0) return;
  size_t frame = frame_begin(&task->out, OUT_VIOLATION, task->id);
  put_u8(&task->out, (uint8_t)which);
  put_u64(&task->out, limit);
  put_u64(&task->out, seen);
  frame_end(&task->out, frame);
}

// The kernel adds up over all children; the usage of earlier tasks is known since their end.
static uint64_t counted[2];

void report_settle_io(void) { read_children_io(&counted[0], &counted[1]); }

void report_reaped_io(const struct task *task, uint64_t io[2]) {
  uint64_t all[2];
  io[0] = io[1] = 0;
  if (task->command.has_init || !read_children_io(&all[0], &all[1])) return;
  for (int i = 0; i < 2; i++) io[i] = all[i] > counted[i] ? all[i] - counted[i] : 0;
}

/** Whether it is known: an init that had to be killed has not reported all of it. */
static int measure_io(const struct task *task, uint64_t io[2]) {
  uint64_t all[2];
  if (task->command.has_init) {
    memcpy(io, task->io_inside, sizeof task->io_inside);
    if (task->is_init_gone) report_settle_io();
    return task->has_io_inside && (task->phase == PHASE_GONE || task->was_left) && !task->is_cut_off;
  }
  if (!read_children_io(&all[0], &all[1])) return 0;
  for (int i = 0; i < 2; i++) io[i] = all[i] > counted[i] ? all[i] - counted[i] : 0;
  memcpy(counted, all, sizeof counted);
  return 1;
}

/** PIDs start over when they are used up. If the kernel had the time for that, their number is not known. */
static uint32_t started_count(const struct task *task, const struct spent *spent) {
  static uint64_t last_pid;
  char text[32];
  struct utsname kernel;
  unsigned major = 0, minor = 0;
  if (last_pid == 0) {
    last_pid = read_text("/proc/sys/kernel/pid_max", text, sizeof text) > 0 ? strtoull(text, NULL, 10) : 1;
    // Since Linux 6.14, each namespace has its own limit, which is the largest at first.
    if (uname(&kernel) == 0 && sscanf(kernel.release, "%u.%u", &major, &minor) == 2 && (major > 6 || (major == 6 && minor >= 14)))
      last_pid = 4194304;
  }
  return spent->system_us < last_pid * THREAD_US && !task->is_cut_off ? task->started_count : 0;
}

uint64_t hash_text(uint64_t hash, const char *text) {
  for (; *text != 0; text++) hash = (hash ^ (uint8_t)*text) * 0x100000001b3ull;
  return hash;
}

static void put_attempt(struct buffer *out, uint32_t task, enum outbound type, int what, uint32_t value, const char *target) {
  size_t frame = frame_begin(out, type, task);
  put_u8(out, (uint8_t)what);
  put_u32(out, value);
  buffer_append(out, target, strlen(target));
  frame_end(out, frame);
}

// Repeated attempts are reported once, and a command that tries everything only up to a limit.
void report_refusal(struct task *task, int what, int error, const char *target) {
  uint64_t hash = hash_text(0xcbf29ce484222325ull ^ (uint64_t)what, target);
  for (uint32_t i = 0; i < task->refusal_count; i++)
    if (task->refusals[i] == hash) return;
  if (task->refusal_count == MAX_REFUSALS) {
    task->refusals_untold++;
    return;
  }
  task->refusals[task->refusal_count++] = hash;
  if (task->link >= 0) put_attempt(&task->out, task->id, OUT_REFUSAL, what, (uint32_t)error, target);
}

int report_observed(struct task *task, int what, const char *target) {
  if (task->link < 0 || buffer_size(&task->out) >= MAX_WAITING) return 0;
  put_attempt(&task->seen, task->id, OUT_OBSERVED, what, 0, target);
  if (task->seen_at == 0) task->seen_at = now_ms() + SEEN_MS;
  return 1;
}

void report_undone(struct task *task, int what, const char *path, const char *moved) {
  if (task->link < 0 || buffer_size(&task->out) >= MAX_WAITING) return;
  size_t frame = frame_begin(&task->out, OUT_UNDONE, task->id);
  put_u8(&task->out, (uint8_t)what);
  buffer_append(&task->out, path, strlen(path) + 1);
  buffer_append(&task->out, moved, strlen(moved));
  frame_end(&task->out, frame);
}

void report_exposed(struct task *task, enum exposed how, const char *path) {
  if (task->link < 0) return;
  size_t frame = frame_begin(&task->out, OUT_EXPOSED, task->id);
  put_u8(&task->out, (uint8_t)how);
  buffer_append(&task->out, path, strlen(path));
  frame_end(&task->out, frame);
}

void report_traced(struct task *task, uint32_t pid, const char *name) {
  if (task->link < 0) return;
  size_t frame = frame_begin(&task->out, OUT_TRACED, task->id);
  put_u32(&task->out, pid);
  buffer_append(&task->out, name, strlen(name));
  frame_end(&task->out, frame);
}

void report_staged(struct task *task, const struct staged_result *result) {
  if (task->link < 0) return;
  size_t frame = frame_begin(&task->out, OUT_STAGED, task->id);
  put_u8(&task->out, (uint8_t)result->state);
  put_u32(&task->out, result->landed);
  put_u32(&task->out, result->held);
  put_u32(&task->out, result->names);
  frame_end(&task->out, frame);
}

void report_seen(struct task *task, int is_last) {
  size_t size = buffer_size(&task->seen);
  if (task->seen_at == 0 || (!is_last && size < SEEN_BYTES && now_ms() < task->seen_at)) return;
  if (task->link >= 0) buffer_append(&task->out, task->seen.data + task->seen.start, size);
  buffer_free(&task->seen);
  task->seen_at = 0;
}

void report_exit(struct task *task) {
  report_seen(task, 1);
  if (task->link < 0) return;
  uint32_t untold = task->refusals_untold + task->undone_untold;
  if (untold > 0) put_attempt(&task->out, task->id, OUT_REFUSAL, 0, untold, "");
  if (task->observed_untold > 0) put_attempt(&task->out, task->id, OUT_OBSERVED, 0, task->observed_untold, "");
  uint64_t io[2] = {0, 0};
  int is_measured = measure_io(task, io);
  enum memory_measure how;
  uint64_t peak = measure_peak(task, &how);
  struct spent spent = measure_spent(task);
  uint8_t flags = (uint8_t)((task->leftovers_killed > 0 ? EXIT_LEFTOVERS_KILLED : 0) |
                            (task->was_left ? EXIT_LEFTOVERS_LEFT : 0) | (is_measured ? EXIT_IO_MEASURED : 0) |
                            (task->spool.is_open ? EXIT_SPOOLED : 0) |
                            (task->phase == PHASE_KILLING ? EXIT_UNKILLABLE : 0));
  size_t frame = frame_begin(&task->out, OUT_EXIT, task->id);
  put_u8(&task->out, WIFSIGNALED(task->status) ? 1 : 0);
  put_u32(&task->out, (uint32_t)(WIFSIGNALED(task->status) ? WTERMSIG(task->status) : WEXITSTATUS(task->status)));
  put_u8(&task->out, (uint8_t)task->cause);
  put_u8(&task->out, flags);
  put_u64(&task->out, now_us() - task->started_us);
  put_u64(&task->out, spent.user_us);
  put_u64(&task->out, spent.system_us);
  put_u64(&task->out, peak);
  put_u8(&task->out, (uint8_t)how);
  put_u32(&task->out, started_count(task, &spent));
  put_u32(&task->out, task->samples.peak_processes);
  put_u32(&task->out, task->samples.longest_gap_ms);
  for (int i = 0; i < 2; i++) put_u64(&task->out, io[i]);
  put_u64(&task->out, task->spool.streams[STREAM_OUT]);
  put_u64(&task->out, task->spool.streams[STREAM_ERR]);
  put_u64(&task->out, spool_head_kept(&task->spool));
  put_u64(&task->out, spool_tail_kept(&task->spool));
  put_u32(&task->out, (uint32_t)task->leftovers_killed);
  put_u32(&task->out, (uint32_t)task->spool.error);
  put_u32(&task->out, task->unended_count);
  for (uint32_t i = 0; i < task->unended_count && i < MAX_UNENDED; i++) put_u32(&task->out, task->unended[i]);
  frame_end(&task->out, frame);
}

void report_error(struct buffer *out, uint32_t task, enum error_code code, int step, int error, const char *text) {
  size_t frame = frame_begin(out, OUT_ERROR, task);
  put_u8(out, (uint8_t)code);
  put_u8(out, (uint8_t)step);
  put_u32(out, (uint32_t)error);
  buffer_append(out, text, strlen(text));
  frame_end(out, frame);
}
