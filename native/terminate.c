// How a process tree ends: on its own, or by SIGTERM, a grace period, and SIGKILL for everything that is left.

#define _GNU_SOURCE
#include "keeper.h"
#include "own-process.h"
#include "publish.h"
#include "room.h"
#include "task.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILL_AGAIN_MS 10
/** For an init to kill and reap everything inside; then it is killed itself. */
#define INIT_MS 200
/** For a room to prove that nothing is left of the command, since it was told to end; then the room is ended. */
#define ROOM_MS 2000
/** A process in an uninterruptible call does not die; we do not wait for it forever. */
#define GIVE_UP_MS 10000
/** Dead children in a row before others get a turn: a tree that forks endlessly always has more of them. */
#define REAP_TURN 256
/** For one round of killing endless forks. */
#define QUICK_MS 20u
/** These are inspected, so that they can be counted. */
#define FEW_CHILDREN 64

static int has_init(const struct task *task) { return task->command.has_init && !task->is_init_gone; }

// The group in one call; it may be signalled only while its leader is unreaped. No process gets SIGTERM twice: to many
// programs the second one means "immediately".
static void signal_tree(struct task *task, int signal) {
  // The init of namespaces is alone in its group and receives nothing: it does not count. In a room its PID may be gone.
  int is_named = (has_init(task) || !task->is_leader_gone) && !task->command.is_in_room;
  pid_t group = is_named ? task->command.pid : 0;
  // 1 would signal every process.
  if (group > 1) kill(-group, signal);
  tree_scan(&task->tree, publish_is_pump);
  size_t sent = tree_signal(&task->tree, signal, task->command.is_in_room ? task->command.pid : group);
  if (task->is_leader_gone && signal == SIGTERM) task->leftovers_killed += sent;
}

// Children that end are not reaped here: there may be more of them than we can reap, and among thousands of dead ones
// the living are found too late. How the command itself ended is already known.
static void let_vanish(struct task *task, int does) {
  const struct sigaction action = {.sa_handler = SIG_DFL, .sa_flags = does ? SA_NOCLDWAIT : 0};
  if (task->lets_vanish != does) sigaction(SIGCHLD, &action, NULL);
  task->lets_vanish = does;
}

// The remaining processes are faster than inspection, so they are killed without it. Descendants of an unkillable process
// are looked for from time to time.
static int kill_quick_ones(struct task *task) {
  uint64_t until = now_ms() + QUICK_MS;
  size_t killed = 1;
  if (task->is_leader_gone && !task->command.has_init) {
    if (!task->lets_vanish) measure_before_kill(task);
    let_vanish(task, 1);
  }
  while (task->phase != PHASE_GONE && now_ms() < until && (killed > 0 || task->has_dead)) {
    reap(task);
    killed = tree_kill_children(publish_is_pump, 0);
  }
  return killed > 0 && ++task->quick_rounds % 8 != 0;
}

// Everything inside is killed at once, and no process can fork out of that. Only an init that has reaped them all knows what
// they used, so its own death, which ends them as well, comes second.
static void kill_namespaces(struct task *task) {
  int is_first = task->init_until == 0;
  if (is_first) task->init_until = now_ms() + INIT_MS;
  cgroup_kill(&task->cgroup);
  // Leftovers of an ended command are counted.
  size_t killed = is_first && task->is_leader_gone ? tree_kill(&task->tree, publish_is_pump, task->command.pid) : 0;
  if (task->leftovers_killed < killed) task->leftovers_killed = killed;
  int is_late = now_ms() >= task->init_until;
  if (is_late && !task->is_cut_off) measure_before_kill(task);
  task->is_cut_off |= is_late;
  spawned_signal_init(&task->command, is_late ? SIGKILL : KILL_INSIDE_SIGNAL);
  if (now_ms() >= task->init_until - INIT_MS + ROOM_MS) spawned_kill_room(&task->command);
}

static void kill_processes(struct task *task) {
  cgroup_kill(&task->cgroup);
  size_t killed = tree_kill_children(publish_is_pump, FEW_CHILDREN);
  if (killed == 0) killed = tree_kill(&task->tree, publish_is_pump, 0);
  if (task->is_leader_gone && task->leftovers_killed < killed) task->leftovers_killed = killed;
}

