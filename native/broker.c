// Socket notifications → answers. Each is decided on a copy of the address; then the supervisor itself connects or binds the
// caller's socket with that copy. So later changes by the caller have no effect, and no call ever passes through unchanged.

#define _GNU_SOURCE
#include "broker.h"
#include "address.h"
#include "confine-calls.h"
#include "keeper.h"
#include "observe.h"
#include "own-process.h"
#include "own-sockets.h"
#include "refusal.h"
#include "settings.h"
#include "stage-layer.h"
#include "stage-rename.h"
#include "trace-exit.h"
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
/** How often it is checked whether a pending connection is still wanted, and how often one is tried again. */
#define CHECK_MS 50
#define RETRY_MS 5

struct connecting {
  struct notice notice;
  int fd;
  /** The socket file, otherwise -1. */
  int file;
  /** A unix socket whose peer has no room: it is retried. */
  int is_retried;
  union address address;
  socklen_t size;
  /** Where it is connected to if no server of the session listens at the address; size 0 = nowhere. */
  union address bridge;
  socklen_t bridge_size;
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

static int try_connect(const struct connecting *item, int *is_blocking) {
  union address address = {.local = {.sun_family = AF_UNIX}};
  if (item->file < 0) return connect_now(item->fd, &item->address, item->size, is_blocking);
  snprintf(address.local.sun_path, sizeof address.local.sun_path, "/proc/self/fd/%d", item->file);
  return connect_now(item->fd, &address, sizeof address.local, is_blocking);
}

/** Whether a connection has failed, also one that a socket which does not block will hear of later; that stays unread. */
static int has_failed(int fd, int error) {
  struct pollfd poll_fd = {fd, POLLOUT, 0};
  if (error != EINPROGRESS) return error != 0;
  return poll(&poll_fd, 1, 0) == 1 && (poll_fd.revents & POLLERR);
}

static void let_go(struct connecting *item) {
  close(item->fd);
  if (item->file >= 0) close(item->file);
}

/** Connects, and answers or remembers a pending connection. Takes both descriptors. */
static void connect_by_copy(struct task *task, int notify_fd, struct connecting *item) {
  int is_blocking = 0, error = try_connect(item, &is_blocking), is_local = item->address.any.sa_family == AF_UNIX;
  // On the loopback a refusal comes at once; the socket is then as it was before.
  if (item->bridge_size > 0 && has_failed(item->fd, error)) {
    const struct sockaddr none = {.sa_family = AF_UNSPEC};
    option(item->fd, SO_ERROR);
    connect(item->fd, &none, sizeof none);
    item->address = item->bridge;
    item->size = item->bridge_size;
    error = try_connect(item, &is_blocking);
  }
  uint32_t flags = task->request.confinement->flags;
  if ((flags & CONFINE_REPORT_CONTACTS) && (flags & CONFINE_OWN_NETWORK) && !is_local && has_failed(item->fd, error))
    refusal_check_connect(task, &item->notice, &item->address, item->size);
  item->is_retried = is_local && error == EAGAIN;
  int waits = is_blocking && (item->is_retried || (error == EINPROGRESS && !is_settled(item->fd, &error)));
  if (waits && connecting_count < MAX_CONNECTING) {
    connecting[connecting_count++] = *item;
    return;
  }
  notice_answer(notify_fd, &item->notice, error);
  let_go(item);
}

static int is_changeable(const struct confinement *confinement, const char *path) {
  const struct confine_entry *nearest = NULL;
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    int is_laid = confine_is_writable(entry->kind) || entry->kind == ENTRY_READ_ONLY || entry->kind == ENTRY_MASK;
    if (!is_laid || !confine_is_below(path, entry->path)) continue;
    if (nearest == NULL || strlen(entry->path) >= strlen(nearest->path)) nearest = entry;
  }
  return nearest != NULL && confine_is_writable(nearest->kind);
}

// Where the command can move files, a name says nothing: it could put another program's socket there.
static void pin_listed(const struct confinement *confinement) {
  for (size_t i = 0; i < confinement->count; i++) {
    struct confine_entry *entry = &confinement->entries[i];
    struct stat status;
    if (entry->kind != ENTRY_UNIX || !is_changeable(confinement, entry->path)) continue;
    int is_there = lstat(entry->path, &status) == 0;
    entry->is_pinned = 1;
    entry->device = is_there ? status.st_dev : 0;
    entry->inode = is_there ? status.st_ino : 0;
  }
}

static int is_pinned_one(const struct confine_entry *entry, const struct stat *status) {
  return !entry->is_pinned || (entry->device == status->st_dev && entry->inode == status->st_ino);
}

