// The process that keeps a world has nothing but its namespaces, and gives them to supervisors of the same user that are
// outside of any sandbox. A connection to it is a lease: some time after the last one it ends. Nothing in a world
// outlives its leases, so the next command can always have a new one.

#define _GNU_SOURCE
#include "world.h"
#include "confine.h"
#include "descriptors.h"
#include "keeper.h"
#include "room.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define BACKLOG 256
#define MAX_LEASES 4096
/** After the last lease. */
#define LINGER_MS 10000
/** For its folder, which other hosts lock for a moment. */
#define LOCK_MS 300
#define LOCK_AGAIN_US 2000
#define FULL_US 10000
/** For a process that keeps a world to answer; if it does not, the command gets a network of its own. */
#define ANSWER_MS 1500

enum { AT_LISTENER, AT_SIGNALS, AT_ROOMS, AT_LEASES = AT_ROOMS + MAX_ROOMS };

struct place {
  int folder;
  const char *name;
};

static const char *last_part(const char *path) { return strrchr(path, '/') + 1; }

static int open_place(const char *path, struct place *place) {
  char folder[4096];
  size_t length = (size_t)(last_part(path) - path);
  if (length >= sizeof folder) return ENAMETOOLONG;
  memcpy(folder, path, length);
  folder[length] = 0;
  place->name = last_part(path);
  place->folder = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  return place->folder < 0 ? errno : 0;
}

// Through a descriptor of the folder: the path of a socket has room for 107 bytes only.
static int set_address(const struct place *place, struct sockaddr_un *address) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  int size = snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", place->folder, place->name);
  return size > 0 && (size_t)size < sizeof address->sun_path ? 0 : ENAMETOOLONG;
}

/** A socket that is connected to the process that keeps the world, or -1 with errno. */
static int connect_to(const struct place *place) {
  struct sockaddr_un address;
  int error = set_address(place, &address), fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  if (error == 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0) error = errno;
  if (error == 0) return fd;
  close(fd);
  errno = error;
  return -1;
}

static int lock_folder(int folder) {
  for (uint64_t until = now_ms() + LOCK_MS;;) {
    if (flock(folder, LOCK_EX | LOCK_NB) == 0) return 1;
    if (now_ms() >= until) return 0;
    usleep(LOCK_AGAIN_US);
  }
}

static int listen_at(const struct place *place) {
  struct sockaddr_un address;
  int error = set_address(place, &address), fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  if (error == 0 && (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, BACKLOG) < 0)) error = errno;
  if (error == 0) return fd;
  close(fd);
  errno = error;
  return -1;
}

static _Noreturn void make_namespaces(int ready, int done, const struct confine_identity *identity) {
  char byte = 0;
  int error = unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0 ? errno : confine_take_identity(identity);
  if (error == 0) error = confine_raise_loopback();
  if (error != 0 || write(ready, &byte, 1) != 1) _exit(1);
  // Until they were opened, or no process wants them.
  if (read(done, &byte, 1) < 0) _exit(1);
  _exit(0);
}

/** By a child, so that this process stays outside and can tell who connects to it. */
static int make_world(struct world *world) {
  int ready[2], done[2];
  char byte;
  struct confine_identity identity = {geteuid(), getegid()};
  if (pipe2(ready, O_CLOEXEC) < 0 || pipe2(done, O_CLOEXEC) < 0) return 0;
  pid_t pid = fork();
  if (pid == 0) {
    close(ready[0]);
    close(done[1]);
    make_namespaces(ready[1], done[0], &identity);
  }
  close(ready[1]);
  close(done[0]);
  int is_ready = pid > 0 && read(ready[0], &byte, 1) == 1;
  world->user = is_ready ? open_namespace(pid, "user") : -1;
  world->network = is_ready ? open_namespace(pid, "net") : -1;
  close(ready[0]);
  close(done[1]);
  while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
  return world->user >= 0 && world->network >= 0;
}

static int is_same_namespace(pid_t pid, const char *name) {
  char path[64], own[64];
  struct stat theirs, ours;
  snprintf(path, sizeof path, "/proc/%d/ns/%s", pid, name);
  snprintf(own, sizeof own, "/proc/self/ns/%s", name);
  return stat(path, &theirs) == 0 && stat(own, &ours) == 0 && theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
}

// The same user outside of any sandbox, who sees the same files.
static int is_welcome(int fd) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid() && peer.pid > 0 &&
         is_same_namespace(peer.pid, "user") && is_same_namespace(peer.pid, "mnt") && is_same_namespace(peer.pid, "pid");
}

static int send_world(int fd, const struct world *world) {
  const int fds[] = {world->user, world->network};
  return send_descriptors(fd, "", 1, fds, 2, 0);
}

struct leases {
  struct pollfd polls[AT_LEASES + MAX_LEASES];
  size_t count;
};

