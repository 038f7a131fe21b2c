// Socket notifications → answers. Each is decided on a copy of the address; then the supervisor itself connects or binds the
// caller's socket with that copy. So later changes by the caller have no effect, and no call ever passes through unchanged.

#define _GNU_SOURCE
#include "broker.h"
#include "address.h"
#include "confine-calls.h"
#include "observe.h"
#include "refusal.h"
#include "world.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/** How long a call that should not block may block. */
#define PATIENCE_US 2000

struct connecting {
  struct notice notice;
  int fd;
  /** A unix socket whose peer has no room: it is retried. The file, otherwise -1. */
  int file;
};

static struct connecting connecting[MAX_CONNECTING];
static size_t connecting_count;

static int refuse(struct task *task, enum refused what, const char *target, int error) {
  report_refusal(task, what, error, target);
  return error;
}

static int lists_port(const struct confinement *confinement, enum confine_kind kind, uint16_t port) {
  for (size_t i = 0; i < confinement->count; i++)
    if (confinement->entries[i].kind == kind && confinement->entries[i].port == port) return 1;
  return 0;
}

static int read_address(const struct notice *notice, uint64_t at, uint64_t given, union address *address, socklen_t *size) {
  int32_t length = (int32_t)given;
  memset(address, 0, sizeof *address);
  if (length < (int32_t)sizeof address->any.sa_family || length > (int32_t)sizeof *address) return EINVAL;
  *size = (socklen_t)length;
  return notice_read(notice, at, address->bytes, (size_t)length);
}

static int option(int fd, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(fd, SOL_SOCKET, name, &value, &size) < 0 ? -1 : value;
}

static int is_tcp(int fd) {
  int domain = option(fd, SO_DOMAIN);
  if (domain != AF_INET && domain != AF_INET6) return 0;
  return option(fd, SO_TYPE) == SOCK_STREAM && option(fd, SO_PROTOCOL) == IPPROTO_TCP;
}

static int is_v6_only(int fd) {
  int value = 0;
  socklen_t size = sizeof value;
  return getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &value, &size) == 0 && value != 0;
}

static void wake(int signal) { (void)signal; }

// The caller shares the socket, and can make it blocking again just before we connect. A signal interrupts a blocked call,
// and another one follows in case the first came before the call.
static int connect_briefly(int fd, const union address *address, socklen_t size) {
  static int is_ready;
  const struct itimerval soon = {{0, PATIENCE_US}, {0, PATIENCE_US}}, never = {{0, 0}, {0, 0}};
  if (!is_ready) {
    const struct sigaction action = {.sa_handler = wake};
    if (sigaction(SIGALRM, &action, NULL) < 0) return errno;
    is_ready = 1;
  }
  if (setitimer(ITIMER_REAL, &soon, NULL) < 0) return errno;
  int error = connect(fd, &address->any, size) < 0 ? errno : 0;
  setitimer(ITIMER_REAL, &never, NULL);
  if (error != EINTR) return error;
  // As without waiting: TCP continues by itself, a unix socket must be retried.
  return address->any.sa_family == AF_UNIX ? EAGAIN : EINPROGRESS;
}

/** Never blocks, whatever the socket's own setting, which the caller shares and keeps. */
static int connect_now(int fd, const union address *address, socklen_t size, int *is_blocking) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return errno;
  *is_blocking = !(flags & O_NONBLOCK);
  if (*is_blocking && fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) return errno;
  int error = connect_briefly(fd, address, size);
  if (*is_blocking) fcntl(fd, F_SETFL, flags);
  return error;
}

static int is_settled(int fd, int *error) {
  struct pollfd poll_fd = {fd, POLLOUT, 0};
  if (poll(&poll_fd, 1, 0) != 1) return 0;
  *error = option(fd, SO_ERROR);
  return 1;
}

static int connect_file(int fd, int file, int *is_blocking) {
  union address address = {.local = {.sun_family = AF_UNIX}};
  snprintf(address.local.sun_path, sizeof address.local.sun_path, "/proc/self/fd/%d", file);
  return connect_now(fd, &address, sizeof address.local, is_blocking);
}

