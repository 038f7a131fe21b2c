// Connections of a listener → connections to a port on loopback, and the bytes between them, moved by the kernel (splice).
// Each half of a connection ends separately. A side that does not read costs one pipe; further connections wait in the backlog.

#define _GNU_SOURCE
#include "pump.h"
#include "keeper.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_CONNECTIONS 512u
/** Two sockets and two pipes. */
#define FDS_OF_CONNECTION 6u
#define OTHER_FDS 80u
#define SPLICE_BYTES (64u << 10)
/** Rounds for one connection before others get a turn. */
#define TURN 8
#define SPARE_PIPES 16
#define CONNECT_MS 10000u
#define TICK_MS 500
/** After an error of `accept` that only time can fix. */
#define PAUSE_MS 200u
#define EVENTS 64

/** From the socket of the same index to the other one. `queued` bytes are in the pipe, which exists only while there are any. */
struct flow {
  int pipe[2];
  size_t queued;
  int is_ended, is_shut;
};

struct connection {
  /** The accepted socket and ours; -1 = unused. */
  int fds[2];
  uint32_t watched[2];
  struct flow flows[2];
  uint16_t port;
  /** 0 if it is connected. */
  uint64_t connect_until;
  int is_second_try;
};

static int poller;
static struct connection *connections;
static size_t most, used, connecting;
static int spare[SPARE_PIPES][2];
static size_t spare_count;
static uint64_t paused_until;

/** Of events; below them are two for each connection. */
#define KEY_UNTIL UINT32_MAX
#define KEY_LISTENERS (1u << 30)

static int watch(int fd, uint32_t key, uint32_t *watched, uint32_t wanted) {
  struct epoll_event event = {.events = wanted, .data.u32 = key};
  if (*watched == wanted) return 0;
  // A socket that nothing is wanted of is left out: the kernel would go on reporting that it has hung up.
  int how = wanted == 0 ? EPOLL_CTL_DEL : *watched == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  *watched = wanted;
  return epoll_ctl(poller, how, fd, &event);
}

static int open_pipe(struct flow *flow) {
  if (flow->pipe[0] >= 0) return 0;
  if (spare_count > 0) {
    memcpy(flow->pipe, spare[--spare_count], sizeof flow->pipe);
    return 0;
  }
  return pipe2(flow->pipe, O_NONBLOCK | O_CLOEXEC);
}

/** Only an empty pipe may serve another connection. */
static void close_pipe(struct flow *flow) {
  if (flow->pipe[0] < 0) return;
  if (flow->queued == 0 && spare_count < SPARE_PIPES) memcpy(spare[spare_count++], flow->pipe, sizeof flow->pipe);
  else for (int i = 0; i < 2; i++) close(flow->pipe[i]);
  flow->pipe[0] = flow->pipe[1] = -1;
}

