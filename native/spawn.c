// vfork and exec. Between the two the child shares our memory: it only makes system calls and notes where it failed.
// A child that is to be held is a fork and says nothing: whoever holds it sees whether it came to its exec.

#define _GNU_SOURCE
#include "spawn.h"
#include "keeper.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIPE_BYTES (1 << 20)

struct plan {
  const struct request *request;
  /** Paths to try in turn, as `execvp` does. */
  char **candidates;
  char *candidate_text;
  int stdin_fd, stdout_fd, stderr_fd, cgroup_procs, is_held;
  pid_t parent;
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

// The program may not see which signals we ignore or block. Everything else is at its default since our own start.
static void reset_signals(void) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigset_t none;
  for (const int *signal = IGNORED_SIGNALS; *signal != 0; signal++) sigaction(*signal, &action, NULL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static int apply_limits(const struct request *request) {
  for (size_t i = 0; i < request->rlimit_count; i++) {
    const struct request_limit *limit = &request->rlimits[i];
    struct rlimit current, wanted = {limit->value, limit->value};
    if (getrlimit(limit->resource, &current) < 0) return -1;
    // A hard limit that is already lower stays: only root may raise it, and it is stricter anyway.
    if (wanted.rlim_max > current.rlim_max) wanted.rlim_cur = wanted.rlim_max = current.rlim_max;
    if (setrlimit(limit->resource, &wanted) < 0) return -1;
  }
  return 0;
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

static _Noreturn void become(const struct plan *plan, struct spawned *spawned) {
  const struct request *request = plan->request;
  spawned->step = STEP_RESOURCES;
  if (setsid() < 0) goto failed;
  // Without its supervisor nobody would bound or end the command.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != plan->parent) goto failed;
  if (dup2(plan->stdin_fd, 0) < 0 || dup2(plan->stdout_fd, 1) < 0 || dup2(plan->stderr_fd, 2) < 0) goto failed;
  spawned->step = STEP_CGROUP;
  if (plan->cgroup_procs >= 0 && write(plan->cgroup_procs, "0", 1) != 1) goto failed;
  spawned->step = STEP_CWD;
  if (chdir(request->cwd) < 0) goto failed;
  if (request->umask != UMASK_INHERITED) umask((mode_t)request->umask);
  reset_signals();
  spawned->step = STEP_LIMITS;
  if (apply_limits(request) < 0) goto failed;
  spawned->step = STEP_EXEC;
  if (plan->is_held && ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0) goto failed;
  errno = try_exec(plan);
failed:
  spawned->error = errno ? errno : ESRCH;
  _exit(127);
}

static int open_output(int pipe_ends[2]) {
  if (pipe2(pipe_ends, O_CLOEXEC) < 0) return -1;
  // Only our end: a program that finds its stdout non-blocking would break.
  fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK);
  // Refused when this user holds many large pipes; a small one is only slower.
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

static void close_all(int *fds, int count) {
  for (int i = 0; i < count; i++)
    if (fds[i] >= 0) close(fds[i]);
}

// Not inlined: a function that returns twice should hold no more than what it needs.
// A traced child stops at any signal, and with vfork we would stop with it.
static __attribute__((noinline)) pid_t fork_command(const struct plan *plan, struct spawned *spawned) {
  pid_t pid = plan->is_held ? fork() : vfork();
  if (pid == 0) become(plan, spawned);
  return pid;
}

static void spawn(struct spawned *spawned, const struct request *request, struct plan plan) {
  int fds[6] = {-1, -1, -1, -1, -1, -1};
  int *in = fds, *out = fds + 2, *err = fds + 4;
  int is_split = (request->flags & FLAG_SPLIT) != 0;
  *spawned = (struct spawned){.pid = -1, .in = -1, .out = -1, .err = -1, .step = STEP_RESOURCES};
  spawned->error = plan_candidates(&plan);
  if (spawned->error == 0 &&
      (open_input(request, in) < 0 || open_output(out) < 0 || (is_split && open_output(err) < 0)))
    spawned->error = errno;
  if (spawned->error == 0) {
    plan.stdin_fd = in[0];
    plan.stdout_fd = out[1];
    plan.stderr_fd = is_split ? err[1] : out[1];
    pid_t pid = fork_command(&plan, spawned);
    if (pid < 0) spawned->error = errno;
    else spawned->pid = pid;
  }
  free(plan.candidates);
  free(plan.candidate_text);
  if (spawned->error != 0) {
    if (spawned->pid > 0) waitpid(spawned->pid, NULL, 0);
    close_all(fds, 6);
    return;
  }
  spawned->step = STEP_NONE;
  spawned->in = in[1];
  spawned->out = out[0];
  spawned->err = err[0];
  int theirs[] = {in[0], out[1], err[1]};
  close_all(theirs, 3);
}

void spawn_command(struct spawned *spawned, const struct request *request, int cgroup_procs) {
  spawn(spawned, request, (struct plan){.request = request, .cgroup_procs = cgroup_procs, .parent = getpid()});
}

void spawn_held(struct spawned *spawned, const struct request *request) {
  spawn(spawned, request, (struct plan){.request = request, .cgroup_procs = -1, .parent = getpid(), .is_held = 1});
}