/** Answers, or remembers a pending connection. Takes both descriptors. */
static void finish_connect(int notify_fd, const struct notice *notice, int fd, int file, int error, int is_blocking) {
  int waits = is_blocking && (file >= 0 ? error == EAGAIN : error == EINPROGRESS && !is_settled(fd, &error));
  if (waits && connecting_count < MAX_CONNECTING) {
    connecting[connecting_count++] = (struct connecting){*notice, fd, file};
    return;
  }
  notice_answer(notify_fd, notice, error);
  close(fd);
  if (file >= 0) close(file);
}

// A listed file is opened as the host sees it, without following links; the caller's path only selects it.
static int open_listed(const struct notice *notice, const struct confinement *confinement, const char *path, int *is_absent) {
  struct stat meant = {0}, listed;
  char whole[PATH_MAX];
  int is_named = notice_absolute(notice, AT_FDCWD, path, whole, sizeof whole) == 0;
  int there = notice_open_path(notice, path), is_there = there >= 0 && fstat(there, &meant) == 0;
  *is_absent = there < 0 && (errno == ENOENT || errno == ENOTDIR);
  if (there >= 0) close(there);
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (entry->kind != ENTRY_UNIX) continue;
    int fd = confine_open(entry->path);
    if (fd < 0) continue;
    int is_socket = fstat(fd, &listed) == 0 && S_ISSOCK(listed.st_mode);
    int is_same = is_there && listed.st_dev == meant.st_dev && listed.st_ino == meant.st_ino;
    if (is_socket && (is_same || (is_named && strcmp(whole, entry->path) == 0))) return fd;
    close(fd);
  }
  errno = EACCES;
  return -1;
}

/** 0, and the file, or an errno. */
static int find_file(struct task *task, const struct notice *notice, const union address *address, socklen_t size, int *file) {
  const struct confinement *confinement = task->request.confinement;
  char path[sizeof address->local.sun_path + 1] = "", target[PATH_MAX];
  size_t begin = offsetof(struct sockaddr_un, sun_path);
  if (size <= begin || size > sizeof address->local) return EINVAL;
  memcpy(path, address->local.sun_path, size - begin);
  address_describe(address, size, target, sizeof target);
  if (path[0] == 0) return refuse(task, REFUSED_CONNECT, target, EPERM);
  if (!(confinement->flags & CONFINE_PAIRS_ONLY)) {
    *file = notice_open_path(notice, path);
    return *file < 0 ? errno : 0;
  }
  int is_absent = 0;
  *file = open_listed(notice, confinement, path, &is_absent);
  if (*file >= 0) return 0;
  // Many programs look for a socket that does not exist; nothing was refused then.
  if (is_absent) return ENOENT;
  if (notice_absolute(notice, AT_FDCWD, path, target, sizeof target) != 0) snprintf(target, sizeof target, "%s", path);
  return refuse(task, REFUSED_CONNECT, target, EACCES);
}

/** Whether it is a listener of a command in the same world; only what is routed there may connect to it. */
static int is_private(const union address *address, socklen_t size) {
  uint32_t host = 0;
  if (address->any.sa_family == AF_INET && size >= sizeof address->old) host = ntohl(address->old.sin_addr.s_addr);
  else if (address->any.sa_family == AF_INET6 && size >= offsetof(struct sockaddr_in6, sin6_scope_id)) {
    const struct in6_addr *new = &address->new.sin6_addr;
    // Both ways to write an old address as a new one.
    if (IN6_IS_ADDR_V4MAPPED(new) || IN6_IS_ADDR_V4COMPAT(new)) {
      memcpy(&host, &new->s6_addr[12], sizeof host);
      host = ntohl(host);
    }
  }
  return (host & WORLD_PRIVATE_MASK) == (WORLD_PRIVATE_ADDRESS & WORLD_PRIVATE_MASK);
}

/** In a world, a port that is bridged to the host for this command alone is found at the loopback, as in a network of its own.
 * A server of the session with the same port comes first. */
