// vfork and exec. Between the two the child shares our memory: it only makes system calls and records where it failed.
// A child to be held is a fork and reports nothing: its holder sees whether it reached its exec.
// With namespaces there is a process in between: their init, which has separate memory and reports over a socket.
// A child that needs us before the program runs (for a listener, for seccomp notifications) is a fork and uses that, too.

#define _GNU_SOURCE
#include "spawn.h"
#include "cgroup.h"
#include "child-channel.h"
#include "descriptors.h"
#include "file-limit.h"
#include "keeper.h"
#include "prestart.h"
#include "publish.h"
#include "room.h"
#include "tree.h"
#include "world.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIPE_BYTES (1 << 20)

struct plan {
  const struct request *request;
  /** Paths to try in turn, as `execvp` does. */
  char **candidates;
  char *candidate_text;
  int stdin_fd, stdout_fd, stderr_fd, is_held;
  const int *cgroup_procs;
  pid_t parent;
  struct confine_identity identity;
  /** Whether the child must talk to us before its exec; then `talk` is its end, on which it waits for permission. */
  int talks, talk;
  /** Where a held process inside reports its PID, and waits. */
  int hold_fd;
  /** Where a held process reports its result, as it has separate memory, and a process inside its PID. */
  int report;
  struct ahead ahead;
  const struct start_hooks *hooks;
};

static const char *find_variable(const struct request *request, const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < request->envc; i++)
    if (strncmp(request->env[i], name, length) == 0 && request->env[i][length] == '=')
      return request->env[i] + length + 1;
  return NULL;
}

static int plan_candidates(struct plan *plan) {
  const char *program = plan->request->program;
  const char *path = strchr(program, '/') ? "" : find_variable(plan->request, "PATH");
  if (path == NULL) path = "/usr/local/bin:/usr/bin:/bin";
  size_t folders = 1;
  for (const char *at = path; *at; at++) folders += *at == ':';
  size_t room = (strlen(program) + 2) * folders + strlen(path) + 1;
  plan->candidates = calloc(folders + 1, sizeof(char *));
  plan->candidate_text = malloc(room);
  if (plan->candidates == NULL || plan->candidate_text == NULL) return ENOMEM;
  char *text = plan->candidate_text;
  for (size_t i = 0; i < folders; i++) {
    size_t length = strcspn(path, ":");
    int size = length > 0 ? snprintf(text, room, "%.*s/%s", (int)length, path, program) : snprintf(text, room, "%s", program);
    plan->candidates[i] = text;
    text += size + 1;
    room -= (size_t)size + 1;
    path += length + (path[length] == ':');
  }
  return 0;
}

