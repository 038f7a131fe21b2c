// A supervisor asks for a room, over its lease of the world. It always has a second way: whatever fails here, or is not answered
// in time, costs the command nothing but the company of others.

#define _GNU_SOURCE
#include "room.h"
#include "descriptors.h"
#include "file-limit.h"
#include "keeper.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <string.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/** After a room or its world did not answer. */
#define GIVE_UP_MS 10000
#define CURRENT_PERSONALITY 0xffffffffu
#define MAX_GROUPS 4096
/** Larger than a frame. */
#define MAX_PAYLOAD (8u << 20)

/** For a room to answer a staged command, which otherwise starts apart. */
#define VISIT_MS 200

/** In a row, before a new room is no longer expected to do better. */
#define MAX_FAILURES 2

static uint64_t asks_again_at;
static unsigned failures;

int room_is_asked(void) { return now_ms() >= asks_again_at; }

void room_praise(void) { failures = 0; }

// Limits that the kernel counts per user namespace, or per cgroup, need one for each command. Lists of ports or of readable paths
// are for kernels without namespaces. A layer for changes is one command's own.
int room_fits(const struct request *request, const int *cgroup_procs) {
  const uint32_t unfit = CONFINE_LISTED_CONNECT | CONFINE_LISTED_BIND | CONFINE_LISTED_READ | CONFINE_BROKERED | CONFINE_NO_SHARED_IPC | CONFINE_STAGED;
  if (request->room == NULL || request->world == NULL || request->confinement == NULL) return 0;
  if (cgroup_procs != NULL || request->processes > 0) return 0;
  // What is written to a command may be a secret, and commands of a room can read each other's memory and descriptors.
  if (request->input_size > 0 || (request->flags & FLAG_STDIN_OPEN)) return 0;
  uint32_t flags = request->confinement->flags;
  // Notifications make it wait for the supervisor before it runs anything; by its own /proc a room finds its processes.
  const uint32_t needed = 1u << CONFINE_SYSTEM_CALLS | 1u << CONFINE_PROC;
  return (flags & CONFINE_IN_WORLD) && !(flags & unfit) && !(request->confinement->optional & needed);
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
  const uint8_t *at = bytes;
  for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * 0x100000001b3ull;
  return hash;
}

uint64_t room_scheduling(void) {
  char text[32];
  cpu_set_t processors;
  int values[] = {getpriority(PRIO_PROCESS, 0), sched_getscheduler(0), (int)syscall(SYS_ioprio_get, 1, 0)};
  uint64_t hash = hash_bytes(0xcbf29ce484222325ull, values, sizeof values);
  memset(&processors, 0, sizeof processors);
  if (sched_getaffinity(0, sizeof processors, &processors) == 0) hash = hash_bytes(hash, &processors, sizeof processors);
  long size = read_text("/proc/self/oom_score_adj", text, sizeof text);
  return size > 0 ? hash_bytes(hash, text, (size_t)size) : hash;
}

uint64_t room_standing(uint64_t scheduling) {
  static gid_t groups[MAX_GROUPS];
  int group_count = getgroups(MAX_GROUPS, groups), kind = personality(CURRENT_PERSONALITY);
  uint64_t hash = hash_bytes(scheduling, &group_count, sizeof group_count);
  if (group_count > 0) hash = hash_bytes(hash, groups, (size_t)group_count * sizeof *groups);
  return hash_bytes(hash, &kind, sizeof kind);
}

union rights {
  struct cmsghdr header;
  char room[CMSG_SPACE(sizeof(int) * START_FDS)];
};

int room_send(int socket, const struct room_start *start, const int *fds, size_t count) {
  return send_descriptors(socket, start, sizeof *start, fds, count, MSG_DONTWAIT) ? 0 : errno;
}

static void close_all(const int *fds, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (fds[i] >= 0) close(fds[i]);
}

int room_receive(int socket, struct room_start *start, int fds[START_FDS]) {
  union rights control;
  struct iovec bytes = {start, sizeof *start};
  struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  for (int i = 0; i < START_FDS; i++) fds[i] = -1;
  ssize_t size;
  do size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  while (size < 0 && errno == EINTR);
  if (size <= 0) return (int)size;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  size_t count = 0;
  if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
    count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  if (count > 0 && count <= START_FDS) memcpy(fds, CMSG_DATA(header), count * sizeof(int));
  size_t wanted = start->is_complaint || start->is_visit ? START_INIT : start->is_held ? START_FDS : START_HOLD;
  if (size != (ssize_t)sizeof *start) wanted = 0;
  if (wanted > 0 && count == wanted) return (int)count;
  close_all(fds, START_FDS);
  errno = EPROTO;
  return -1;
}

