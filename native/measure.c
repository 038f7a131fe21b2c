// What a task uses: samples of its living tree, together with what the kernel counts. And its limits: those that the kernel
// holds are only read back; the others are polled, often while the tree works, and at a small part of the processor.

#define _GNU_SOURCE
#include "keeper.h"
#include "publish.h"
#include "task.h"
#include <string.h>
#include <unistd.h>

/** While the tree works, if a limit depends on it; else the first pause, which then doubles. */
#define FAST_MS 10u
#define FIRST_MS 25u
/** The longest pauses: of an idle tree with polled limits, of one whose limits the kernel holds, and of any other. */
#define IDLE_MS 100u
#define HELD_MS 250u
#define SLOW_MS 1000u
/** Samples take at most one part in this many of the time; more of it while a tree works that has polled limits. */
#define COST_SHARE 50u
#define FAST_COST_SHARE 10u
#define CPU_WINDOW_US 1000000u
/** One busy second is normal; this many in a row is not. */
#define CPU_STRIKES 3
/** The kernel ends a single process that has used its time within a second; then comes the tree. */
#define CPU_GRACE_US 1100000u

static pid_t init_of(const struct task *task) {
  return task->command.has_init && !task->is_init_gone ? task->command.pid : 0;
}

static uint64_t cpu_limit_us(const struct request *request) {
  for (size_t i = 0; i < request->rlimit_count; i++)
    if (request->rlimits[i].resource == RLIMIT_CPU && request->rlimits[i].value < UINT64_MAX / 2000000u)
      return request->rlimits[i].value * 1000000u;
  return 0;
}

/** Whether something that grows within milliseconds must be seen by us. */
static int is_polled(const struct task *task) {
  const struct request *request = &task->request;
  int is_memory_held = (task->cgroup.features & CGROUP_MEMORY) != 0;
  return (request->memory > 0 && !is_memory_held) || request->processes > 0;
}

static int has_tree_limit(const struct request *request) {
  return request->memory > 0 || request->processes > 0 || cpu_limit_us(request) > 0;
}

static uint32_t next_pause(const struct task *task, int is_busy) {
  const struct samples *samples = &task->samples;
  uint32_t interval = task->request.interval_ms, longest = interval > 0 && interval < SLOW_MS ? interval : SLOW_MS;
  int is_fast = is_busy && is_polled(task);
  uint32_t pause = samples->every_ms * 2, by_cost = samples->cost_us * (is_fast ? FAST_COST_SHARE : COST_SHARE) / 1000;
  if (is_polled(task)) longest = IDLE_MS;
  else if (has_tree_limit(&task->request)) longest = HELD_MS;
  if (pause > longest) pause = longest;
  if (is_fast) pause = FAST_MS;
  if (pause < by_cost) pause = by_cost;
  return pause < SLOW_MS ? pause : SLOW_MS;
}

static void plan_next(struct task *task, int is_busy) {
  struct samples *samples = &task->samples;
  samples->every_ms = next_pause(task, is_busy);
  task->sample_at = now_ms() + samples->every_ms;
  if (samples->report_at_ms != 0 && samples->report_at_ms < task->sample_at) task->sample_at = samples->report_at_ms;
}

void measure_begin(struct task *task) {
  const struct request *request = &task->request;
  struct samples *samples = &task->samples;
  samples->at_us = samples->reported_at_us = samples->window_at_us = task->started_us;
  if (request->interval_ms > 0) samples->report_at_ms = now_ms() + request->interval_ms;
  if (request->interval_ms == 0 && request->cpu_percent == 0 && !has_tree_limit(request)) return;
  samples->every_ms = is_polled(task) ? FAST_MS / 2 : FIRST_MS / 2;
  plan_next(task, 1);
}

static void note_time(struct task *task, const struct usage *usage) {
  struct samples *samples = &task->samples;
  uint64_t user = usage->user_us, system = usage->system_us;
  // An init has reaped its part of them; it is one of the living.
  if (!task->command.has_init) {
    user += task->spent.user_us;
    system += task->spent.system_us;
  }
  cgroup_cpu_time(&task->cgroup, &user, &system);
  // A process that was reaped between two reads is in neither sum; for that moment they may decrease.
  if (user + system < samples->user_us + samples->system_us) return;
  samples->user_us = user;
  samples->system_us = system;
}