// The program must not see which signals we ignore or block. Everything else is at its default since our own start.
static void reset_signals(void) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigset_t none;
  for (const int *signal = IGNORED_SIGNALS; *signal != 0; signal++) sigaction(*signal, &action, NULL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static int apply_limits(const struct request *request) {
  if (file_limit_apply(request) < 0) return -1;
  for (size_t i = 0; i < request->rlimit_count; i++) {
    const struct request_limit *limit = &request->rlimits[i];
    struct rlimit current, wanted = {limit->value, limit->value};
    // The kernel sends SIGXCPU at the first and kills at the second: if both were equal, the reason would not be known.
    if (limit->resource == RLIMIT_CPU && limit->value < RLIM_INFINITY - 1) wanted.rlim_max++;
    if (getrlimit(limit->resource, &current) < 0) return -1;
    // A hard limit that is already lower stays: only root may raise it, and it is stricter anyway.
    if (wanted.rlim_max > current.rlim_max) wanted.rlim_max = current.rlim_max;
    if (wanted.rlim_cur > wanted.rlim_max) wanted.rlim_cur = wanted.rlim_max;
    if (setrlimit(limit->resource, &wanted) < 0) return -1;
  }
  return 0;
}

int spawn_can_limit_processes(void) {
  static int can = -1;
  struct utsname kernel;
  unsigned major = 0, minor = 0;
  if (can >= 0) return can;
  // Root is exempt. Before Linux 5.14, all processes of the user count.
  if (getuid() == 0 || uname(&kernel) < 0 || sscanf(kernel.release, "%u.%u", &major, &minor) != 2) return can = 0;
  return can = major > 5 || (major == 5 && minor >= 14);
}

/** In namespaces. The init is one of the processes that the kernel counts. */
static int limit_processes(const struct request *request) {
  rlim_t most = request_task_limit(request) + 1ul;
  struct rlimit current, wanted = {most, most};
  if (request->processes == 0 || !spawn_can_limit_processes()) return 0;
  if (getrlimit(RLIMIT_NPROC, &current) < 0) return -1;
  return current.rlim_max <= wanted.rlim_max ? 0 : setrlimit(RLIMIT_NPROC, &wanted);
}

void spawned_signal_init(const struct spawned *spawned, int signal) {
  if (!spawned->is_in_room) kill(spawned->pid, signal);
  else if (spawned->init_fd >= 0) syscall(SYS_pidfd_send_signal, spawned->init_fd, signal, NULL, 0);
}

void spawned_kill_room(const struct spawned *spawned) {
  if (spawned->room_fd >= 0) syscall(SYS_pidfd_send_signal, spawned->room_fd, SIGKILL, NULL, 0);
}

int spawned_has_company(const struct spawned *spawned) { return spawned->is_in_room || spawned->visit_fd >= 0; }

void spawned_leave_to_room(struct spawned *spawned) {
  if (spawned->end_fd >= 0) close(spawned->end_fd);
  spawned->end_fd = spawned->visit_fd;
  spawned->visit_fd = -1;
  spawned->is_in_room = 1;
  fcntl(spawned->end_fd, F_SETFL, O_NONBLOCK);
}

int spawned_has_init(const struct spawned *spawned) {
  return !spawned->is_in_room || (spawned->init_fd >= 0 && syscall(SYS_pidfd_send_signal, spawned->init_fd, 0, NULL, 0) == 0);
}

pid_t spawned_command(const struct spawned *spawned) {
  return spawned->has_init && spawned->inner > 0 ? spawned->inner : spawned->pid;
}

static int try_exec(const struct plan *plan) {
  int error = ENOENT;
  for (char **candidate = plan->candidates; *candidate != NULL; candidate++) {
    execve(*candidate, plan->request->argv, plan->request->env);
    if (errno == EACCES) error = EACCES;
    else if (errno != ENOENT && errno != ENOTDIR) return errno;
  }
  return error;
}

static int take_confinement(struct spawned *spawned, int result) {
  if (result < 0) errno = spawned->confinement.error;
  return result;
}

// Without its supervisor, no process would limit or end the command.
int spawn_be_alone(void) { return setsid() < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ? -1 : 0; }

/** Everything between fork and exec; -1 with errno and the step that failed. */
static int prepare(const struct plan *plan, struct spawned *spawned, int is_inside) {
  const struct request *request = plan->request;
  const struct confinement *confinement = request->confinement;
  int is_ahead = plan->ahead.is_confined, is_room = plan->ahead.is_room;
  spawned->step = STEP_RESOURCES;
  if ((!is_ahead && !plan->ahead.is_filtered && spawn_be_alone() < 0) || (!is_inside && getppid() != plan->parent)) return -1;
  if (dup2(plan->stdin_fd, 0) < 0 || dup2(plan->stdout_fd, 1) < 0 || dup2(plan->stderr_fd, 2) < 0) return -1;
  spawned->step = STEP_CGROUP;
  // An init stays outside: it is not part of the command, and must not be what a limit kills.
  if (!is_inside && plan->cgroup_procs != NULL && cgroup_join(plan->cgroup_procs) < 0) return -1;
  spawned->step = STEP_CONFINE;
  if (is_inside && plan->talks && take_confinement(spawned, channel_listen(plan->talk, confinement, spawned)) < 0) return -1;
  if (is_inside && !is_ahead && !is_room &&
      take_confinement(spawned, confine_enter(confinement, &plan->ahead.arrival, &spawned->confinement)) < 0)
    return -1;
  spawned->step = STEP_CWD;
  if (chdir(request->cwd) < 0) return -1;
  if (request->umask != UMASK_INHERITED) umask((mode_t)request->umask);
  reset_signals();
  spawned->step = STEP_LIMITS;
  // An init gets none: it must exist until the last process inside has ended.
  if (!is_inside && apply_limits(request) < 0) return -1;
  spawned->step = STEP_CONFINE;
  int notify = is_ahead || plan->ahead.is_filtered ? plan->ahead.notify : -1;
  if (confinement == NULL) return 0;
  if (is_room && !plan->ahead.is_filtered && take_confinement(spawned, confine_filter(confinement, &spawned->confinement, &notify)) < 0) return -1;
  if (!is_ahead && !is_room && take_confinement(spawned, confine_restrict(confinement, &spawned->confinement, &notify)) < 0)
    return -1;
  return plan->talks ? channel_await(plan->talk, spawned, notify) : 0;
}

int spawn_confine_ahead(const struct confinement *confinement, struct ahead *ahead) {
  ahead->is_confined = spawn_be_alone() == 0 && confine_enter(confinement, &ahead->arrival, &ahead->report) == 0 &&
                       confine_restrict(confinement, &ahead->report, &ahead->notify) == 0 &&
                       !(ahead->report.missing & 1u << CONFINE_OVERLAYS);
  return ahead->is_confined;
}

static _Noreturn void fail(struct spawned *spawned) {
  spawned->error = errno ? errno : ESRCH;
  _exit(127);
}

// A child that talks has separate memory, so its result must be sent.
static _Noreturn void fail_aloud(const struct plan *plan, struct spawned *spawned) {
  spawned->error = errno ? errno : ESRCH;
  if (plan->talks) channel_result(plan->talk, spawned);
  _exit(127);
}

static _Noreturn void become(const struct plan *plan, struct spawned *spawned) {
  // Before the filter, which refuses it.
  if (plan->is_held && ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0) fail(spawned);
  if (prepare(plan, spawned, 0) < 0) fail_aloud(plan, spawned);
  spawned->step = STEP_EXEC;
  if (plan->is_held && plan->report >= 0 && channel_result(plan->report, spawned) < 0) fail(spawned);
  errno = try_exec(plan);
  fail_aloud(plan, spawned);
}

static int is_among_others(const struct plan *plan) { return plan->ahead.is_room || plan->ahead.is_visitor; }

static _Noreturn void become_inside(const struct plan *plan, struct spawned *spawned) {
  spawned->step = STEP_RESOURCES;
  // A separate process group, as without an init above it. In a room also a session: processes could join the group of the
  // init otherwise, and change its priority with their own.
  if (is_among_others(plan) ? setsid() < 0 : setpgid(0, 0) < 0) fail(spawned);
  spawned->step = STEP_CGROUP;
  if (plan->cgroup_procs != NULL && cgroup_join(plan->cgroup_procs) < 0) fail(spawned);
  spawned->step = STEP_LIMITS;
  if (apply_limits(plan->request) < 0 || limit_processes(plan->request) < 0) fail(spawned);
  spawned->step = STEP_EXEC;
  // The kernel adds our PID, as the reader sees it.
  char byte = 0;
  if (plan->is_held ? write(plan->hold_fd, &byte, 1) != 1 || read(plan->hold_fd, &byte, 1) != 1 : channel_pid(plan->report) < 0)
    fail(spawned);
  errno = try_exec(plan);
  fail(spawned);
}

static int open_output(int pipe_ends[2]) {
  if (pipe2(pipe_ends, O_CLOEXEC) < 0) return -1;
  // Only our end: a program that finds its stdout non-blocking would break.
  fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK);
  // Refused if this user has many large pipes; a small one is only slower.
  fcntl(pipe_ends[0], F_SETPIPE_SZ, PIPE_BYTES);
  return 0;
}