// A listed file is opened as the host sees it, without following links; the caller's path only selects it.
static int open_listed(const struct notice *notice, const struct confinement *confinement, const char *path, int *is_absent) {
  struct stat meant = {0}, listed;
  char whole[PATH_MAX];
  int is_named = notice_absolute(notice, AT_FDCWD, path, whole, sizeof whole) == 0;
  int there = stage_open_below(confinement, notice_open_path(notice, path)), is_there = there >= 0 && fstat(there, &meant) == 0;
  *is_absent = there < 0 && (errno == ENOENT || errno == ENOTDIR);
  if (there >= 0) close(there);
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (entry->kind != ENTRY_UNIX) continue;
    int fd = confine_open(entry->path);
    if (fd < 0) continue;
    int is_socket = fstat(fd, &listed) == 0 && S_ISSOCK(listed.st_mode) && is_pinned_one(entry, &listed);
    int is_same = is_there && listed.st_dev == meant.st_dev && listed.st_ino == meant.st_ino;
    if (is_socket && (is_same || (is_named && strcmp(whole, entry->path) == 0))) return fd;
    close(fd);
  }
  errno = EACCES;
  return -1;
}

// Asked by the C library for names of users and hosts, and not by the command: refused like all others, but not reported.
static int is_asked_for_names(const char *path) {
  static const char *const FOLDERS[] = {"/run/nscd/",          "/var/run/nscd/",       "/run/systemd/userdb/", "/run/systemd/resolve/",
                                        "/var/lib/sss/pipes/", "/run/avahi-daemon/", "/var/run/avahi-daemon/"};
  for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++)
    if (strncmp(path, FOLDERS[i], strlen(FOLDERS[i])) == 0) return 1;
  return 0;
}

static int refuse_file(struct task *task, const struct notice *notice, const char *path) {
  char target[PATH_MAX];
  if (notice_absolute(notice, AT_FDCWD, path, target, sizeof target) != 0) snprintf(target, sizeof target, "%s", path);
  return is_asked_for_names(target) ? EACCES : refuse(task, REFUSED_CONNECT, target, EACCES);
}

// Whether the command may connect to a socket file that no setting lists; 0 or an errno. Only a listener in its own network
// namespace is one of its own. If commands with different rights share that namespace, this must also know which of them has
// bound the socket (record its inode at the start of each), and refuse one with more rights than the caller: the kernel does not
// check the Landlock scope of the caller here, because the supervisor connects. The same holds for abstract sockets below.
static int may_reach_socket(struct task *task, int notify_fd, const struct notice *notice, const char *path, int file) {
  switch (own_sockets_find(notify_fd, notice, file)) {
    case LISTENER_INSIDE: return 0;
    case LISTENER_NONE: return ECONNREFUSED;
    case LISTENER_OUTSIDE: return refuse_file(task, notice, path);
    case LISTENER_UNKNOWN: break;
  }
  return EACCES;
}

/** 0, and the file, or an errno. `is_own`: it is the command's business alone. */
static int find_file(struct task *task, int notify_fd, struct connecting *item, int *is_own) {
  const struct confinement *confinement = task->request.confinement;
  const struct notice *notice = &item->notice;
  char path[sizeof item->address.local.sun_path + 1] = "", target[PATH_MAX];
  size_t begin = offsetof(struct sockaddr_un, sun_path);
  if (item->size <= begin || item->size > sizeof item->address.local) return EINVAL;
  memcpy(path, item->address.local.sun_path, item->size - begin);
  address_describe(&item->address, item->size, target, sizeof target);
  if (path[0] == 0) {
    // A network namespace has its own; `answer_connect` has checked that the socket belongs to it.
    *is_own = (confinement->flags & CONFINE_OWN_NETWORK) != 0;
    if (!*is_own) return refuse(task, REFUSED_CONNECT, target, EPERM);
    return !(confinement->flags & CONFINE_PAIRS_ONLY) || (confinement->flags & CONFINE_OWN_UNIX) ? 0 : EPERM;
  }
  if (!(confinement->flags & CONFINE_PAIRS_ONLY)) {
    item->file = stage_open_below(confinement, notice_open_path(notice, path));
    return item->file < 0 ? errno : 0;
  }
  int is_absent = 0;
  if (confinement->flags & CONFINE_LISTED_UNIX) item->file = open_listed(notice, confinement, path, &is_absent);
  if (item->file >= 0) return 0;
  // Many programs look for a socket that does not exist; nothing was refused then.
  if (is_absent) return ENOENT;
  if (!(confinement->flags & CONFINE_OWN_UNIX)) return refuse_file(task, notice, path);
  item->file = stage_open_below(confinement, notice_open_path(notice, path));
  if (item->file < 0) return errno;
  int error = may_reach_socket(task, notify_fd, notice, path, item->file);
  *is_own = error == 0 || error == ECONNREFUSED;
  return error;
}