// Shared pages count in every process that has them. Only a sum that matters is made exact, because that takes longer.
static void note_memory(struct task *task, const struct usage *usage, int is_reported) {
  struct samples *samples = &task->samples;
  uint64_t limit = task->request.memory, sum = usage->rss_bytes;
  int is_held = (task->cgroup.features & CGROUP_MEMORY) != 0;
  int is_peak = !is_held && sum > samples->peak_memory + samples->peak_memory / 20;
  int is_over = !is_held && limit > 0 && sum > limit && usage->largest_rss <= limit;
  int is_exact = is_reported || is_peak || is_over;
  samples->memory = usage->processes > 1 && is_exact ? tree_memory(&task->tree, init_of(task)) : sum;
  if ((is_exact || usage->processes == 1) && samples->memory > samples->peak_memory) samples->peak_memory = samples->memory;
}

static void violate(struct task *task, enum cause which, uint64_t limit, uint64_t seen) {
  if (task->phase != PHASE_RUNNING) return;
  report_violation(task, which, limit, seen);
  end_task(task, which, task->request.grace_ms);
}

/** The limit that the kernel has refused something for, or none. */
static enum cause refused_limit(const struct task *task) {
  if (!(task->cgroup.features & (CGROUP_MEMORY | CGROUP_PIDS))) return CAUSE_NONE;
  struct cgroup_events events = cgroup_read_events(&task->cgroup);
  return events.memory_kills > 0 ? CAUSE_MEMORY : events.refused_forks > 0 ? CAUSE_PROCESSES : CAUSE_NONE;
}

static uint64_t limit_of(const struct task *task, enum cause which) {
  return which == CAUSE_MEMORY ? task->request.memory : request_task_limit(&task->request);
}

/** The kernel let it have no more than the limit, and refused the next page or process. */
static uint64_t seen_of(const struct task *task, enum cause which) {
  uint64_t peak = cgroup_peak(&task->cgroup), limit = limit_of(task, which);
  return which == CAUSE_MEMORY ? (peak > limit ? peak : limit) : limit + 1;
}

static void enforce(struct task *task, const struct usage *usage) {
  const struct request *request = &task->request;
  uint32_t held = task->cgroup.features;
  uint64_t spent = task->samples.user_us + task->samples.system_us, cpu_limit = cpu_limit_us(request);
  enum cause refused = refused_limit(task);
  if (refused != CAUSE_NONE) violate(task, refused, limit_of(task, refused), seen_of(task, refused));
  if (request->memory > 0 && !(held & CGROUP_MEMORY) && task->samples.memory > request->memory)
    violate(task, CAUSE_MEMORY, request->memory, task->samples.memory);
  if (request->processes > 0 && usage->processes > request->processes)
    violate(task, CAUSE_PROCESSES, request->processes, usage->processes);
  if (cpu_limit > 0 && spent > cpu_limit + CPU_GRACE_US)
    violate(task, CAUSE_CPU_TIME, cpu_limit / 1000000u, spent / 1000000u);
}

static void enforce_share(struct task *task, uint64_t now) {
  struct samples *samples = &task->samples;
  uint32_t limit = task->request.cpu_percent;
  uint64_t spent = samples->user_us + samples->system_us, passed = now - samples->window_at_us;
  if (limit == 0 || task->cgroup.features & CGROUP_CPU || passed < CPU_WINDOW_US) return;
  uint32_t percent = (uint32_t)((spent - samples->window_cpu_us) * 100 / passed);
  samples->window_at_us = now;
  samples->window_cpu_us = spent;
  samples->cpu_strikes = percent > limit ? samples->cpu_strikes + 1 : 0;
  if (samples->cpu_strikes >= CPU_STRIKES) violate(task, CAUSE_CPU, limit, percent);
}