static int open_input(const struct request *request, int pipe_ends[2]) {
  pipe_ends[1] = -1;
  if (request->input_size == 0 && !(request->flags & FLAG_STDIN_OPEN)) {
    pipe_ends[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return pipe_ends[0] < 0 ? -1 : 0;
  }
  if (pipe2(pipe_ends, O_CLOEXEC) < 0) return -1;
  fcntl(pipe_ends[1], F_SETFL, O_NONBLOCK);
  return 0;
}

// Keeps errno: it is the reason for closing them.
static void close_all(int *fds, int count) {
  int error = errno;
  for (int i = 0; i < count; i++)
    if (fds[i] >= 0) close(fds[i]);
  errno = error;
}

// Not inlined: a function that returns twice should have as little state as possible.
// A traced child stops at any signal, and with vfork we would stop with it; with one that talks we must talk.
static __attribute__((noinline)) pid_t fork_command(const struct plan *plan, struct spawned *spawned) {
  pid_t pid = plan->is_held || plan->talks ? fork() : vfork();
  if (pid == 0) become(plan, spawned);
  return pid;
}

static __attribute__((noinline)) pid_t vfork_inside(const struct plan *plan, struct spawned *spawned) {
  pid_t pid = plan->is_held ? fork() : vfork();
  if (pid == 0) become_inside(plan, spawned);
  return pid;
}

static int is_alone(void) {
  siginfo_t info;
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD;
}

// Only we, from outside of the namespaces, have no PID inside. All processes inside are killed at once, so none can fork.
static void kill_inside(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  if (info->si_code == SI_USER && info->si_pid == 0) kill(-1, SIGKILL);
}

static void obey_kill(void) {
  const struct sigaction action = {.sa_sigaction = kill_inside, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigset_t signals;
  sigaction(KILL_INSIDE_SIGNAL, &action, NULL);
  sigemptyset(&signals);
  sigaddset(&signals, KILL_INSIDE_SIGNAL);
  sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

/** Descriptors of an init while it waits; those that it could not open are closed. */
enum { WAIT_REPORT, WAIT_IO, WAIT_PIDS, WAIT_FDS };
/** In a room: where the kernel lists its children. */
enum { WAIT_CHILDREN = WAIT_IO };
#define MAX_CHILDREN 4096

/** The last PID that was given out inside: the last number of /proc/loadavg is that of its reader's namespace. */
static uint32_t read_last_pid(void) {
  char text[128];
  ssize_t count = pread(WAIT_PIDS, text, sizeof text - 1, 0);
  if (count <= 0) return 0;
  text[count] = 0;
  char *at = strrchr(text, ' ');
  return at == NULL ? 0 : (uint32_t)strtoul(at, NULL, 10);
}

// A process that asks to be traced by its parent means a debugger, which this init is not: it continues, without the signal
// that has stopped it for that.
static void release_traced(pid_t pid, int signal) {
  int is_stop = signal == SIGTRAP || signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
  ptrace(PTRACE_DETACH, pid, NULL, (void *)(intptr_t)(is_stop ? 0 : signal));
}

// The command's end is reported at once, including whether no process is left: removing the namespaces takes
// time that no one has to wait for.
static _Noreturn void wait_inside(pid_t command) {
  struct command_end end = {.status = 0};
  obey_kill();
  while (!end.is_empty) {
    int status;
    pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0 && errno != EINTR && errno != ECHILD) _exit(127);
    if (pid > 0 && WIFSTOPPED(status)) {
      release_traced(pid, WSTOPSIG(status));
      continue;
    }
    if (pid == command) end.status = status;
    end.is_empty = is_alone();
    if (pid != command && !end.is_empty) continue;
    getrusage(RUSAGE_CHILDREN, &end.usage);
    end.has_io = read_io_of(WAIT_IO, &end.io[0], &end.io[1]);
    uint32_t last = read_last_pid();
    end.started = last >= (uint32_t)command ? last - (uint32_t)command + 1 : 0;
    if (write(WAIT_REPORT, &end, sizeof end) != (ssize_t)sizeof end) _exit(127);
  }
  _exit(0);
}

// Our children are killed; theirs become ours when they die, and are killed in the next round.
static void kill_children(void) {
  static pid_t pids[MAX_CHILDREN];
  ssize_t count = tree_read_children(WAIT_CHILDREN, pids, MAX_CHILDREN);
  for (ssize_t i = count - 1; i >= 0; i--) kill(pids[i], SIGKILL);
}

/** Counted by the kernel for the whole room, so only as long as there was no other command in it. */
static uint32_t count_started(const struct ahead *ahead, pid_t command) {
  uint32_t last = read_last_pid();
  return ahead->is_alone && *ahead->started == ahead->number && last >= (uint32_t)command ? last - (uint32_t)command + 1 : 0;
}

static void report_room_end(struct command_end *end) {
  end->is_empty = is_alone();
  getrusage(RUSAGE_CHILDREN, &end->usage);
  // As the kernel derives them from the same counts.
  end->has_io = 1;
  end->io[0] = (uint64_t)end->usage.ru_inblock * 512u;
  end->io[1] = (uint64_t)end->usage.ru_oublock * 512u;
  if (write(WAIT_REPORT, end, sizeof *end) != (ssize_t)sizeof *end) _exit(127);
}

static void block_signals(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
}

// In a room other commands may signal us, and only their SIGKILL and SIGSTOP have an effect. We are not the init of the
// namespace, so `kill(-1)` would mean them all.
static _Noreturn void wait_in_room(pid_t command, const struct ahead *ahead) {
  struct command_end end = {.status = 0};
  int is_killing = 0;
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, KILL_INSIDE_SIGNAL);
  while (!end.is_empty) {
    siginfo_t info = {.si_signo = 0};
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
      if (WIFSTOPPED(status)) {
        release_traced(pid, WSTOPSIG(status));
        continue;
      }
      if (pid != command) continue;
      end.status = status;
      end.started = count_started(ahead, command);
      report_room_end(&end);
    }
    if (!end.is_empty && is_alone()) {
      end.started = count_started(ahead, command);
      report_room_end(&end);
    }
    if (end.is_empty) break;
    if (is_killing) kill_children();
    sigwaitinfo(&awaited, &info);
    is_killing = is_killing || (info.si_signo == KILL_INSIDE_SIGNAL && info.si_code == SI_USER && info.si_pid == 0);
  }
  _exit(0);
}

