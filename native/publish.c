// A listener on one side, a pump on the other. The pump for published ports enters the namespaces of the command: a socket
// belongs to the network in which it was created, and a process that has entered a user namespace cannot leave it.

#define _GNU_SOURCE
#include "publish.h"
#include "keeper.h"
#include "pump.h"
#include "tree.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BACKLOG 511

enum { INSIDE, OUTSIDE, DIRECTIONS };

struct pump {
  pid_t pid;
  /** While this is open, it runs. */
  int life;
};

static struct pump pumps[DIRECTIONS] = {{0, -1}, {0, -1}};
static struct pump_listener taken[MAX_LISTENERS];
static size_t taken_count;
static uint16_t failed_port;
/** Of the task, and of a shell that waits for it. */
static int kept[2 * MAX_LISTENERS];
static size_t kept_count;
static struct {
  pid_t pid;
  uint64_t begun;
} proxy;

uint16_t publish_failed_port(void) { return failed_port; }

int publish_take(uint16_t port, int fd) {
  int copy = taken_count < MAX_LISTENERS ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
  if (copy < 0) return EMFILE;
  taken[taken_count++] = (struct pump_listener){copy, port};
  return 0;
}

int publish_keep(int fd) {
  int copy = kept_count < sizeof kept / sizeof *kept ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
  if (copy < 0) return EMFILE;
  kept[kept_count++] = copy;
  return 0;
}

static void close_listeners(struct pump_listener *listeners, size_t count) {
  for (size_t i = 0; i < count; i++) close(listeners[i].fd);
}

// SO_REUSEADDR: closed connections of an earlier command do not occupy the port.
static int listen_here(uint16_t port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  const int on = 1;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 && listen(fd, BACKLOG) == 0)
    return fd;
  int error = errno;
  if (fd >= 0) close(fd);
  errno = error;
  return -1;
}

/** Descriptors of a pump, in this order; then its listeners. */
enum { PUMP_LIFE, PUMP_USER, PUMP_NETWORK, PUMP_LISTENERS };

/** The pump has these descriptors and no others: an open pipe of ours would keep the command waiting for its end. */
static int keep_only(const int *fds, int count) {
  int copies[PUMP_LISTENERS + MAX_LISTENERS];
  for (int i = 0; i < count; i++) {
    copies[i] = fds[i] < 0 ? -1 : fcntl(fds[i], F_DUPFD, count);
    if (fds[i] >= 0 && copies[i] < 0) return errno;
  }
  for (int i = 0; i < count; i++)
    if (copies[i] < 0) close(i);
    else if (dup2(copies[i], i) < 0) return errno;
  close_from((unsigned)count);
  return 0;
}

// The command cannot see this process, which is not in its PID namespace; without privileges it could gain nothing by it.
static int enter(void) {
  if (setns(PUMP_USER, CLONE_NEWUSER) < 0 || setns(PUMP_NETWORK, CLONE_NEWNET) < 0) return errno;
  close(PUMP_USER);
  close(PUMP_NETWORK);
  return 0;
}

static _Noreturn void be_pump(int direction, const int *fds, const struct pump_listener *listeners, size_t count) {
  struct pump_listener own[MAX_LISTENERS];
  int error = keep_only(fds, PUMP_LISTENERS + (int)count);
  if (error == 0 && direction == INSIDE) error = enter();
  if (error == 0) error = confine_drop_privileges();
  if (error == 0 && prctl(PR_SET_DUMPABLE, 0) < 0) error = errno;
  if (write(PUMP_LIFE, &error, sizeof error) != (ssize_t)sizeof error || error != 0) _exit(70);
  for (size_t i = 0; i < count; i++) own[i] = (struct pump_listener){PUMP_LISTENERS + (int)i, listeners[i].port};
  pump_serve(own, count, PUMP_LIFE);
}

