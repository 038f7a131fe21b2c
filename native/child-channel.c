// The exchange between a child and its supervisor before the program runs. The child sends its listeners, says that it is behind
// the filter and waits, and reports its result. The supervisor takes what it needs, and gives permission, or does not.

#define _GNU_SOURCE
#include "child-channel.h"
#include "keeper.h"
#include "confine-calls.h"
#include "publish.h"
#include "room.h"
#include "seccomp-notify.h"
#include "tree.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/** For a room to answer; if it does not, the command gets namespaces of its own. Shorter than the host waits for a start. */
#define ROOM_MS 1000
/** For the program to be loaded, once it may be: then there is no other way. */
#define EXEC_MS 30000
#define TICK_MS 200
/** For a room to prove that nothing is left of a command, and for the kernel to end a room. */
#define PROOF_MS 2000

enum saying { SAYS_LISTENERS = 1, SAYS_READY = 2, SAYS_RESULT = 3 };

struct start_report {
  uint32_t saying;
  /** In the child's table. */
  int32_t notify;
  struct spawned spawned;
};

static int say(int fd, enum saying saying, int notify, const struct spawned *spawned) {
  struct start_report report = {.saying = saying, .notify = notify, .spawned = *spawned};
  return write(fd, &report, sizeof report) == (ssize_t)sizeof report ? 0 : -1;
}

static int send_listeners(int fd, const struct confinement *confinement, const struct spawned *spawned) {
  union {
    char bytes[CMSG_SPACE(MAX_LISTENER_FDS * sizeof(int))];
    struct cmsghdr align;
  } control = {0};
  int fds[MAX_LISTENER_FDS], count = confine_listen(confinement, spawned->is_shared, fds);
  if (count <= 0) return count;
  struct start_report report = {.saying = SAYS_LISTENERS, .notify = -1, .spawned = *spawned};
  struct iovec part = {&report, sizeof report};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes};
  // musl and glibc have different types for these two.
  message.msg_controllen = (__typeof__(message.msg_controllen))CMSG_SPACE((size_t)count * sizeof(int));
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = (__typeof__(header->cmsg_len))CMSG_LEN((size_t)count * sizeof(int));
  memcpy(CMSG_DATA(header), fds, (size_t)count * sizeof(int));
  ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
  // Only the host and our supervisor accept.
  for (int i = 0; i < count; i++) close(fds[i]);
  return sent == (ssize_t)sizeof report ? 0 : -1;
}

int channel_listen(int fd, const struct confinement *confinement, struct spawned *spawned) {
  if (confine_count(confinement, ENTRY_LISTEN) + confine_count(confinement, ENTRY_HOST_PORT) == 0) return 0;
  int error = send_listeners(fd, confinement, spawned) < 0 ? errno : 0;
  return confine_note(confinement, &spawned->confinement, CONFINE_LISTENERS, error);
}

int channel_await(int fd, const struct spawned *spawned, int notify) {
  char word;
  ssize_t count = say(fd, SAYS_READY, notify, spawned) < 0 ? -1 : read(fd, &word, 1);
  if (notify >= 0) close(notify);
  if (count == 1) return 0;
  if (count == 0) errno = ECANCELED;
  return -1;
}

int channel_result(int fd, const struct spawned *spawned) { return say(fd, SAYS_RESULT, -1, spawned); }

int channel_pid(int fd) { return write(fd, "", 1) == 1 ? 0 : -1; }

int channel_open(int ends[2]) {
  const int on = 1;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return -1;
  return setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
}

static const struct cmsghdr *find_control(struct msghdr *message, int type) {
  struct cmsghdr *header = CMSG_FIRSTHDR(message);
  while (header != NULL && (header->cmsg_level != SOL_SOCKET || header->cmsg_type != type)) header = CMSG_NXTHDR(message, header);
  return header;
}

/** The child's descriptor with that number; -1 with errno. */
static int take_descriptor(pid_t pid, int number) {
  return copy_descriptor((int)syscall(SYS_pidfd_open, pid, 0), number);
}

/** How far a start has come: `is_bound` = the host has its listeners, or the program may run. */
struct progress {
  pid_t pid;
  int was_ready, is_bound;
};

static int reject(struct spawned *spawned, enum confine_step step, int error) {
  spawned->step = STEP_CONFINE;
  spawned->confinement.step = (int32_t)step;
  return spawned->error = error;
}