/** `fd` is above all of these numbers, or -1. */
static int settle(int fd, int number) {
  if (fd < 0) close(number);
  return fd < 0 || fd == number ? 0 : dup2(fd, number);
}

// The init: already confined like the command, which it starts, and whose orphans it reaps. Its only descriptor
// is the one to us, and no process inside may inspect it. Its end is the end of everything in the namespaces.
static _Noreturn void be_init(const struct plan *plan, struct spawned *spawned, int report) {
  pid_t command = -1;
  spawned->confinement = plan->ahead.report;
  // Only while we may be inspected.
  int is_room = is_among_others(plan), io = open(is_room ? "/proc/thread-self/children" : "/proc/self/io", O_RDONLY | O_CLOEXEC);
  int pids = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  if (is_room && (io < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)) spawned->error = errno;
  else if (prepare(plan, spawned, 1) < 0) spawned->error = errno ? errno : ESRCH;
  // Before there is a command: our remaining descriptors reach the host. A held process does not run yet, and is inspected.
  else if (!plan->is_held && prctl(PR_SET_DUMPABLE, 0) < 0) spawned->error = errno;
  else command = vfork_inside(plan, spawned);
  if (is_room) block_signals();
  if (command < 0 && spawned->error == 0) spawned->error = errno;
  if (plan->is_held && prctl(PR_SET_DUMPABLE, 0) < 0) spawned->error = errno;
  if (channel_result(report, spawned) < 0 || spawned->error != 0) _exit(127);
  if (settle(report, WAIT_REPORT) < 0 || settle(io, WAIT_IO) < 0 || settle(pids, WAIT_PIDS) < 0) _exit(127);
  close_from(WAIT_FDS);
  if (is_room) wait_in_room(command, &plan->ahead);
  wait_inside(command);
}