/** 0 or an errno. The listeners are closed here. */
static int start_pump(int direction, struct pump_listener *listeners, size_t count, int user, int network) {
  int ends[2], fds[PUMP_LISTENERS + MAX_LISTENERS], error = 0;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return errno;
  fds[PUMP_LIFE] = ends[1];
  fds[PUMP_USER] = user;
  fds[PUMP_NETWORK] = network;
  for (size_t i = 0; i < count; i++) fds[PUMP_LISTENERS + i] = listeners[i].fd;
  pid_t pid = fork();
  if (pid == 0) be_pump(direction, fds, listeners, count);
  if (pid < 0) error = errno;
  close(ends[1]);
  pumps[direction] = (struct pump){pid > 0 ? pid : 0, ends[0]};
  while (pid > 0 && read(ends[0], &error, sizeof error) != (ssize_t)sizeof error)
    if (errno != EINTR) return ECHILD;
  return error;
}

static int publish(const struct confinement *confinement, pid_t inside) {
  struct pump_listener listeners[MAX_LISTENERS];
  size_t count = 0;
  int error = 0;
  for (size_t i = 0; i < confinement->count && error == 0; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (entry->kind != ENTRY_PUBLISH) continue;
    int fd = listen_here(entry->port);
    if (fd >= 0) listeners[count++] = (struct pump_listener){fd, entry->port};
    else error = errno;
    if (error != 0) failed_port = entry->port;
  }
  // In a world the network is not that of the command's own user namespace.
  int network = open_namespace(inside, "net"), user = network < 0 ? -1 : open_owner(network);
  if (error == 0 && (user < 0 || network < 0)) error = errno;
  if (error == 0) error = start_pump(INSIDE, listeners, count, user, network);
  close_listeners(listeners, count);
  if (user >= 0) close(user);
  if (network >= 0) close(network);
  return error;
}

int publish_begin(const struct confinement *confinement, pid_t inside) {
  int error = 0;
  failed_port = 0;
  if (confine_count(confinement, ENTRY_PUBLISH) > 0) error = publish(confinement, inside);
  if (error == 0 && taken_count > 0) error = start_pump(OUTSIDE, taken, taken_count, -1, -1);
  close_listeners(taken, taken_count);
  taken_count = 0;
  if (error == 0) return 0;
  uint16_t port = failed_port;
  publish_end();
  failed_port = port;
  return error;
}

void publish_note_proxy(pid_t pid, uint64_t begun) {
  proxy.pid = pid;
  proxy.begun = begun;
}

// It notices the end of the task by itself, but not while it is stopped.
static void end_stopped_proxy(void) {
  int fd = proxy.pid > 1 ? (int)syscall(SYS_pidfd_open, proxy.pid, 0) : -1;
  char state = fd < 0 ? 0 : process_state(proxy.pid, proxy.begun);
  if (state == 'T' || state == 't') syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
  if (fd >= 0) close(fd);
  proxy.pid = 0;
}

int publish_end(void) {
  int had_any = 0;
  end_stopped_proxy();
  for (size_t i = 0; i < kept_count; i++) close(kept[i]);
  kept_count = 0;
  failed_port = 0;
  close_listeners(taken, taken_count);
  taken_count = 0;
  for (int i = 0; i < DIRECTIONS; i++) {
    if (pumps[i].life >= 0) close(pumps[i].life);
    pumps[i].life = -1;
    if (pumps[i].pid <= 0) continue;
    had_any = 1;
    // It would end by itself, unless another process has stopped it.
    kill(pumps[i].pid, SIGKILL);
    while (waitpid(pumps[i].pid, NULL, 0) < 0 && errno == EINTR) continue;
    pumps[i].pid = 0;
  }
  return had_any;
}

int publish_is_pump(pid_t pid) { return pid > 0 && (pid == pumps[INSIDE].pid || pid == pumps[OUTSIDE].pid); }

void publish_note_reaped(pid_t pid) {
  for (int i = 0; i < DIRECTIONS; i++)
    if (pumps[i].pid == pid) pumps[i].pid = 0;
}
