// The rooms of a world, kept by the process that keeps the world: requests with the same rights and the same view share one, as
// long as its mounts are what they would be now. Refuses nothing aloud: a supervisor whose descriptors are closed starts its
// command in namespaces of its own.

#define _GNU_SOURCE
#include "room.h"
#include "confine-view.h"
#include "descriptors.h"
#include "keeper.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/** Before the entries of a confinement. */
#define HEADER 9u
#define ENTRY_HEADER 3u

struct key {
  uint8_t *bytes;
  size_t size;
};

/** For a room to prove that nothing is left of a command whose supervisor is gone. Then it ends itself. */
#ifndef PROOF_MS
#define PROOF_MS 2000
#endif

/** A command of a room; `due`: when it must be over, 0 = its supervisor is there. */
struct ticket {
  uint32_t number;
  int lease;
  uint64_t due;
};

/** One that is retired takes no new commands, and ends after its last one. */
struct room {
  pid_t pid;
  int control, is_retired;
  uint32_t sent;
  struct ticket tickets[MAX_JOBS];
  size_t count;
  uint64_t used_at;
  struct key key;
  /** The request that it was made for: its paths are compared. */
  struct request request;
  struct confine_view view;
};

static struct room rooms[MAX_ROOMS];

// Reports are no rights.
#define NO_RIGHTS (CONFINE_OBSERVE_WRITES | CONFINE_OBSERVE_ALL | CONFINE_REPORT_CHANGES | CONFINE_REPORT_CONTACTS)

// What makes the view and the domain, and what the supervisor may do for a command and not for another: whoever can trace a
// process has its rights. The rest is said by the host, in the name of the room, or is checked for each command.
static int is_in_key(enum confine_kind kind) {
  switch (kind) {
    case ENTRY_WRITE:
    case ENTRY_READ_ONLY:
    case ENTRY_MASK:
    case ENTRY_EMPTY:
    case ENTRY_BIND:
    case ENTRY_DEVICE:
    case ENTRY_READ:
    case ENTRY_LIST:
    case ENTRY_UNIX:
    case ENTRY_OVERLAY:
    case ENTRY_COVERED:
    case ENTRY_SETTINGS:
    case ENTRY_SETTING_NAMES:
    case ENTRY_HOST_PORT: return 1;
    default: return 0;
  }
}

/** 0 if there is no memory. The confinement was parsed, so its sizes are sound. */
static int make_key(const struct request *request, struct key *key) {
  const struct confinement *confinement = request->confinement;
  size_t name = strlen(request->room) + 1;
  uint32_t fixed[2] = {confinement->flags & ~(uint32_t)NO_RIGHTS, confinement->optional};
  key->bytes = malloc(name + sizeof fixed + confinement->size);
  if (key->bytes == NULL) return 0;
  memcpy(key->bytes, request->room, name);
  memcpy(key->bytes + name, fixed, sizeof fixed);
  key->size = name + sizeof fixed;
  for (const uint8_t *at = confinement->bytes + HEADER, *end = confinement->bytes + confinement->size; at < end;) {
    size_t size = ENTRY_HEADER + (size_t)(at[1] | at[2] << 8);
    if (is_in_key((enum confine_kind)at[0])) {
      memcpy(key->bytes + key->size, at, size);
      key->size += size;
    }
    at += size;
  }
  return 1;
}

/** It takes no new commands; what it has to say is still heard. */
static void retire(struct room *room) {
  if (room->is_retired) return;
  room->is_retired = 1;
  shutdown(room->control, SHUT_WR);
  free(room->key.bytes);
  request_free(&room->request);
  confine_view_forget(&room->view);
  room->key = (struct key){NULL, 0};
}

/** After it was reaped. */
static void forget(struct room *room) {
  retire(room);
  if (room->control >= 0) close(room->control);
  *room = (struct room){.control = -1};
}