static void end_connection(struct connection *connection, int is_aborted) {
  const struct linger at_once = {1, 0};
  for (int i = 0; i < 2; i++) {
    close_pipe(&connection->flows[i]);
    if (connection->fds[i] < 0) continue;
    if (is_aborted) setsockopt(connection->fds[i], SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(connection->fds[i]);
    connection->fds[i] = -1;
  }
  if (connection->connect_until != 0) connecting--;
  used--;
}

static int is_pending(int error) { return error == EAGAIN || error == EINTR; }

/** 1 if bytes moved, 0 if not, -1 if the connection is broken. */
static int fill(struct connection *connection, int side) {
  struct flow *flow = &connection->flows[side];
  if (flow->is_ended || flow->queued > 0) return 0;
  if (open_pipe(flow) < 0) return -1;
  ssize_t count = splice(connection->fds[side], NULL, flow->pipe[1], NULL, SPLICE_BYTES, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
  int error = errno;
  if (count > 0) flow->queued = (size_t)count;
  else close_pipe(flow);
  if (count == 0) flow->is_ended = 1;
  return count > 0 ? 1 : count == 0 || is_pending(error) ? 0 : -1;
}

static int drain(struct connection *connection, int side) {
  struct flow *flow = &connection->flows[side];
  int to = connection->fds[!side], moved = 0;
  while (flow->queued > 0) {
    ssize_t count = splice(flow->pipe[0], NULL, to, NULL, flow->queued, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
    if (count <= 0) return count < 0 && is_pending(errno) ? moved : -1;
    flow->queued -= (size_t)count;
    moved = 1;
  }
  close_pipe(flow);
  if (flow->is_ended && !flow->is_shut) {
    flow->is_shut = 1;
    // Fails if the other side has ended already.
    shutdown(to, SHUT_WR);
  }
  return moved;
}

static int move_bytes(struct connection *connection, int side) {
  for (int turn = 0; turn < TURN; turn++) {
    int filled = fill(connection, side), drained = filled < 0 ? -1 : drain(connection, side);
    if (filled < 0 || drained < 0) return -1;
    if (filled == 0 && drained == 0) return 0;
  }
  return 0;
}

static void plan_next(struct connection *connection) {
  uint32_t key = (uint32_t)(connection - connections) * 2;
  const struct flow *flows = connection->flows;
  if (flows[0].is_shut && flows[1].is_shut) {
    end_connection(connection, 0);
    return;
  }
  for (int side = 0; side < 2; side++) {
    uint32_t in = !flows[side].is_ended && flows[side].queued == 0 ? (uint32_t)EPOLLIN : 0;
    uint32_t out = flows[!side].queued > 0 ? (uint32_t)EPOLLOUT : 0;
    if (watch(connection->fds[side], key + (uint32_t)side, &connection->watched[side], in | out) == 0) continue;
    end_connection(connection, 1);
    return;
  }
}

static int connect_to(uint16_t port, int is_second_try) {
  struct sockaddr_in old = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  struct sockaddr_in6 new = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  const struct sockaddr *address = is_second_try ? (const struct sockaddr *)&new : (const struct sockaddr *)&old;
  int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, address, is_second_try ? sizeof new : sizeof old) == 0 || errno == EINPROGRESS) return fd;
  close(fd);
  return -1;
}

/** 127.0.0.1, then ::1. */
static void try_to_connect(struct connection *connection) {
  uint32_t key = (uint32_t)(connection - connections) * 2 + 1;
  for (int fd = -1; fd < 0 && !connection->is_second_try;) {
    connection->is_second_try = connection->connect_until != 0;
    if (!connection->is_second_try) connecting++;
    connection->connect_until = now_ms() + CONNECT_MS;
    connection->fds[1] = fd = connect_to(connection->port, connection->is_second_try);
  }
  connection->watched[1] = 0;
  if (connection->fds[1] < 0 || watch(connection->fds[1], key, &connection->watched[1], EPOLLOUT) < 0)
    end_connection(connection, 1);
}

static void finish_connecting(struct connection *connection) {
  const int on = 1;
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(connection->fds[1], SOL_SOCKET, SO_ERROR, &error, &size) < 0) error = errno;
  if (error != 0) {
    close(connection->fds[1]);
    connection->fds[1] = -1;
    try_to_connect(connection);
    return;
  }
  connection->connect_until = 0;
  connecting--;
  for (int i = 0; i < 2; i++) setsockopt(connection->fds[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  plan_next(connection);
}

static void serve(struct connection *connection, uint32_t events) {
  if (connection->fds[0] < 0) return;
  if (connection->connect_until != 0) finish_connecting(connection);
  else if ((events & EPOLLERR) || move_bytes(connection, 0) < 0 || move_bytes(connection, 1) < 0) end_connection(connection, 1);
  else plan_next(connection);
}

static void accept_from(const struct pump_listener *listener) {
  for (size_t i = 0; used < most && i < most; i++) {
    if (connections[i].fds[0] >= 0) continue;
    int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      if (!is_pending(errno) && errno != ECONNABORTED) paused_until = now_ms() + PAUSE_MS;
      return;
    }
    connections[i] = (struct connection){
        .fds = {fd, -1}, .flows = {{.pipe = {-1, -1}}, {.pipe = {-1, -1}}}, .port = listener->port};
    used++;
    try_to_connect(&connections[i]);
  }
}

static void give_up_late(void) {
  for (size_t i = 0; connecting > 0 && i < most; i++)
    if (connections[i].fds[0] >= 0 && connections[i].connect_until != 0 && now_ms() >= connections[i].connect_until)
      end_connection(&connections[i], 1);
}

static size_t count_possible(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return 1;
  rlim_t wanted = MAX_CONNECTIONS * FDS_OF_CONNECTION + OTHER_FDS;
  if (limit.rlim_cur < wanted) limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= wanted) return MAX_CONNECTIONS;
  return limit.rlim_cur > OTHER_FDS + FDS_OF_CONNECTION ? (size_t)(limit.rlim_cur - OTHER_FDS) / FDS_OF_CONNECTION : 1;
}

// Accepts last: a slot that was freed in this round may still have events in it.
static void serve_round(const struct pump_listener *listeners, size_t count, uint32_t *watched) {
  struct epoll_event events[EVENTS];
  int is_open = used < most && now_ms() >= paused_until;
  for (size_t i = 0; i < count; i++)
    if (watch(listeners[i].fd, KEY_LISTENERS + (uint32_t)i, &watched[i], is_open ? (uint32_t)EPOLLIN : 0) < 0) _exit(70);
  int ready = epoll_wait(poller, events, EVENTS, connecting > 0 || now_ms() < paused_until ? TICK_MS : -1);
  for (int i = 0; i < ready; i++) {
    uint32_t key = events[i].data.u32;
    if (key == KEY_UNTIL) _exit(0);
    if (key < KEY_LISTENERS) serve(&connections[key / 2], events[i].events);
  }
  for (int i = 0; i < ready; i++)
    if (events[i].data.u32 >= KEY_LISTENERS) accept_from(&listeners[events[i].data.u32 - KEY_LISTENERS]);
  give_up_late();
}

void pump_serve(const struct pump_listener *listeners, size_t count, int until) {
  uint32_t until_watched = 0, *watched = calloc(count, sizeof *watched);
  most = count_possible();
  connections = calloc(most, sizeof *connections);
  poller = epoll_create1(EPOLL_CLOEXEC);
  if (watched == NULL || connections == NULL || poller < 0) _exit(70);
  for (size_t i = 0; i < most; i++) connections[i].fds[0] = connections[i].fds[1] = -1;
  for (size_t i = 0; i < count; i++) fcntl(listeners[i].fd, F_SETFL, O_NONBLOCK);
  if (watch(until, KEY_UNTIL, &until_watched, EPOLLIN | EPOLLRDHUP) < 0) _exit(70);
  for (;;) serve_round(listeners, count, watched);
}