static void kill_tree(struct task *task) {
  int is_inside = has_init(task);
  if (!is_inside && task->phase == PHASE_KILLING && kill_quick_ones(task)) {
    task->phase_at = now_ms() + 1;
    return;
  }
  if (task->phase == PHASE_GONE) return;
  task->phase = PHASE_KILLING;
  if (is_inside) kill_namespaces(task);
  else kill_processes(task);
  task->phase_at = now_ms() + KILL_AGAIN_MS;
  if (task->give_up_at == 0) task->give_up_at = now_ms() + GIVE_UP_MS;
}

static void terminate_tree(struct task *task, uint32_t grace_ms) {
  if (grace_ms == 0) {
    kill_tree(task);
    return;
  }
  task->phase = PHASE_TERMINATING;
  signal_tree(task, SIGTERM);
  // A stopped process receives SIGTERM only after it continues.
  signal_tree(task, SIGCONT);
  task->phase_at = now_ms() + grace_ms;
}

void end_task(struct task *task, enum cause cause, uint32_t grace_ms) {
  if (task->phase == PHASE_GONE || task->phase == PHASE_KILLING) return;
  // Leftovers of a command that ended on its own do not change how it ended, unless they had to be waited for.
  int is_over = task->is_leader_gone && task->request.leftovers != LEFTOVERS_WAIT;
  if (task->cause == CAUSE_NONE && !is_over) task->cause = cause;
  if (task->phase == PHASE_RUNNING) own_process_report_tracer(task);
  if (task->phase == PHASE_TERMINATING) {
    uint64_t at = now_ms() + grace_ms;
    if (at < task->phase_at) task->phase_at = at;
    if (grace_ms == 0) kill_tree(task);
    return;
  }
  terminate_tree(task, grace_ms);
}

void signal_command(struct task *task, int signal) {
  if (task->is_leader_gone) return;
  if (!task->command.has_init) {
    if (task->command.pid > 1) kill(-task->command.pid, signal);
    return;
  }
  // Its process group is known only inside.
  tree_scan(&task->tree, publish_is_pump);
  tree_signal(&task->tree, signal, task->command.pid);
}

static int is_out_of_time(const struct task *task, int status) {
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGXCPU) return 0;
  for (size_t i = 0; i < task->request.rlimit_count; i++)
    if (task->request.rlimits[i].resource == RLIMIT_CPU) return 1;
  return 0;
}

static void note_end(struct task *task, int status) {
  if (task->is_leader_gone) return;
  if (task->cause == CAUSE_NONE && is_out_of_time(task, status)) task->cause = CAUSE_CPU;
  task->is_leader_gone = 1;
  task->status = status;
}

/** Of the process that a descriptor stands for, as we see it; 0 if it is gone. */
static pid_t pid_of(int pidfd) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/self/fdinfo/%d", pidfd);
  char *line = pidfd >= 0 && read_text(path, text, sizeof text) > 0 ? strstr(text, "\nPid:") : NULL;
  long pid = line == NULL ? 0 : strtol(line + strlen("\nPid:"), NULL, 10);
  return pid > 1 ? (pid_t)pid : 0;
}

// A room was ended, with everything in it: what is left there could not be. An init is named only if nothing else is left.
void give_up(struct task *task) {
  pid_t first = task->command.has_init ? task->command.pid : 0;
  if (task->command.is_in_room && (first = pid_of(task->command.room_fd)) > 0) {
    task->tree.root = first;
    task->tree.root_fd = task->command.room_fd;
  }
  tree_scan(&task->tree, publish_is_pump);
  size_t count = task->tree.count;
  for (size_t i = 0; i < count; i++) {
    if (task->tree.list[i].pid == first && count > 1) continue;
    if (task->unended_count < MAX_UNENDED) task->unended[task->unended_count] = (uint32_t)task->tree.list[i].pid;
    task->unended_count++;
  }
  // How the command would have ended is not known; a signal is what it got.
  note_end(task, SIGKILL);
}

static void add_spent(struct spent *spent, const struct rusage *usage) {
  uint64_t rss = (uint64_t)usage->ru_maxrss * 1024u;
  spent->user_us += timeval_us(usage->ru_utime);
  spent->system_us += timeval_us(usage->ru_stime);
  if (rss > spent->peak_rss) spent->peak_rss = rss;
}

static void close_end(struct task *task) {
  close(task->command.end_fd);
  task->command.end_fd = -1;
}