static int open_hold(int ends[2]) {
  const int on = 1;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return -1;
  if (setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0) return 0;
  close_all(ends, 2);
  return ends[0] = ends[1] = -1;
}

/** The PID of the process that wrote a byte, in our namespace; -1 if none did. */
static pid_t hear_writer(int fd) {
  char byte;
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(struct ucred))];
  } control;
  struct iovec bytes = {&byte, 1};
  struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  struct ucred writer;
  if (recvmsg(fd, &message, MSG_CMSG_CLOEXEC) != 1) return -1;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header == NULL || header->cmsg_type != SCM_CREDENTIALS || header->cmsg_len != CMSG_LEN(sizeof writer)) return -1;
  memcpy(&writer, CMSG_DATA(header), sizeof writer);
  return writer.pid > 0 ? writer.pid : -1;
}

static int wants_world(const struct request *request) {
  return request->world != NULL && request->confinement != NULL && (request->confinement->flags & CONFINE_IN_WORLD);
}

int spawn_fits_world(const struct request *request, int is_shared, uint32_t world) {
  if (!wants_world(request) || !is_shared) return !wants_world(request) && !is_shared;
  return world_is(request->world) && world_number() == world;
}

// A world that cannot be joined is no reason not to run: what it would share is missing then, and nothing else.
pid_t spawn_clone(const struct request *request, int *is_shared) {
  uint32_t flags = request->confinement->flags;
  struct world world;
  *is_shared = wants_world(request) && world_join(request->world, &world) == 0;
  if (*is_shared) return world_clone(&world, confine_clone_flags(flags & ~(uint32_t)CONFINE_OWN_NETWORK));
  return (pid_t)syscall(SYS_clone, confine_clone_flags(flags), NULL, NULL, NULL, NULL);
}