// Listeners of the commands of a world: only what is routed there may connect to one. Every connection in a shared network is
// made by its command's supervisor, with the address that was checked here.
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

static void set_private(union address *address, uint16_t port) {
  static const uint8_t MAPPED[12] = {[10] = 0xff, [11] = 0xff};
  const uint32_t host = htonl(WORLD_PRIVATE_ADDRESS);
  if (address->any.sa_family == AF_INET) {
    address->old.sin_addr.s_addr = host;
    address->old.sin_port = htons(port);
    return;
  }
  memcpy(address->new.sin6_addr.s6_addr, MAPPED, sizeof MAPPED);
  memcpy(address->new.sin6_addr.s6_addr + sizeof MAPPED, &host, sizeof host);
  address->new.sin6_port = htons(port);
}

/** In a world, the proxy and the ports that are bridged to the host for this command alone are found at the loopback, as in a
 * network of its own. A server of the session with the same port comes first, but never in the place of the proxy. */
static void route(const struct spawned *command, struct connecting *item) {
  union address local = item->address;
  socklen_t size = item->size;
  uint16_t port = 0;
  size_t at = 0;
  if (!is_tcp(item->fd) || !address_make_loopback(&local, &size, &port)) return;
  while (at < command->route_count && command->routes[at].port != port) at++;
  if (at == command->route_count) return;
  item->bridge = local;
  item->bridge_size = size;
  set_private(&item->bridge, command->routes[at].listener);
  if (!command->routes[at].is_proxy) return;
  item->address = item->bridge;
  item->size = size;
}

/** The least that the kernel accepts; the scope of IPv6 may be missing. */
static int is_whole(const struct connecting *item) {
  size_t least = item->address.any.sa_family == AF_INET ? sizeof item->address.old : offsetof(struct sockaddr_in6, sin6_scope_id);
  return item->size >= least;
}

/** 0 or an errno; the address becomes the connect target. */
static int judge_inet(struct task *task, struct connecting *item) {
  const struct confinement *confinement = task->request.confinement;
  union address *address = &item->address;
  char target[PATH_MAX];
  uint16_t port = ntohs(address->any.sa_family == AF_INET ? address->old.sin_port : address->new.sin6_port);
  address_describe(address, item->size, target, sizeof target);
  if (task->command.is_shared) {
    if (is_private(address, item->size)) return refuse(task, REFUSED_CONNECT, target, EACCES);
    route(&task->command, item);
  }
  if (confinement->flags & CONFINE_BROKERED) {
    if (!is_tcp(item->fd)) return EINVAL;
    if (!address_make_loopback(address, &item->size, &port) || !lists_port(confinement, ENTRY_CONNECT_PORT, port))
      return refuse(task, REFUSED_CONNECT, target, EACCES);
  } else if (confinement->flags & CONFINE_NO_INET) return refuse(task, REFUSED_CONNECT, target, EACCES);
  else if (!(confinement->flags & CONFINE_LISTED_CONNECT)) return 0;
  else if (!is_tcp(item->fd) || !lists_port(confinement, ENTRY_CONNECT_PORT, port))
    return refuse(task, REFUSED_CONNECT, target, EACCES);
  return 0;
}

static int judge_connect(struct task *task, int notify_fd, struct connecting *item, int *is_own) {
  uint32_t flags = task->request.confinement->flags;
  int domain = option(item->fd, SO_DOMAIN);
  if (domain < 0) return ENOTSOCK;
  // A socket of another network that was passed in would connect there.
  if ((flags & CONFINE_OWN_NETWORK) && !own_sockets_is_inside(notify_fd, &item->notice, item->fd)) return EACCES;
  switch (item->address.any.sa_family) {
    case AF_UNIX: return domain != AF_UNIX ? EINVAL : find_file(task, notify_fd, item, is_own);
    case AF_INET:
    case AF_INET6: return is_whole(item) ? judge_inet(task, item) : EINVAL;
    // Only disconnects.
    case AF_UNSPEC: return 0;
    default: return EAFNOSUPPORT;
  }
}

static void observe_connect(struct task *task, const struct connecting *item) {
  char target[PATH_MAX];
  address_describe(&item->address, item->size, target, sizeof target);
  if (item->address.any.sa_family != AF_UNSPEC) observe_target(task, OBSERVED_CONNECT, target);
}