static void route(const struct spawned *command, const struct notice *notice, union address *address, socklen_t *size) {
  union address local = *address;
  socklen_t local_size = *size;
  uint16_t port = 0;
  if (!address_make_loopback(&local, &local_size, &port)) return;
  for (size_t i = 0; i < command->route_count; i++) {
    if (command->routes[i].port != port) continue;
    char process[16];
    snprintf(process, sizeof process, "%u", notice->pid);
    if (port != WORLD_PROXY_PORT && refusal_is_listening(process, port)) return;
    static const uint8_t MAPPED[12] = {[10] = 0xff, [11] = 0xff};
    const uint32_t host = htonl(WORLD_PRIVATE_ADDRESS);
    if (local.any.sa_family == AF_INET) {
      local.old.sin_addr.s_addr = host;
      local.old.sin_port = htons(command->routes[i].listener);
    } else {
      memcpy(local.new.sin6_addr.s6_addr, MAPPED, sizeof MAPPED);
      memcpy(local.new.sin6_addr.s6_addr + sizeof MAPPED, &host, sizeof host);
      local.new.sin6_port = htons(command->routes[i].listener);
    }
    *address = local;
    *size = local_size;
    return;
  }
}

/** 0 or an errno; the address becomes the connect target. */
static int judge_inet(struct task *task, const struct notice *notice, union address *address, socklen_t *size, int fd) {
  const struct confinement *confinement = task->request.confinement;
  char target[PATH_MAX];
  uint16_t port = ntohs(address->any.sa_family == AF_INET ? address->old.sin_port : address->new.sin6_port);
  address_describe(address, *size, target, sizeof target);
  if (confinement->flags & CONFINE_IN_WORLD) {
    if (is_private(address, *size)) return refuse(task, REFUSED_CONNECT, target, EACCES);
    route(&task->command, notice, address, size);
    return 0;
  }
  if (confinement->flags & CONFINE_BROKERED) {
    if (!is_tcp(fd)) return EINVAL;
    if (!address_make_loopback(address, size, &port) || !lists_port(confinement, ENTRY_CONNECT_PORT, port))
      return refuse(task, REFUSED_CONNECT, target, EACCES);
  } else if (confinement->flags & CONFINE_NO_INET) return refuse(task, REFUSED_CONNECT, target, EACCES);
  else if (!(confinement->flags & CONFINE_LISTED_CONNECT)) return 0;
  else if (!is_tcp(fd) || !lists_port(confinement, ENTRY_CONNECT_PORT, port))
    return refuse(task, REFUSED_CONNECT, target, EACCES);
  return 0;
}

static void answer_connect(struct task *task, int notify_fd, const struct notice *notice) {
  union address address;
  socklen_t size = 0;
  int fd = -1, file = -1, is_blocking = 0;
  int error = read_address(notice, notice->arguments[1], notice->arguments[2], &address, &size);
  if (error == 0 && (fd = notice_descriptor(notice, (int)notice->arguments[0])) < 0) error = errno;
  if (error == 0) switch (address.any.sa_family) {
      case AF_UNIX:
        if (option(fd, SO_DOMAIN) != AF_UNIX) error = EINVAL;
        else error = find_file(task, notice, &address, size, &file);
        break;
      case AF_INET:
      case AF_INET6: error = judge_inet(task, notice, &address, &size, fd); break;
      // Only disconnects.
      case AF_UNSPEC: break;
      default: error = EAFNOSUPPORT;
    }
  // From here on it is known whose memory, folder and socket these were.
  if (!notice_is_current(notify_fd, notice)) {
    if (fd >= 0) close(fd);
    if (file >= 0) close(file);
    return;
  }
  if (error != 0) {
    notice_answer(notify_fd, notice, error);
    if (fd >= 0) close(fd);
    return;
  }
  error = file >= 0 ? connect_file(fd, file, &is_blocking) : connect_now(fd, &address, size, &is_blocking);
  finish_connect(notify_fd, notice, fd, file, error, is_blocking);
}