static void report_use(struct task *task, struct usage *usage, uint64_t now) {
  struct samples *samples = &task->samples;
  uint64_t spent = samples->user_us + samples->system_us, passed = now - samples->reported_at_us, reaped[2];
  uint32_t percent = passed > 0 ? (uint32_t)((spent - samples->reported_cpu_us) * 100 / passed) : 0;
  tree_measure_io(&task->tree, usage);
  report_reaped_io(task, reaped);
  samples->io[0] = usage->read_bytes + reaped[0];
  samples->io[1] = usage->write_bytes + reaped[1];
  samples->reported_cpu_us = spent;
  samples->reported_at_us = now;
  samples->report_at_ms = now_ms() + task->request.interval_ms;
  report_resource(task, percent);
}

static void note_gap(struct samples *samples, uint64_t now) {
  uint32_t gap = (uint32_t)((now - samples->at_us) / 1000);
  if (gap > samples->longest_gap_ms) samples->longest_gap_ms = gap;
  samples->at_us = now;
}

static int take_sample(struct task *task, struct usage *usage, int is_reported) {
  struct samples *samples = &task->samples;
  uint64_t before = samples->user_us + samples->system_us, began = now_us();
  note_gap(samples, began);
  tree_measure(&task->tree, publish_is_pump, init_of(task), usage);
  note_time(task, usage);
  note_memory(task, usage, is_reported);
  samples->count++;
  samples->processes = usage->processes;
  if (usage->processes > samples->peak_processes) samples->peak_processes = usage->processes;
  samples->cost_us = (uint32_t)(now_us() - began);
  return samples->user_us + samples->system_us > before;
}

void measure_sample(struct task *task) {
  struct usage usage;
  struct samples *samples = &task->samples;
  if (task->sample_at == 0 || now_ms() < task->sample_at) return;
  int is_reported = samples->report_at_ms != 0 && now_ms() >= samples->report_at_ms;
  int is_busy = take_sample(task, &usage, is_reported);
  if (is_reported) report_use(task, &usage, samples->at_us);
  enforce(task, &usage);
  enforce_share(task, samples->at_us);
  plan_next(task, is_busy);
}

void measure_before_kill(struct task *task) {
  struct usage usage;
  take_sample(task, &usage, 0);
  tree_measure_io(&task->tree, &usage);
  for (int i = 0; i < 2; i++) {
    uint64_t seen = i == 0 ? usage.read_bytes : usage.write_bytes;
    if (seen > task->samples.io[i]) task->samples.io[i] = seen;
  }
}

void measure_end(struct task *task) {
  enum cause refused = refused_limit(task);
  note_gap(&task->samples, now_us());
  if (refused == CAUSE_NONE || task->cause != CAUSE_NONE) return;
  // A refused fork is an ordinary error, which the command has handled in its own way.
  if (refused != CAUSE_PROCESSES) task->cause = refused;
  report_violation(task, refused, limit_of(task, refused), seen_of(task, refused));
}

// Counters divide the same time between user and system in different ways: the larger sum counts, as one of them has it.
static void take_larger(struct spent *spent, uint64_t user, uint64_t system) {
  if (user + system <= spent->user_us + spent->system_us) return;
  spent->user_us = user;
  spent->system_us = system;
}

struct spent measure_spent(const struct task *task) {
  struct spent spent = task->spent;
  uint64_t user, system;
  take_larger(&spent, task->samples.user_us, task->samples.system_us);
  if (cgroup_cpu_time(&task->cgroup, &user, &system)) take_larger(&spent, user, system);
  return spent;
}

uint64_t measure_peak(const struct task *task, enum memory_measure *how) {
  uint64_t grouped = cgroup_peak(&task->cgroup), sampled = task->samples.peak_memory, largest = task->spent.peak_rss;
  *how = grouped > 0 ? MEMORY_BY_CGROUP : task->samples.count > 0 ? MEMORY_SAMPLED : MEMORY_OF_LARGEST;
  return grouped > 0 ? grouped : sampled > largest ? sampled : largest;
}