// The init of the command and everything that it left are gone.
static void lose_init(struct task *task) {
  task->is_init_gone = 1;
  task->is_init_lost = !task->is_leader_gone && task->phase == PHASE_RUNNING;
  note_end(task, SIGKILL);
  task->phase = PHASE_GONE;
}

void hear_end(struct task *task) {
  struct command_end end;
  while (task->command.end_fd >= 0) {
    ssize_t count = read(task->command.end_fd, &end, sizeof end);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count != (ssize_t)sizeof end) {
      close_end(task);
      if (!task->command.is_in_room) return;
      if (count == (ssize_t)sizeof(struct room_proof)) lose_init(task);
      // Without a proof the room itself is ending: it closes its descriptors before the kernel ends what it contains.
      else task->is_room_ending = 1;
      if (task->is_room_ending) spawned_kill_room(&task->command);
      return;
    }
    note_end(task, end.status);
    task->spent = (struct spent){0};
    add_spent(&task->spent, &end.usage);
    task->has_io_inside = end.has_io;
    memcpy(task->io_inside, end.io, sizeof end.io);
    task->started_count = end.started;
    if (!end.is_empty) continue;
    task->phase = PHASE_GONE;
    close_end(task);
  }
}

void hear_room_end(struct task *task) {
  task->is_room_ending = 0;
  lose_init(task);
}

void reap(struct task *task) {
  task->has_dead = 0;
  for (int turn = 0;; turn++) {
    struct rusage usage;
    int status;
    if (turn == REAP_TURN) {
      task->has_dead = 1;
      return;
    }
    // Processes of its own command may stop the init of a visitor.
    pid_t pid = wait4(-1, &status, WNOHANG | (task->command.visit_fd >= 0 ? WUNTRACED : 0), &usage);
    if (pid == 0) return;
    if (pid < 0) {
      // No children means no descendants: orphans are reparented to us.
      int is_over = errno == ECHILD && !task->command.is_in_room;
      if (errno == ECHILD && task->command.is_in_room) return;
      if (is_over) let_vanish(task, 0);
      if (is_over) task->phase = PHASE_GONE;
      if (is_over || errno != EINTR) return;
      continue;
    }
    if (WIFSTOPPED(status)) {
      if (pid == task->command.pid) kill(pid, SIGCONT);
      continue;
    }
    // What an init has reaped, it has reported; what died with it is not in its usage either.
    if (!task->command.has_init) add_spent(&task->spent, &usage);
    if (pid != task->command.pid) {
      publish_note_reaped(pid);
      continue;
    }
    if (task->command.has_init) {
      hear_end(task);
      if (task->command.visit_fd >= 0 && task->phase != PHASE_GONE) {
        spawned_leave_to_room(&task->command);
        return;
      }
      task->is_init_gone = 1;
      task->is_init_lost = !task->is_leader_gone && task->phase == PHASE_RUNNING && WIFSIGNALED(status);
    }
    note_end(task, status);
    // The kernel ends everything inside with it; what serves ports does not count.
    if (task->command.has_init) task->phase = PHASE_GONE;
  }
}

int wait_for_init(struct task *task) {
  if (!has_init(task) || task->phase != PHASE_GONE || task->command.is_in_room) return 0;
  while (waitpid(task->command.pid, NULL, 0) < 0 && errno == EINTR) continue;
  return task->is_init_gone = 1;
}

static void leader_ended(struct task *task) {
  if (task->request.leftovers != LEFTOVERS_KILL) return;
  // Short leftovers of a pipeline or `>(tee)` may finish their work.
  task->phase = PHASE_LINGERING;
  task->phase_at = now_ms() + task->request.linger_ms;
}

void advance_ending(struct task *task) {
  uint64_t now = now_ms();
  if (task->phase == PHASE_GONE) return;
  if (task->phase == PHASE_RUNNING && task->timeout_at != 0 && now >= task->timeout_at && !task->is_reported)
    end_task(task, CAUSE_TIMEOUT, task->request.grace_ms);
  if (task->phase == PHASE_RUNNING && task->is_leader_gone) leader_ended(task);
  if (task->phase_at == 0 || now < task->phase_at) return;
  if (task->phase == PHASE_LINGERING) terminate_tree(task, task->request.grace_ms);
  else if (task->phase == PHASE_TERMINATING || task->phase == PHASE_KILLING) kill_tree(task);
}