/** The kernel ends everything in it, which may take a while: it has its place until it is reaped. */
static void kill_room(struct room *room) {
  kill(room->pid, SIGKILL);
  retire(room);
  if (room->control >= 0) close(room->control);
  room->control = -1;
  room->count = 0;
}

static void end_room(struct room *room) {
  kill_room(room);
  while (waitpid(room->pid, NULL, 0) < 0 && errno == EINTR) continue;
  forget(room);
}

// Those that wait for nothing but a command, the oldest first.
static struct room *free_place(void) {
  struct room *oldest = NULL;
  for (int i = 0; i < MAX_ROOMS; i++) {
    struct room *room = &rooms[i];
    if (room->pid == 0) return room;
    if (room->count == 0 && (oldest == NULL || room->used_at < oldest->used_at)) oldest = room;
  }
  if (oldest != NULL) end_room(oldest);
  return oldest;
}

// With the mounts, and before the domain: a program that is loaded inside has none of the memory that we have, and supervisors may
// inspect it, which processes inside may not.
static _Noreturn void become_room(const struct request *request, int control, int state, const struct confine_identity *identity) {
  static char name[] = "hardshell", part[] = "room";
  char *arguments[] = {name, part, NULL}, *none[] = {NULL};
  struct confine_arrival arrival;
  struct confine_report report = {.step = 0};
  prctl(PR_SET_NAME, "hs-room");
  int program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  int moved = fcntl(control, F_DUPFD_CLOEXEC, 64), moved_state = fcntl(state, F_DUPFD_CLOEXEC, 64);
  int moved_program = fcntl(program, F_DUPFD_CLOEXEC, 64);
  if (program < 0 || moved < 0 || moved_state < 0 || moved_program < 0) _exit(1);
  if (dup2(moved, ROOM_CONTROL) < 0 || dup2(moved_state, ROOM_STATE) < 0) _exit(1);
  if (dup3(moved_program, ROOM_STATE + 1, O_CLOEXEC) < 0) _exit(1);
  close_from(ROOM_STATE + 2);
  setsid();
  confine_arrive(request->confinement->flags, 1, identity, &arrival);
  if (confine_enter(request->confinement, &arrival, &report) < 0 || confine_drop_privileges() != 0) _exit(1);
  if (pwrite(ROOM_STATE, &report, sizeof report, (off_t)request->payload_size) != (ssize_t)sizeof report) _exit(1);
  syscall(SYS_execveat, ROOM_STATE + 1, "", arguments, none, AT_EMPTY_PATH);
  _exit(1);
}

/** Takes the request and the key, if it succeeds. */
static int make_room(const struct world *world, struct room *room, struct request *request, struct key *key, int payload) {
  int ends[2];
  struct confine_identity identity = {geteuid(), getegid()};
  // Before they are used, so that no change in between is missed.
  if (!confine_view_take(&room->view, request->confinement)) return 0;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0) return 0;
  pid_t pid = world_clone(world, confine_clone_flags(request->confinement->flags & ~(uint32_t)CONFINE_OWN_NETWORK));
  if (pid == 0) become_room(request, ends[1], payload, &identity);
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    confine_view_forget(&room->view);
    return 0;
  }
  room->pid = pid;
  room->control = ends[0];
  room->key = *key;
  room->request = *request;
  *key = (struct key){NULL, 0};
  *request = (struct request){0};
  return 1;
}

static struct room *find_room(const struct key *key) {
  for (int i = 0; i < MAX_ROOMS; i++) {
    struct room *room = &rooms[i];
    if (room->pid == 0 || room->is_retired || room->key.size != key->size) continue;
    if (memcmp(room->key.bytes, key->bytes, key->size) == 0) return room;
  }
  return NULL;
}

/** A room that takes the request; one whose view no longer holds does not. */
static struct room *find_firm_room(const struct key *key) {
  struct room *room = find_room(key);
  if (room == NULL || confine_view_holds(&room->view, room->request.confinement)) return room;
  retire(room);
  return NULL;
}

