// Namespaces made ahead: an init waits in them for a request, which it parses as its supervisor did. Usually it is already
// confined, and serves only that confinement; if confinements vary, everything but mounts, Landlock and the filter is done.

#define _GNU_SOURCE
#include "prestart.h"
#include "confine-view.h"
#include "descriptors.h"
#include "keeper.h"
#include "spawn.h"
#include "world.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t waiting;
static int gate = -1, mounts = -1;
static uint32_t waiting_flags;
/** Whether it is in the network of a world, and of which. */
static int waiting_shared;
static uint32_t waiting_world;
/** The confinement that is already in force; NULL = none. */
static uint8_t *confined;
static size_t confined_size;
static struct confine_view view;

static int read_all(int fd, uint8_t *bytes, size_t size) {
  for (size_t at = 0; at < size;) {
    ssize_t count = read(fd, bytes + at, size - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    at += (size_t)count;
  }
  return 1;
}

static int write_all(int fd, const uint8_t *bytes, size_t size) {
  for (size_t at = 0; at < size;) {
    ssize_t count = send(fd, bytes + at, size - at, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    at += (size_t)count;
  }
  return 1;
}

static _Noreturn void wait_in_namespaces(int fd, const struct confinement *confinement, const struct confine_identity *identity,
                                         int is_shared) {
  struct ahead ahead = {.is_confined = 0, .is_shared = is_shared};
  struct request request;
  uint64_t size;
  int fds[INIT_FDS];
  // Nothing of the supervisor's: a process that waits for its end must not wait for ours.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || dup2(fd, HOST_FD) < 0 || fcntl(HOST_FD, F_SETFD, FD_CLOEXEC) < 0) _exit(127);
  close_from(HOST_FD + 1);
  confine_arrive(confinement->flags, is_shared, identity, &ahead.arrival);
  if (confined != NULL && !spawn_confine_ahead(confinement, &ahead)) _exit(127);
  if (!take_descriptors(HOST_FD, &size, sizeof size, fds, INIT_FDS)) _exit(0);
  uint8_t *payload = malloc((size_t)size);
  if (payload == NULL || !read_all(HOST_FD, payload, (size_t)size) || request_parse(&request, payload, (size_t)size) != NULL) _exit(127);
  spawn_as_init(&request, &ahead, fds, -1);
}

static void forget(void) {
  int ours[] = {gate, mounts};
  for (size_t i = 0; i < 2; i++)
    if (ours[i] >= 0) close(ours[i]);
  gate = mounts = -1;
  waiting = 0;
  if (confined != NULL) confine_view_forget(&view);
  free(confined);
  confined = NULL;
}

// The targets of the paths are recorded before they are used, so that no change in between is missed.
static int note_confinement(const struct confinement *confinement) {
  if (!confine_view_take(&view, confinement) || (confined = malloc(confinement->size)) == NULL) return 0;
  memcpy(confined, confinement->bytes, confinement->size);
  confined_size = confinement->size;
  return 1;
}

void prestart_prepare(const struct request *request, int is_ahead) {
  const struct confinement *confinement = request->confinement;
  int ends[2], is_shared = 0;
  uint32_t flags = confinement->flags;
  struct confine_identity identity = {geteuid(), getegid()};
  if (waiting > 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return;
  if (is_ahead) note_confinement(confinement);
  mounts = open("/proc/self/mounts", O_RDONLY | O_CLOEXEC);
  pid_t pid = mounts < 0 ? -1 : spawn_clone(request, &is_shared);
  if (pid == 0) wait_in_namespaces(ends[1], confinement, &identity, is_shared);
  gate = ends[0];
  close(ends[1]);
  waiting = pid;
  waiting_flags = flags;
  waiting_shared = is_shared;
  waiting_world = world_number();
  if (pid < 0) forget();
}

int prestart_is_waiting(void) { return waiting > 0; }

void prestart_drop(void) {
  if (waiting <= 0) return;
  kill(waiting, SIGKILL);
  while (waitpid(waiting, NULL, 0) < 0 && errno == EINTR) continue;
  forget();
}

// Mounts added or removed since its own were copied: new commands must see them.
static int is_current(void) {
  struct pollfd changes = {mounts, POLLPRI, 0};
  return poll(&changes, 1, 0) == 0;
}

static int is_for(const struct request *request) {
  const struct confinement *confinement = request->confinement;
  if (!spawn_fits_world(request, waiting_shared, waiting_world)) return 0;
  if (confined != NULL)
    return confinement->size == confined_size && memcmp(confinement->bytes, confined, confined_size) == 0 &&
           confine_view_holds(&view, confinement);
  return confine_clone_flags(waiting_flags) == confine_clone_flags(confinement->flags) && is_current();
}

pid_t prestart_take(const struct request *request, const int fds[INIT_FDS], int *is_shared) {
  const uint64_t size = request->payload_size;
  if (waiting <= 0) return 0;
  pid_t pid = waiting;
  *is_shared = waiting_shared;
  if (is_for(request) && send_descriptors(gate, &size, sizeof size, fds, INIT_FDS, 0) && write_all(gate, request->payload, request->payload_size)) {
    forget();
    return pid;
  }
  prestart_drop();
  return 0;
}