/** Tells the room of the init of its visitor, before that may run anything. 0 or an errno. */
static int announce(const struct spawned *spawned, pid_t pid) {
  int fd = (int)syscall(SYS_pidfd_open, pid, 0);
  if (fd < 0) return errno;
  int is_sent = send_descriptors(spawned->visit_fd, "", 1, &fd, 1, 0);
  close(fd);
  return is_sent ? 0 : EPIPE;
}

/** As for fork: the init of a staged command, with files of its own, among the processes of a room. -1 if there is none, or it is
 * gone: nothing has happened then. */
static pid_t clone_visitor(struct plan *plan, struct spawned *spawned, int ours) {
  struct visit visit;
  if (!plan->talks || plan->cgroup_procs != NULL) return -1;
  enum visit_answer answer = room_visit(plan->request, &visit);
  if (answer == VISIT_UNANSWERED) spawned->misses_room = 1;
  if (answer != VISIT_WELCOME) return -1;
  const struct world world = {.user = -1, .network = -1, .room_fd = visit.room_fd};
  spawned->visit_fd = visit.fd;
  spawned->room_fd = visit.room_fd;
  pid_t pid = world_clone(&world, SIGCHLD | CLONE_NEWNS);
  if (pid == 0) {
    close(ours);
    plan->ahead.is_visitor = 1;
    prctl(PR_SET_NAME, "hs-command");
    confine_arrive(plan->request->confinement->flags, 1, NULL, &plan->ahead.arrival);
    return 0;
  }
  if (pid > 0 && announce(spawned, pid) == 0) {
    spawned->is_shared = 1;
    return pid;
  }
  if (pid > 0) {
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
  }
  close_all(&spawned->visit_fd, 1);
  close_all(&spawned->room_fd, 1);
  spawned->visit_fd = spawned->room_fd = -1;
  spawned->misses_room = 1;
  return -1;
}

static pid_t clone_init(struct plan *plan, struct spawned *spawned, int ours, int theirs) {
  uint32_t flags = plan->request->confinement->flags;
  const int fds[INIT_FDS] = {plan->stdin_fd, plan->stdout_fd, plan->stderr_fd, theirs};
  spawned->step = STEP_CONFINE;
  spawned->confinement.step = CONFINE_NAMESPACES;
  pid_t pid = plan->is_held ? -1 : clone_visitor(plan, spawned, ours);
  if (pid == 0) be_init(plan, spawned, theirs);
  if (pid > 0) return pid;
  pid = plan->is_held || plan->cgroup_procs != NULL ? 0 : prestart_take(plan->request, fds, &spawned->is_shared);
  if (pid > 0) return pid;
  pid = spawn_clone(plan->request, &spawned->is_shared);
  if (pid != 0) return pid;
  close(ours);
  confine_arrive(flags, spawned->is_shared, &plan->identity, &plan->ahead.arrival);
  be_init(plan, spawned, theirs);
}