// Any address becomes loopback: servers there are for this machine only.
static int bind_by_copy(struct task *task, int notify_fd, const struct notice *notice) {
  union address address;
  socklen_t size = 0;
  uint16_t port = 0;
  char target[PATH_MAX];
  int error = read_address(notice, notice->arguments[1], notice->arguments[2], &address, &size), fd;
  if (error != 0) return error;
  address_describe(&address, size, target, sizeof target);
  int is_any = address.any.sa_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&address.new.sin6_addr);
  if (!address_make_loopback(&address, &size, &port) || !lists_port(task->request.confinement, ENTRY_BIND_PORT, port))
    return refuse(task, REFUSED_BIND, target, EACCES);
  if ((fd = notice_descriptor(notice, (int)notice->arguments[0])) < 0) return errno;
  if (is_any && is_v6_only(fd)) address.new.sin6_addr = in6addr_loopback;
  if (!is_tcp(fd)) error = EINVAL;
  else if (!notice_is_current(notify_fd, notice)) error = EINTR;
  else if (bind(fd, &address.any, size) < 0) error = errno;
  close(fd);
  return error;
}

// A socket that was never bound would get an unlisted port.
static int listen_if_bound(struct task *task, int notify_fd, const struct notice *notice) {
  union address address = {0};
  socklen_t size = sizeof address;
  uint16_t port = 0;
  char target[PATH_MAX];
  int fd = notice_descriptor(notice, (int)notice->arguments[0]), error = 0;
  if (fd < 0) return errno;
  if (!notice_is_current(notify_fd, notice)) error = EINTR;
  else if (getsockname(fd, &address.any, &size) < 0) error = errno;
  else {
    address_describe(&address, size, target, sizeof target);
    int is_listed = address_make_loopback(&address, &size, &port);
    is_listed = is_listed && lists_port(task->request.confinement, ENTRY_BIND_PORT, port);
    if (address.any.sa_family != AF_UNIX && !is_listed) error = refuse(task, REFUSED_BIND, target, EACCES);
    else if (listen(fd, (int)notice->arguments[1]) < 0) error = errno;
  }
  close(fd);
  return error;
}

static int refuse_socket(struct task *task, const struct notice *notice) {
  char target[64];
  unsigned type = (unsigned)notice->arguments[1] & 0x0fu, protocol = (unsigned)notice->arguments[2];
  if (task->request.confinement->flags & CONFINE_NO_INET)
    return refuse(task, REFUSED_CONNECT, type == SOCK_STREAM ? "tcp" : type == SOCK_DGRAM ? "udp" : "ip", EPERM);
  if (type == SOCK_DGRAM) return refuse(task, REFUSED_SEND, "udp", EACCES);
  snprintf(target, sizeof target, "socket type %u, protocol %u", type, protocol);
  return refuse(task, REFUSED_SEND, target, EACCES);
}

// Calls that change a process by its PID, which is no secret and is not read from memory. If it is one of the command's
// own, the kernel performs it: a PID is not reused before all others were used.
static int judge_process(const struct notice *notice) {
  int index = notice->number == SYS_setpriority || notice->number == SYS_ioprio_set ? 1 : 0;
  pid_t pid = (pid_t)notice->arguments[index];
  return pid > 0 && tree_has(pid) ? 0 : EPERM;
}

// Only calls that would connect by sending are notified.
static int refuse_sending(struct task *task, const struct notice *notice) {
  union address address;
  socklen_t size = 0;
  char target[PATH_MAX] = "tcp fast open";
  if (notice->number == SYS_sendto && read_address(notice, notice->arguments[4], notice->arguments[5], &address, &size) == 0)
    address_describe(&address, size, target, sizeof target);
  return refuse(task, REFUSED_SEND, target, EPERM);
}

static void observe_connect(struct task *task, const struct notice *notice) {
  union address address;
  socklen_t size = 0;
  char target[PATH_MAX];
  if (read_address(notice, notice->arguments[1], notice->arguments[2], &address, &size) != 0) return;
  address_describe(&address, size, target, sizeof target);
  if (address.any.sa_family != AF_UNSPEC) observe_target(task, OBSERVED_CONNECT, target);
}