/** A copy: the first process of a room writes to it. */
static int copy_payload(const uint8_t *payload, size_t size) {
  int fd = memfd_create("room", MFD_CLOEXEC);
  if (fd < 0 || write(fd, payload, size) == (ssize_t)size) return fd;
  close(fd);
  return -1;
}

static struct room *room_for(const struct world *world, struct request *request) {
  struct key key;
  if (!make_key(request, &key)) return NULL;
  struct room *room = find_firm_room(&key);
  if (room == NULL && (room = free_place()) != NULL) {
    int payload = copy_payload(request->payload, request->payload_size);
    *room = (struct room){.control = -1};
    if (payload < 0 || !make_room(world, room, request, &key, payload)) room = NULL;
    if (payload >= 0) close(payload);
  }
  free(key.bytes);
  return room;
}

/** Hard limits cannot be raised inside. */
static int has_limits(const struct room_start *start) {
  for (int i = 0; i < RLIM_NLIMITS; i++) {
    struct rlimit own;
    if (getrlimit((__typeof__(RLIMIT_CPU))i, &own) < 0 || start->limits[i].rlim_max > own.rlim_max) return 0;
  }
  return 1;
}

static void send_start(struct room *room, struct room_start *start, const int *fds, size_t count, int lease) {
  if (room->count == MAX_JOBS) return;
  start->ticket = room->sent + 1;
  // One that takes no more messages would take none later.
  if (room_send(room->control, start, fds, count) != 0) {
    retire(room);
    return;
  }
  room->tickets[room->count++] = (struct ticket){.number = ++room->sent, .lease = lease};
  room->used_at = now_ms();
}

static void pass_on(const struct world *world, struct room_start *start, const int *fds, size_t count, int lease) {
  struct request request = {0};
  uint8_t *payload = room_read_payload(fds[START_PAYLOAD], (size_t)start->payload_size);
  int is_sound = payload != NULL && request_parse(&request, payload, (size_t)start->payload_size) == NULL;
  free(payload);
  if (is_sound && room_fits(&request, NULL)) {
    struct room *room = room_for(world, &request);
    if (room != NULL) send_start(room, start, fds, count, lease);
  }
  request_free(&request);
}

// The room did not start the command in time. Others that it has go on.
static void hear_complaint(const struct room_start *start, int payload_fd) {
  struct request request = {0};
  struct key key;
  uint8_t *payload = room_read_payload(payload_fd, (size_t)start->payload_size);
  int is_sound = payload != NULL && request_parse(&request, payload, (size_t)start->payload_size) == NULL;
  free(payload);
  if (is_sound && room_fits(&request, NULL) && make_key(&request, &key)) {
    struct room *room = find_room(&key);
    if (room != NULL) retire(room);
    free(key.bytes);
  }
  request_free(&request);
}

// Of those with the same name, which differ in what they write, the one that was used last.
static struct room *find_company(const char *name) {
  struct room *found = NULL;
  for (int i = 0; i < MAX_ROOMS; i++) {
    struct room *room = &rooms[i];
    if (room->pid == 0 || room->is_retired || room->count == 0 || strcmp((const char *)room->key.bytes, name) != 0) continue;
    if (found == NULL || room->used_at > found->used_at) found = room;
  }
  return found;
}

// It is not started here: a room that is empty would show it nothing, and one is not made for it.
static void pass_visit(struct room_start *start, int answer, int lease) {
  start->name[ROOM_NAME_BYTES - 1] = 0;
  struct room *room = find_company(start->name);
  int first = room == NULL ? -1 : (int)syscall(SYS_pidfd_open, room->pid, 0);
  if (first < 0) return;
  if (send_descriptors(answer, "", 1, &first, 1, MSG_DONTWAIT)) send_start(room, start, &answer, START_INIT, lease);
  close(first);
}