static int open_channels(int ends[2], int hold[2], int is_gated) {
  hold[0] = hold[1] = -1;
  if (is_gated && open_hold(hold) < 0) return -1;
  if (channel_open(ends) == 0) return 0;
  close_all(hold, 2);
  return -1;
}

/** 1 if the command was started, or could not be; 0 if nothing has happened, and our ends are closed. */
static int start_in_room(struct plan *plan, struct spawned *spawned, int ours, const int hold[2], int theirs) {
  const int fds[INIT_FDS] = {plan->stdin_fd, plan->stdout_fd, plan->stderr_fd, theirs};
  struct spawned before = *spawned;
  const struct conversation talk = {plan->request->confinement, plan->hooks};
  spawned->is_in_room = spawned->is_shared = 1;
  int error = room_ask(plan->request, fds, hold[1]);
  close(theirs);
  if (hold[1] >= 0) close(hold[1]);
  if (error == 0 && channel_hear_room(&talk, spawned, ours)) {
    room_praise();
    return 1;
  }
  if (error == 0) room_complain(plan->request);
  // It has no permission to run anything.
  spawned_signal_init(spawned, SIGKILL);
  close_all(&spawned->init_fd, 1);
  close_all(&spawned->room_fd, 1);
  close_all(&spawned->notify_fd, 1);
  *spawned = before;
  close(ours);
  if (hold[0] >= 0) close(hold[0]);
  return 0;
}

/** Starts a child that reports to us; its report is recorded, and its connection kept while it has more to report. */
static pid_t start_reporting(struct plan *plan, struct spawned *spawned) {
  int ends[2], hold[2], error = 0, is_gated = plan->is_held && spawned->has_init;
  pid_t pid = -1;
  if (open_channels(ends, hold, is_gated) < 0) return -1;
  int belongs = spawned->has_init && room_fits(plan->request, plan->cgroup_procs), is_room = belongs && room_is_asked();
  if (is_room && start_in_room(plan, spawned, ends[0], hold, ends[1])) pid = spawned->pid;
  else {
    if (is_room && open_channels(ends, hold, is_gated) < 0) return -1;
    is_room = 0;
    spawned->misses_room = belongs;
    if (plan->talks) plan->talk = ends[1];
    plan->report = ends[1];
    plan->hold_fd = hold[1];
    pid = spawned->has_init ? clone_init(plan, spawned, ends[0], ends[1]) : fork_command(plan, spawned);
    error = errno;
    close(ends[1]);
    if (hold[1] >= 0) close(hold[1]);
  }
  if (pid > 0 && !is_room) {
    const struct conversation talk = {plan->request->confinement, plan->hooks};
    channel_hear(&talk, spawned, pid, ends[0]);
  }
  if (pid > 0) fcntl(ends[0], F_SETFL, O_NONBLOCK);
  if (is_room && spawned->error != 0) channel_end_room(spawned, ends[0]);
  if (is_gated && pid > 0 && spawned->error == 0) {
    spawned->inner = hear_writer(hold[0]);
    spawned->hold_fd = hold[0];
  } else if (hold[0] >= 0) close(hold[0]);
  if (pid > 0 && spawned->error == 0 && spawned->has_init) spawned->end_fd = ends[0];
  else close(ends[0]);
  errno = error;
  return pid;
}

static int needs_talk(const struct confinement *confinement) {
  return confinement != NULL && (confine_is_notified(confinement) || confine_count(confinement, ENTRY_LISTEN) > 0 ||
                                 confine_count(confinement, ENTRY_HOST_PORT) > 0 ||
                                 confine_count(confinement, ENTRY_PUBLISH) > 0);
}