// The child is stopped before its program. What we need of it is taken now: afterwards it cannot be inspected.
static int meet_child(const struct conversation *talk, struct spawned *spawned, pid_t pid, int notify) {
  const struct confinement *confinement = talk->confinement;
  if (confine_is_notified(confinement) && (spawned->notify_fd = take_descriptor(pid, notify)) < 0)
    return reject(spawned, CONFINE_BROKER, errno);
  // Without the addresses, every connection would fail.
  int unread = confine_connects(confinement->flags) ? notice_can_read(pid) : 0;
  if (unread != 0) return reject(spawned, CONFINE_BROKER, unread);
  if (spawned->notify_fd >= 0) notice_begin(spawned->notify_fd);
  int error = publish_begin(confinement, pid);
  if (error == 0 && confine_count(confinement, ENTRY_LISTEN) > 0) error = talk->hooks->await_host();
  return error != 0 ? reject(spawned, CONFINE_LISTENERS, error) : 0;
}

static void note_route(struct spawned *spawned, const struct confine_entry *entry, int listener) {
  struct sockaddr_in address = {.sin_port = 0};
  socklen_t size = sizeof address;
  if (getsockname(listener, (struct sockaddr *)&address, &size) < 0 || spawned->route_count == MAX_LISTENERS) return;
  spawned->routes[spawned->route_count++] = (struct route){entry->port, ntohs(address.sin_port), entry->kind == ENTRY_LISTEN};
}

static int pass_listeners(const struct conversation *talk, struct spawned *spawned, struct msghdr *message) {
  const struct confinement *confinement = talk->confinement;
  const struct cmsghdr *header = find_control(message, SCM_RIGHTS);
  int fds[MAX_LISTENER_FDS], error = 0;
  size_t count = 0, at = 0;
  if (header != NULL) count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  if (count > MAX_LISTENER_FDS) count = MAX_LISTENER_FDS;
  if (count > 0) memcpy(fds, CMSG_DATA(header), count * sizeof(int));
  for (size_t i = 0; i < confinement->count && error == 0; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (!confine_is_listener(entry->kind)) continue;
    if (spawned->is_shared && at < count) note_route(spawned, entry, fds[at]);
    if (at == count) error = EPROTO;
    else error = entry->kind == ENTRY_LISTEN ? talk->hooks->hand_over(entry->port, fds[at]) : publish_take(entry->port, fds[at]);
    at++;
  }
  for (; at < count && error == 0; at++) error = publish_keep(fds[at]);
  for (size_t i = 0; i < count; i++) close(fds[i]);
  return error != 0 ? reject(spawned, CONFINE_LISTENERS, error) : 0;
}

/** As we see it; 0 if it is not known. */
static pid_t writer_of(struct msghdr *message) {
  const struct cmsghdr *header = find_control(message, SCM_CREDENTIALS);
  struct ucred writer;
  if (header == NULL || header->cmsg_len != CMSG_LEN(sizeof writer)) return 0;
  memcpy(&writer, CMSG_DATA(header), sizeof writer);
  return writer.pid > 1 ? writer.pid : 0;
}

// A PID may be used again when its process is gone. This one writes again after we have opened it, so it is the one we opened.
static int identify(struct spawned *spawned, struct progress *progress, pid_t writer) {
  if (progress->pid == 0) {
    progress->pid = spawned->pid = writer;
    spawned->init_fd = writer == 0 ? -1 : (int)syscall(SYS_pidfd_open, writer, 0);
    // As long as it lives, its parent is the first process of its room.
    pid_t room = writer == 0 ? 0 : tree_parent(writer);
    spawned->room_fd = room <= 1 ? -1 : (int)syscall(SYS_pidfd_open, room, 0);
  }
  return writer != 0 && writer == progress->pid && spawned->init_fd >= 0 && spawned->room_fd >= 0;
}

static void note_report(struct spawned *spawned, const struct spawned *heard) {
  spawned->confinement = heard->confinement;
  spawned->step = heard->step;
  spawned->error = heard->error;
}

enum heard { HEARD_MORE, HEARD_ALL };