static void answer_connect(struct task *task, int notify_fd, const struct notice *notice) {
  uint32_t flags = task->request.confinement->flags;
  struct connecting item = {.notice = *notice, .fd = -1, .file = -1};
  int is_own = 0, decides = confine_connects(flags);
  int error = read_address(notice, notice->arguments[1], notice->arguments[2], &item.address, &item.size);
  struct connecting asked = item;
  if (error == 0 && decides && (item.fd = notice_descriptor(notice, (int)notice->arguments[0])) < 0) error = errno;
  if (error == 0 && decides) error = judge_connect(task, notify_fd, &item, &is_own);
  if (asked.size > 0 && (flags & CONFINE_OBSERVE_ALL) && !is_own) observe_connect(task, &asked);
  if (!decides) {
    notice_let_pass(notify_fd, notice);
    return;
  }
  // From here on it is known whose memory, folder and socket these were.
  int is_current = notice_is_current(notify_fd, notice);
  if (is_current && error == 0) {
    connect_by_copy(task, notify_fd, &item);
    return;
  }
  if (is_current) notice_answer(notify_fd, notice, error);
  if (item.fd >= 0) close(item.fd);
  if (item.file >= 0) close(item.file);
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

// Only calls that would connect by sending are notified.
static int refuse_sending(struct task *task, const struct notice *notice) {
  union address address;
  socklen_t size = 0;
  char target[PATH_MAX] = "tcp fast open";
  if (notice->number == SYS_sendto && read_address(notice, notice->arguments[4], notice->arguments[5], &address, &size) == 0)
    address_describe(&address, size, target, sizeof target);
  return refuse(task, REFUSED_SEND, target, EPERM);
}

static int is_observed(int number) {
  const struct observed_call *call = OBSERVED_CALLS;
  while (call->number != -1 && call->number != number) call++;
  return call->number == number;
}

static void answer_one(struct task *task, int notify_fd, const struct notice *notice) {
  uint32_t flags = task->request.confinement->flags;
  int error = EPERM;
  if (is_observed(notice->number)) {
    if ((flags & CONFINE_JUDGE_SETTINGS) && settings_answer(task, notify_fd, notice)) return;
    if (flags & (CONFINE_OBSERVE_WRITES | CONFINE_OBSERVE_ALL)) observe_call(task, notice);
    if (flags & CONFINE_REPORT_CHANGES) refusal_check_paths(task, notice);
    if ((flags & CONFINE_STAGED) && stage_rename_answer(task, notify_fd, notice)) return;
    if ((flags & CONFINE_STAGED) && stage_link_answer(task->request.confinement, notify_fd, notice)) return;
    notice_let_pass(notify_fd, notice);
    return;
  }
  switch (notice->number) {
    case SYS_connect: answer_connect(task, notify_fd, notice); return;
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
      if ((error = own_process_judge(task, notice)) != 0) break;
      notice_let_pass(notify_fd, notice);
      return;
    case SYS_ptrace:
      if ((error = trace_exit_judge(task, notice)) != 0) break;
      notice_let_pass(notify_fd, notice);
      return;
    default: break;
  }
  notice_answer(notify_fd, notice, error);
}

void broker_begin(const struct confinement *confinement) {
  broker_end();
  trace_exit_begin();
  // A child that it fails for reports the error.
  if (confinement != NULL && (confinement->flags & CONFINE_OWN_UNIX)) own_sockets_check();
  if (confinement != NULL) pin_listed(confinement);
}

int broker_wait_ms(void) {
  int wait = connecting_count > 0 ? CHECK_MS : -1;
  for (size_t i = 0; i < connecting_count; i++)
    if (connecting[i].is_retried) wait = RETRY_MS;
  return wait;
}

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
  // One that is retried has nothing to poll for but time.
  for (size_t i = 0; i < connecting_count; i++)
    polls[i] = (struct pollfd){connecting[i].is_retried ? -1 : connecting[i].fd, POLLOUT, 0};
  return connecting_count;
}

/** Whether it is done. */
static int advance_one(int notify_fd, struct connecting *item, int is_ready, int is_time) {
  int error = 0, is_blocking;
  if (item->is_retried && !is_time) return 0;
  if (!notice_is_current(notify_fd, &item->notice)) return 1;
  if (item->is_retried) {
    error = try_connect(item, &is_blocking);
    if (error == EAGAIN) return 0;
  } else if (!is_ready || !is_settled(item->fd, &error)) return 0;
  notice_answer(notify_fd, &item->notice, error);
  return 1;
}

void broker_advance(int notify_fd, const struct pollfd *polls, size_t count) {
  static uint64_t retried_at;
  size_t kept = 0;
  // Other events come much more often.
  int is_time = now_ms() >= retried_at + RETRY_MS;
  if (is_time) retried_at = now_ms();
  for (size_t i = 0; i < connecting_count; i++) {
    if (advance_one(notify_fd, &connecting[i], i < count && polls[i].revents != 0, is_time)) let_go(&connecting[i]);
    else connecting[kept++] = connecting[i];
  }
  connecting_count = kept;
}

void broker_end(void) {
  for (size_t i = 0; i < connecting_count; i++) let_go(&connecting[i]);
  connecting_count = 0;
  own_sockets_end();
}