static void admit(struct leases *leases, const struct world *world) {
  int fd;
  while ((fd = accept4(leases->polls[AT_LISTENER].fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
    if (leases->count < MAX_LEASES && is_welcome(fd) && send_world(fd, world))
      leases->polls[AT_LEASES + leases->count++] = (struct pollfd){fd, POLLIN, 0};
    else close(fd);
  }
  // Without a descriptor for it the next one would be announced again and again.
  if (errno == EMFILE || errno == ENFILE) usleep(FULL_US);
}

// What a supervisor sends over its lease is a command for a room; everything else is its end.
static void hear_leases(struct leases *leases, const struct world *world) {
  size_t kept = 0;
  for (size_t i = 0; i < leases->count; i++) {
    struct pollfd lease = leases->polls[AT_LEASES + i];
    if (lease.revents == 0 || (lease.revents & POLLIN && rooms_hear(world, lease.fd))) leases->polls[AT_LEASES + kept++] = lease;
    else {
      rooms_lose(lease.fd);
      close(lease.fd);
    }
  }
  leases->count = kept;
}

/** Whether the socket was removed. While the folder is locked, no host can mistake a world that ends for one that stays. */
static int withdraw(const struct place *place, const struct stat *own, struct leases *leases, const struct world *world) {
  struct stat now;
  if (flock(place->folder, LOCK_EX | LOCK_NB) < 0) return 0;
  admit(leases, world);
  int is_over = leases->count == 0;
  int is_ours = fstatat(place->folder, place->name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_dev == own->st_dev && now.st_ino == own->st_ino;
  if (is_over && is_ours) unlinkat(place->folder, place->name, 0);
  flock(place->folder, LOCK_UN);
  return is_over;
}

/** Whether SIGTERM has come. Rooms that have ended are forgotten. */
static int is_told_to_end(int signals) {
  struct signalfd_siginfo info;
  int is_told = 0;
  while (read(signals, &info, sizeof info) > 0) is_told = is_told || info.ssi_signo == SIGTERM;
  rooms_reap();
  return is_told;
}

static _Noreturn void keep_world(const struct place *place, int listener) {
  static struct leases leases;
  struct stat own;
  struct world world = {.user = -1, .network = -1};
  sigset_t ending;
  uint64_t linger_ms = LINGER_MS, until = now_ms() + LINGER_MS;
  setsid();
  prctl(PR_SET_NAME, "hs-world");
  if (fstatat(place->folder, place->name, &own, AT_SYMLINK_NOFOLLOW) < 0) _exit(1);
  if (!make_world(&world)) {
    unlinkat(place->folder, place->name, 0);
    _exit(1);
  }
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGCHLD);
  sigprocmask(SIG_SETMASK, &ending, NULL);
  leases.polls[AT_LISTENER] = (struct pollfd){listener, POLLIN, 0};
  leases.polls[AT_SIGNALS] = (struct pollfd){signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK), POLLIN, 0};
  for (;;) {
    uint64_t now = now_ms();
    if (leases.count > 0) until = now + linger_ms;
    else if (now >= until && withdraw(place, &own, &leases, &world)) {
      rooms_end();
      _exit(0);
    }
    rooms_polls(leases.polls + AT_ROOMS);
    int wait = leases.count > 0 ? -1 : until > now ? (int)(until - now) : 10;
    int rooms_wait = rooms_wait_ms();
    if (rooms_wait >= 0 && (wait < 0 || rooms_wait < wait)) wait = rooms_wait;
    int ready = poll(leases.polls, AT_LEASES + leases.count, wait);
    if (ready >= 0) rooms_advance(leases.polls + AT_ROOMS);
    if (ready <= 0) continue;
    hear_leases(&leases, &world);
    if (leases.polls[AT_LISTENER].revents != 0) admit(&leases, &world);
    if (leases.polls[AT_SIGNALS].revents == 0) continue;
    // The host is gone. If nothing is left that uses the world, so is the world.
    if (is_told_to_end(leases.polls[AT_SIGNALS].fd)) linger_ms = 0;
    if (linger_ms == 0 && leases.count == 0) until = 0;
  }
}

static _Noreturn void become_world(const struct place *place, int listener) {
  // Nothing of the keeper's: a host that waits for its end must not wait for ours.
  struct place own = {HOST_FD, place->name};
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  // No file system is in use because of us.
  if (chdir("/") < 0) _exit(1);
  int moved = fcntl(listener, F_DUPFD_CLOEXEC, 64), folder = fcntl(place->folder, F_DUPFD_CLOEXEC, 64);
  for (int fd = 0; fd < HOST_FD; fd++)
    if (null < 0 || dup2(null, fd) < 0) _exit(1);
  if (moved < 0 || folder < 0 || dup2(folder, HOST_FD) < 0 || dup2(moved, HOST_FD + 1) < 0) _exit(1);
  close_from(HOST_FD + 2);
  keep_world(&own, HOST_FD + 1);
}

static int is_same_socket(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
         a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

// Whether one that was there before still lives is found out by the next command: it then gets a network of its own.
pid_t world_keep(const char *path) {
  static struct stat known;
  struct place place;
  struct stat status;
  pid_t pid = 0;
  int is_there = stat(path, &status) == 0;
  if ((is_there && is_same_socket(&status, &known)) || open_place(path, &place) != 0) return 0;
  int listener = -1;
  if (lock_folder(place.folder)) {
    int there = connect_to(&place);
    if (there >= 0) {
      close(there);
      known = status;
    } else if (errno != EAGAIN) {
      unlinkat(place.folder, place.name, 0);
      listener = listen_at(&place);
    }
    flock(place.folder, LOCK_UN);
  }
  if (listener >= 0) {
    pid = fork();
    if (pid == 0) become_world(&place, listener);
    close(listener);
  }
  close(place.folder);
  return pid > 0 ? pid : 0;
}

static struct {
  char path[4096];
  struct stat socket;
  struct world world;
  int lease;
  uint32_t number;
} joined = {.lease = -1};

void world_leave(void) {
  if (joined.lease < 0) return;
  close(joined.lease);
  close(joined.world.user);
  close(joined.world.network);
  joined.lease = -1;
}

int world_lease(void) { return joined.lease; }

int world_is_joined(void) { return joined.lease >= 0; }

uint32_t world_number(void) { return joined.number; }

static int take_world(int fd, struct world *world) {
  char byte;
  int fds[2], ready;
  struct pollfd poll_fd = {fd, POLLIN, 0};
  do ready = poll(&poll_fd, 1, ANSWER_MS);
  while (ready < 0 && errno == EINTR);
  if (ready <= 0) return ETIMEDOUT;
  if (!take_descriptors(fd, &byte, 1, fds, 2)) return ECONNRESET;
  *world = (struct world){.user = fds[0], .network = fds[1]};
  return 0;
}

// A lease that has ended is that of a world that was killed.
static int is_current(const char *path, const struct stat *status) {
  struct pollfd lease = {joined.lease, POLLIN, 0};
  return joined.lease >= 0 && strcmp(joined.path, path) == 0 && is_same_socket(status, &joined.socket) &&
         poll(&lease, 1, 0) == 0;
}

int world_is(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && is_current(path, &status);
}

int world_join(const char *path, struct world *world) {
  struct stat status;
  struct place place;
  int error = stat(path, &status) < 0 ? errno : 0;
  if (error == 0 && is_current(path, &status)) {
    *world = joined.world;
    return 0;
  }
  world_leave();
  if (error != 0 || strlen(path) >= sizeof joined.path) return error != 0 ? error : ENAMETOOLONG;
  if ((error = open_place(path, &place)) != 0) return error;
  int lease = connect_to(&place);
  error = lease < 0 ? errno : take_world(lease, world);
  // One that does not answer, or is gone: the next command gets a new one.
  struct stat now;
  if (error != 0 && error != EAGAIN && stat(path, &now) == 0 && is_same_socket(&now, &status)) unlinkat(place.folder, place.name, 0);
  close(place.folder);
  if (error != 0) {
    if (lease >= 0) close(lease);
    return error;
  }
  memcpy(joined.path, path, strlen(path) + 1);
  joined.socket = status;
  joined.world = *world;
  joined.lease = lease;
  joined.number++;
  return 0;
}

// Its user namespace as well: only there may the files of its processes be mounted.
#define COMPANY (CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS)

int world_enter(const struct world *world) {
  if (world->room_fd > 0) return setns(world->room_fd, COMPANY) < 0 ? errno : 0;
  return setns(world->user, CLONE_NEWUSER) < 0 || setns(world->network, CLONE_NEWNET) < 0 ? errno : 0;
}

// A process that enters a user namespace cannot leave it, so another one does, and leaves its child to us. Not inlined: a
// function that returns twice should have as little state as possible.
__attribute__((noinline)) pid_t world_clone(const struct world *world, int flags) {
  static volatile pid_t made;
  static volatile int error;
  made = -1;
  error = 0;
  pid_t between = vfork();
  if (between == 0) {
    error = world_enter(world);
    pid_t pid = error != 0 ? -1 : (pid_t)syscall(SYS_clone, flags | CLONE_PARENT, NULL, NULL, NULL, NULL);
    if (pid == 0) return 0;
    if (pid < 0 && error == 0) error = errno;
    made = pid;
    _exit(0);
  }
  if (between < 0) return -1;
  while (waitpid(between, NULL, 0) < 0 && errno == EINTR) continue;
  errno = error;
  return made;
}