// Each message is one write and one read.
static enum heard hear_child(const struct conversation *talk, struct spawned *spawned, struct progress *progress, int fd) {
  union {
    char bytes[CMSG_SPACE(MAX_LISTENER_FDS * sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
    struct cmsghdr align;
  } control;
  struct start_report report;
  struct iovec part = {&report, sizeof report};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes};
  message.msg_controllen = sizeof control.bytes;
  ssize_t count = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  if (count < 0 && errno == EINTR) return HEARD_MORE;
  if (count == 1) {
    pid_t writer = writer_of(&message);
    if (writer > 0) spawned->inner = writer;
    return HEARD_MORE;
  }
  // An init reports its result; any other child has become its program when the connection closes.
  if (count == 0 && progress->was_ready && !spawned->has_init) return HEARD_ALL;
  if (count != (ssize_t)sizeof report || (spawned->is_in_room && !identify(spawned, progress, writer_of(&message)))) {
    spawned->error = EPROTO;
    return HEARD_ALL;
  }
  if (report.saying == SAYS_RESULT) {
    note_report(spawned, &report.spawned);
    return HEARD_ALL;
  }
  if (report.saying == SAYS_LISTENERS) {
    progress->is_bound = 1;
    return pass_listeners(talk, spawned, &message) != 0 ? HEARD_ALL : HEARD_MORE;
  }
  note_report(spawned, &report.spawned);
  progress->was_ready = 1;
  if (meet_child(talk, spawned, progress->pid, report.notify) != 0) return HEARD_ALL;
  progress->is_bound = 1;
  if (write(fd, "", 1) != 1) spawned->error = errno;
  return spawned->error != 0 ? HEARD_ALL : HEARD_MORE;
}

// Until the program runs, or fails. The exec itself may cause a notification.
static void hear_all(const struct conversation *talk, struct spawned *spawned, struct progress *progress, int fd) {
  for (;;) {
    struct pollfd polls[] = {{fd, POLLIN, 0}, {spawned->notify_fd, POLLIN, 0}};
    if (spawned->notify_fd >= 0 && poll(polls, 2, -1) < 0) continue;
    if (spawned->notify_fd >= 0 && polls[1].revents & POLLIN) talk->hooks->serve(&spawned->notify_fd);
    if (spawned->notify_fd >= 0 && !polls[0].revents) continue;
    if (hear_child(talk, spawned, progress, fd) == HEARD_ALL) return;
  }
}

/** Whether the next message, which stays there, says that nothing is left of the command, or that its room is gone. */
static int is_over(int fd) {
  struct start_report report;
  ssize_t size = recv(fd, &report, sizeof report, MSG_PEEK | MSG_DONTWAIT);
  return size == 0 || size == (ssize_t)sizeof(struct room_proof);
}

// An init of a room may be stopped by others there, and is not below us, where the host would find it.
static void hear_room(const struct conversation *talk, struct spawned *spawned, struct progress *progress, int fd) {
  uint64_t begun = now_ms();
  for (;;) {
    struct pollfd polls[] = {{fd, POLLIN, 0}, {spawned->notify_fd, POLLIN, 0}};
    uint64_t limit = progress->is_bound ? EXEC_MS : ROOM_MS, passed = now_ms() - begun;
    if (passed >= limit) {
      spawned->error = ETIMEDOUT;
      return;
    }
    uint64_t left = limit - passed;
    int ready = poll(polls, spawned->notify_fd >= 0 ? 2 : 1, left < TICK_MS ? (int)left : TICK_MS);
    if (ready == 0 && talk->hooks->wait != NULL) talk->hooks->wait();
    if (ready <= 0) continue;
    if (spawned->notify_fd >= 0 && polls[1].revents & POLLIN) talk->hooks->serve(&spawned->notify_fd);
    // The command has killed its init, or another one has: it has run, and how it ends is heard later.
    if (polls[0].revents && spawned->inner > 0 && is_over(fd)) return;
    if (polls[0].revents && hear_child(talk, spawned, progress, fd) == HEARD_ALL) return;
  }
}

void channel_hear(const struct conversation *talk, struct spawned *spawned, pid_t pid, int fd) {
  struct progress progress = {.pid = pid};
  hear_all(talk, spawned, &progress, fd);
  // A child that still waits for permission must not be waited for.
  if (spawned->error != 0) kill(pid, SIGKILL);
}

int channel_hear_room(const struct conversation *talk, struct spawned *spawned, int fd) {
  struct progress progress = {.pid = 0};
  hear_room(talk, spawned, &progress, fd);
  return spawned->error == 0 || progress.is_bound;
}

static int wait_for(int fd, uint64_t until) {
  struct pollfd poll_fd = {fd, POLLIN, 0};
  uint64_t now = now_ms();
  return now < until && poll(&poll_fd, 1, (int)(until - now)) >= 0;
}

void channel_end_room(const struct spawned *spawned, int fd) {
  struct start_report report;
  uint64_t until = now_ms() + PROOF_MS;
  ssize_t count = -1;
  // Nothing of it was ever seen, so it has no permission.
  if (spawned->room_fd < 0) return;
  spawned_signal_init(spawned, SIGKILL);
  while (count != (ssize_t)sizeof(struct room_proof) && count != 0 && wait_for(fd, until)) count = recv(fd, &report, sizeof report, MSG_DONTWAIT);
  if (count == (ssize_t)sizeof(struct room_proof)) return;
  spawned_kill_room(spawned);
  wait_for(spawned->room_fd, now_ms() + PROOF_MS);
}