uint8_t *room_read_payload(int fd, size_t size) {
  uint8_t *bytes = size > 0 && size <= MAX_PAYLOAD ? malloc(size) : NULL;
  for (size_t at = 0; bytes != NULL && at < size;) {
    ssize_t count = pread(fd, bytes + at, size - at, (off_t)at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      free(bytes);
      return NULL;
    }
    at += (size_t)count;
  }
  return bytes;
}

static int open_payload(const struct request *request) {
  int fd = memfd_create("request", MFD_CLOEXEC);
  for (size_t at = 0; fd >= 0 && at < request->payload_size;) {
    ssize_t count = write(fd, request->payload + at, request->payload_size - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      close(fd);
      return -1;
    }
    at += (size_t)count;
  }
  return fd;
}

/** 0 or an errno. */
static int describe(const struct request *request, struct room_start *start) {
  *start = (struct room_start){.flags = request->confinement->flags, .payload_size = request->payload_size};
  mode_t mask = umask(0);
  umask(mask);
  start->umask = mask;
  start->scheduling = room_scheduling();
  start->standing = room_standing(start->scheduling);
  for (int i = 0; i < RLIM_NLIMITS; i++)
    if (getrlimit((__typeof__(RLIMIT_CPU))i, &start->limits[i]) < 0) return errno;
  start->limits[RLIMIT_NOFILE] = file_limit_usual();
  return 0;
}

int room_ask(const struct request *request, const int init[INIT_FDS], int hold) {
  struct room_start start;
  struct world world;
  int fds[START_FDS], error = describe(request, &start);
  if (error == 0) error = world_join(request->world, &world);
  if (error != 0) return error;
  start.is_held = hold >= 0;
  fds[START_PAYLOAD] = open_payload(request);
  if (fds[START_PAYLOAD] < 0) return errno;
  memcpy(fds + START_INIT, init, sizeof(int) * INIT_FDS);
  fds[START_HOLD] = hold;
  error = room_send(world_lease(), &start, fds, hold >= 0 ? START_FDS : START_HOLD);
  close(fds[START_PAYLOAD]);
  return error;
}

static int wants_visit(const struct request *request) {
  const uint32_t needed = CONFINE_STAGED | CONFINE_IN_WORLD;
  if (request->room == NULL || request->world == NULL || request->confinement == NULL || strlen(request->room) >= ROOM_NAME_BYTES) return 0;
  // As for commands of a room.
  if (request->processes > 0 || request->input_size > 0 || (request->flags & FLAG_STDIN_OPEN)) return 0;
  // Until its room knows it, it must not run anything: it waits for permission, because of its notifications.
  return (request->confinement->flags & needed) == needed && !(request->confinement->optional & 1u << CONFINE_SYSTEM_CALLS);
}

/** Two messages: from the world, with the first process of the room, and from the room. */
static enum visit_answer hear_answer(struct visit *visit) {
  char byte;
  struct pollfd poll_fd = {visit->fd, POLLIN, 0};
  if (poll(&poll_fd, 1, VISIT_MS) != 1) return VISIT_UNANSWERED;
  if (!take_descriptors(visit->fd, &byte, 1, &visit->room_fd, 1)) return VISIT_ALONE;
  if (poll(&poll_fd, 1, VISIT_MS) == 1 && recv(visit->fd, &byte, 1, MSG_DONTWAIT) == 1) return VISIT_WELCOME;
  close(visit->room_fd);
  return VISIT_UNANSWERED;
}

enum visit_answer room_visit(const struct request *request, struct visit *visit) {
  struct room_start start;
  struct world world;
  int ends[2];
  if (!wants_visit(request) || !room_is_asked()) return VISIT_ALONE;
  if (describe(request, &start) != 0 || world_join(request->world, &world) != 0) return VISIT_UNANSWERED;
  start.is_visit = 1;
  strcpy(start.name, request->room);
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return VISIT_UNANSWERED;
  int is_sent = room_send(world_lease(), &start, &ends[1], START_INIT) == 0;
  close(ends[1]);
  *visit = (struct visit){-1, ends[0]};
  enum visit_answer answer = is_sent ? hear_answer(visit) : VISIT_UNANSWERED;
  if (answer != VISIT_WELCOME) close(ends[0]);
  return answer;
}

void room_complain(const struct request *request) {
  struct room_start start;
  if (++failures >= MAX_FAILURES) asks_again_at = now_ms() + GIVE_UP_MS;
  if (!world_is_joined() || describe(request, &start) != 0) return;
  int payload = open_payload(request);
  if (payload < 0) return;
  start.is_complaint = 1;
  room_send(world_lease(), &start, &payload, START_INIT);
  close(payload);
}