static void spawn(struct spawned *spawned, const struct request *request, struct plan plan) {
  int fds[6] = {-1, -1, -1, -1, -1, -1};
  int *in = fds, *out = fds + 2, *err = fds + 4;
  int is_inside = request->confinement != NULL && (request->confinement->flags & CONFINE_IN_NAMESPACES);
  int is_split = (request->flags & FLAG_SPLIT) != 0;
  *spawned = (struct spawned){
      .pid = -1, .in = -1, .out = -1, .err = -1, .step = STEP_RESOURCES, .end_fd = -1, .has_init = is_inside,
      .notify_fd = -1, .hold_fd = -1, .init_fd = -1, .room_fd = -1, .visit_fd = -1};
  spawned->error = plan_candidates(&plan);
  if (spawned->error == 0 &&
      (open_input(request, in) < 0 || open_output(out) < 0 || (is_split && open_output(err) < 0)))
    spawned->error = errno;
  if (spawned->error == 0) {
    plan.stdin_fd = in[0];
    plan.stdout_fd = out[1];
    plan.stderr_fd = is_split ? err[1] : out[1];
    plan.talks = needs_talk(request->confinement);
    int reports = is_inside || plan.talks || (plan.is_held && request->confinement != NULL);
    pid_t pid = reports ? start_reporting(&plan, spawned) : fork_command(&plan, spawned);
    if (pid < 0) spawned->error = errno;
    else spawned->pid = pid;
  }
  free(plan.candidates);
  free(plan.candidate_text);
  if (spawned->error != 0) {
    if (spawned->pid > 0 && !spawned->is_in_room) waitpid(spawned->pid, NULL, 0);
    close_all(fds, 6);
    close_all(&spawned->notify_fd, 1);
    close_all(&spawned->init_fd, 1);
    close_all(&spawned->room_fd, 1);
    close_all(&spawned->visit_fd, 1);
    spawned->notify_fd = spawned->init_fd = spawned->room_fd = spawned->visit_fd = -1;
    return;
  }
  spawned->step = STEP_NONE;
  spawned->in = in[1];
  spawned->out = out[0];
  spawned->err = err[0];
  int theirs[] = {in[0], out[1], err[1]};
  close_all(theirs, 3);
}

static struct plan plan_for(const struct request *request, const int *cgroup_procs) {
  return (struct plan){
      .request = request, .cgroup_procs = cgroup_procs, .parent = getpid(), .identity = {geteuid(), getegid()}, .talk = -1,
      .hold_fd = -1, .report = -1};
}

// Other commands have taken every port of the world: that is no reason not to run, either.
static int is_crowded(const struct spawned *spawned) {
  return spawned->error == EADDRINUSE && spawned->is_shared && spawned->step == STEP_CONFINE &&
         spawned->confinement.step == CONFINE_LISTENERS && publish_failed_port() == 0;
}

void spawn_command(struct spawned *spawned, const struct request *request, const int *cgroup_procs,
                   const struct start_hooks *hooks) {
  struct plan plan = plan_for(request, cgroup_procs);
  plan.hooks = hooks;
  spawn(spawned, request, plan);
  if (!is_crowded(spawned)) return;
  struct request apart = *request;
  apart.world = NULL;
  plan.request = &apart;
  spawn(spawned, &apart, plan);
}

void spawn_as_init(const struct request *request, const struct ahead *ahead, const int fds[INIT_FDS], int hold) {
  struct plan plan = plan_for(request, NULL);
  struct spawned spawned = {.pid = -1, .step = STEP_RESOURCES, .has_init = 1, .is_shared = ahead->is_shared};
  plan.ahead = *ahead;
  plan.is_held = hold >= 0;
  plan.hold_fd = hold;
  plan.stdin_fd = fds[INIT_IN];
  plan.stdout_fd = fds[INIT_OUT];
  plan.stderr_fd = fds[INIT_ERR];
  plan.talks = needs_talk(request->confinement);
  plan.report = fds[INIT_REPORT];
  if (plan.talks) plan.talk = fds[INIT_REPORT];
  if (plan_candidates(&plan) != 0) _exit(127);
  be_init(&plan, &spawned, fds[INIT_REPORT]);
}

void spawn_held(struct spawned *spawned, const struct request *request, const struct start_hooks *hooks) {
  struct plan plan = plan_for(request, NULL);
  plan.is_held = 1;
  plan.hooks = hooks;
  spawn(spawned, request, plan);
}