static int is_observed(int number) {
  const struct observed_call *call = OBSERVED_CALLS;
  while (call->number != -1 && call->number != number) call++;
  return call->number == number;
}

static void answer_one(struct task *task, int notify_fd, const struct notice *notice) {
  uint32_t flags = task->request.confinement->flags;
  int error = EPERM, decides = (flags & (CONFINE_BROKERED | CONFINE_LISTED_UNIX | CONFINE_IN_WORLD)) != 0;
  if (is_observed(notice->number)) {
    if (flags & (CONFINE_OBSERVE_WRITES | CONFINE_OBSERVE_ALL)) observe_call(task, notice);
    if (flags & CONFINE_REPORT_CHANGES) refusal_check_paths(task, notice);
    notice_let_pass(notify_fd, notice);
    return;
  }
  switch (notice->number) {
    case SYS_connect:
      if (flags & CONFINE_OBSERVE_ALL) observe_connect(task, notice);
      if ((flags & CONFINE_REPORT_CONTACTS) && (flags & CONFINE_OWN_NETWORK)) refusal_check_connect(task, notice);
      if (decides) answer_connect(task, notify_fd, notice);
      else notice_let_pass(notify_fd, notice);
      return;
    case SYS_bind: error = bind_by_copy(task, notify_fd, notice); break;
    case SYS_listen: error = listen_if_bound(task, notify_fd, notice); break;
    case SYS_socket: error = refuse_socket(task, notice); break;
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg: error = refuse_sending(task, notice); break;
    case SYS_kill:
      refusal_check_signal(task, notice);
      notice_let_pass(notify_fd, notice);
      return;
    case SYS_prlimit64:
    case SYS_sched_setscheduler:
    case SYS_sched_setparam:
    case SYS_sched_setaffinity:
    case SYS_sched_setattr:
    case SYS_setpriority:
    case SYS_ioprio_set:
      if ((error = judge_process(notice)) != 0) break;
      notice_let_pass(notify_fd, notice);
      return;
    default: break;
  }
  notice_answer(notify_fd, notice, error);
}

void broker_begin(void) { broker_end(); }

int broker_is_busy(void) { return connecting_count > 0; }

int broker_has_room(void) { return connecting_count < MAX_CONNECTING; }

// One question for each time that the descriptor was found readable: then taking it never waits, not even if its process has
// died since. The next one comes only after the answer, as a rule, so looking for it here would cost more than it gains.
void broker_serve(struct task *task, int *notify_fd, int events) {
  struct notice notice;
  int taken = events & POLLIN ? notice_take(*notify_fd, &notice) : -1;
  if (taken > 0) answer_one(task, *notify_fd, &notice);
  if (taken >= 0) return;
  close(*notify_fd);
  *notify_fd = -1;
}

size_t broker_polls(struct pollfd *polls) {
  // A file to be retried has nothing to poll for but time.
  for (size_t i = 0; i < connecting_count; i++)
    polls[i] = (struct pollfd){connecting[i].file >= 0 ? -1 : connecting[i].fd, POLLOUT, 0};
  return connecting_count;
}

static void let_go(struct connecting *item) {
  close(item->fd);
  if (item->file >= 0) close(item->file);
}

/** Whether it is done. */
static int advance_one(int notify_fd, struct connecting *item, int is_ready) {
  int error = 0, is_blocking;
  if (!notice_is_current(notify_fd, &item->notice)) return 1;
  if (item->file >= 0) {
    error = connect_file(item->fd, item->file, &is_blocking);
    if (error == EAGAIN) return 0;
  } else if (!is_ready || !is_settled(item->fd, &error)) return 0;
  notice_answer(notify_fd, &item->notice, error);
  return 1;
}

void broker_advance(int notify_fd, const struct pollfd *polls, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < connecting_count; i++) {
    if (advance_one(notify_fd, &connecting[i], i < count && polls[i].revents != 0)) let_go(&connecting[i]);
    else connecting[kept++] = connecting[i];
  }
  connecting_count = kept;
}

void broker_end(void) {
  for (size_t i = 0; i < connecting_count; i++) let_go(&connecting[i]);
  connecting_count = 0;
}