int rooms_hear(const struct world *world, int lease) {
  struct room_start start;
  int fds[START_FDS], count = room_receive(lease, &start, fds);
  if (count < 0 && (errno == EAGAIN || errno == EPROTO)) return errno == EAGAIN;
  if (count <= 0) return 0;
  // Otherwise it was never passed on, and no room is to blame.
  int is_fit = start.standing == room_standing(room_scheduling()) && has_limits(&start);
  if (is_fit && start.is_complaint) hear_complaint(&start, fds[START_PAYLOAD]);
  else if (is_fit && start.is_visit) pass_visit(&start, fds[START_PAYLOAD], lease);
  else if (is_fit) pass_on(world, &start, fds, (size_t)count, lease);
  for (int i = 0; i < count; i++) close(fds[i]);
  return 1;
}

void rooms_lose(int lease) {
  for (int i = 0; i < MAX_ROOMS; i++)
    for (size_t at = 0; at < rooms[i].count; at++) {
      struct ticket *ticket = &rooms[i].tickets[at];
      if (ticket->due == 0 && ticket->lease == lease) *ticket = (struct ticket){ticket->number, -1, now_ms() + PROOF_MS};
    }
}

void rooms_polls(struct pollfd polls[MAX_ROOMS]) {
  for (int i = 0; i < MAX_ROOMS; i++) polls[i] = (struct pollfd){rooms[i].pid > 0 ? rooms[i].control : -1, POLLIN, 0};
}

static uint64_t next_due(const struct room *room) {
  uint64_t due = 0;
  for (size_t i = 0; i < room->count; i++)
    if (room->tickets[i].due != 0 && (due == 0 || room->tickets[i].due < due)) due = room->tickets[i].due;
  return due;
}

int rooms_wait_ms(void) {
  uint64_t due = 0, now = now_ms();
  for (int i = 0; i < MAX_ROOMS; i++) {
    uint64_t own = next_due(&rooms[i]);
    if (own != 0 && (due == 0 || own < due)) due = own;
  }
  return due == 0 ? -1 : due <= now ? 0 : (int)(due - now);
}

static int is_listed(uint32_t number, const struct room_note *note) {
  for (uint32_t i = 0; i < note->count; i++)
    if (note->tickets[i] == number) return 1;
  return 0;
}

static void hear_note(struct room *room, const struct room_note *note) {
  size_t kept = 0;
  for (size_t i = 0; i < room->count; i++) {
    const struct ticket ticket = room->tickets[i];
    if (ticket.number > note->seen || is_listed(ticket.number, note)) room->tickets[kept++] = ticket;
  }
  room->count = kept;
  if (note->is_closed) retire(room);
}

void rooms_advance(const struct pollfd polls[MAX_ROOMS]) {
  for (int i = 0; i < MAX_ROOMS; i++) {
    struct room *room = &rooms[i];
    struct room_note note;
    if (polls[i].fd >= 0 && polls[i].revents != 0 && room->control == polls[i].fd) {
      ssize_t size = recv(room->control, &note, sizeof note, MSG_DONTWAIT);
      if (size >= (ssize_t)offsetof(struct room_note, tickets) && note.count <= MAX_JOBS) hear_note(room, &note);
      // It has ended, or is not one of ours.
      else if (size >= 0 || errno != EAGAIN) kill_room(room);
    }
    uint64_t due = next_due(room);
    if (room->pid > 0 && due != 0 && now_ms() >= due) kill_room(room);
  }
}

void rooms_reap(void) {
  for (int i = 0; i < MAX_ROOMS; i++)
    if (rooms[i].pid > 0 && waitpid(rooms[i].pid, NULL, WNOHANG) == rooms[i].pid) forget(&rooms[i]);
}

// No lease is left, and so no supervisor: whatever still runs there has lost its own.
void rooms_end(void) {
  for (int i = 0; i < MAX_ROOMS; i++)
    if (rooms[i].pid > 0) end_room(&rooms[i]);
}
