// One shell per supervisor, loaded before its command is known: its last argument is a comment, which the command text
// replaces. Refuses anything that could differ before the program's first instruction: see docs/decisions/0006-prestarted-pool.md.

#define _GNU_SOURCE
#include "parked-shell.h"
#include "confine-view.h"
#include "entry.h"
#include "prestart.h"
#include "room.h"
#include "world.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/** A caller that pauses longer than this does not miss half a millisecond, and our resources (a folder, a program) are released. */
#ifndef WAIT_MS
#define WAIT_MS 120000
#endif
/** If tracing is forbidden it stays so. */
#define MAX_FAILURES 3

struct identity {
  struct stat program, folder;
};

/** Listeners of a waiting shell: the host gets them with its command. */
struct kept {
  uint16_t port;
  int fd;
};

static struct spawned held;
/** The world that it is in, if it is in one. */
static uint32_t held_world;
static struct kept kept[MAX_LISTENERS];
static size_t kept_count;
static struct identity identity;
static struct confine_view view;
static struct request wanted;
static int is_wanted, is_wasted, failures;
/** The last command was in namespaces, which can be made ahead; and whether its confinement can be, too. */
static int is_inside, is_repeated;

static int is_text(const char *a, const char *b) { return strcmp(a, b) == 0; }

// `-c TEXT` or `-c -- TEXT` at the end.
static int ends_in_text(const struct request *request) {
  size_t count = request->argc;
  if (count < 3) return 0;
  return is_text(request->argv[count - 2], "-c") ||
         (count > 3 && is_text(request->argv[count - 2], "--") && is_text(request->argv[count - 3], "-c"));
}

// The loader reads these, or runs code because of them, before we can stop it.
static int speaks_to_loader(const struct request *request) {
  for (size_t i = 0; i < request->envc; i++)
    if (strncmp(request->env[i], "LD_", 3) == 0 || strncmp(request->env[i], "GLIBC_", 6) == 0) return 1;
  return 0;
}

// Descriptors that are handed out at the start of a command cannot be handed out ahead of it, and ports are served only while
// a command runs.
static int can_be_confined_ahead(const struct confinement *confinement) {
  if (confinement == NULL) return 1;
  return !(confinement->flags & ~(uint32_t)CONFINE_AHEAD) && confine_count(confinement, ENTRY_HOST_PORT) == 0 &&
         confine_count(confinement, ENTRY_PUBLISH) == 0;
}

static int can_be_held(const struct request *request) {
  return can_be_confined_ahead(request->confinement) &&
         !(request->flags & (FLAG_BACKGROUND | FLAG_STDIN_OPEN | FLAG_CGROUP)) && request->input_size == 0 &&
         request->program[0] == '/' && ends_in_text(request) && !speaks_to_loader(request);
}

static int is_same_list(char **a, char **b, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!is_text(a[i], b[i])) return 0;
  return 1;
}

static int is_same_room(const char *a, const char *b) { return a == NULL || b == NULL ? a == b : is_text(a, b); }

static int is_same_confinement(const struct confinement *a, const struct confinement *b) {
  if (a == NULL || b == NULL) return a == b;
  return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

// Everything that is in force, or was read, before the entry point.
static int is_same_start(const struct request *a, const struct request *b) {
  if (!is_same_confinement(a->confinement, b->confinement) || !is_same_room(a->room, b->room)) return 0;
  if ((a->flags ^ b->flags) & FLAG_SPLIT || a->umask != b->umask || a->rlimit_count != b->rlimit_count) return 0;
  for (size_t i = 0; i < a->rlimit_count; i++)
    if (a->rlimits[i].resource != b->rlimits[i].resource || a->rlimits[i].value != b->rlimits[i].value) return 0;
  return a->argc == b->argc && a->envc == b->envc && is_text(a->program, b->program) && is_text(a->cwd, b->cwd) &&
         is_same_list(a->argv, b->argv, a->argc - 1) && is_same_list(a->env, b->env, a->envc);
}

// A traced exec grants no privileges, so a privileged program is not preloaded.
static int identify(const struct request *request, struct identity *seen) {
  return stat(request->program, &seen->program) == 0 && stat(request->cwd, &seen->folder) == 0 &&
         !(seen->program.st_mode & (S_ISUID | S_ISGID)) &&
         getxattr(request->program, "security.capability", NULL, 0) < 0;
}

static int is_same_identity(const struct identity *a, const struct identity *b) {
  return a->program.st_dev == b->program.st_dev && a->program.st_ino == b->program.st_ino &&
         a->program.st_ctim.tv_sec == b->program.st_ctim.tv_sec && a->program.st_ctim.tv_nsec == b->program.st_ctim.tv_nsec &&
         a->folder.st_dev == b->folder.st_dev && a->folder.st_ino == b->folder.st_ino &&
         a->folder.st_mode == b->folder.st_mode && a->folder.st_uid == b->folder.st_uid &&
         a->folder.st_gid == b->folder.st_gid;
}

static int keep_listener(uint16_t port, int fd) {
  int copy = kept_count < MAX_LISTENERS ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
  if (copy < 0) return EMFILE;
  kept[kept_count++] = (struct kept){port, copy};
  return 0;
}

static int await_nobody(void) { return 0; }

// A shell that is being loaded has no notifications. One that notifies anyway is refused, now and later.
static void refuse_all(int *notify_fd) {
  close(*notify_fd);
  *notify_fd = -1;
}

static void close_kept(void) {
  for (size_t i = 0; i < kept_count; i++) close(kept[i].fd);
  kept_count = 0;
}

static void wait_for_end(pid_t process) {
  int status;
  pid_t pid;
  do pid = waitpid(process, &status, __WALL);
  while ((pid < 0 && errno == EINTR) || (pid > 0 && !WIFEXITED(status) && !WIFSIGNALED(status)));
}

static void drop_shell(void) {
  if (held.pid <= 0) return;
  spawned_signal_init(&held, SIGKILL);
  // An init ends when no process is left inside, and a traced process stays until we have inspected it.
  if (held.is_in_room && held.inner > 0 && waitpid(held.inner, NULL, __WALL | WNOHANG) == 0) kill(held.inner, SIGKILL);
  if (held.inner > 0) wait_for_end(held.inner);
  if (!held.is_in_room) wait_for_end(held.pid);
  int ours[] = {held.out, held.err, held.end_fd, held.notify_fd, held.init_fd, held.room_fd};
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (ours[i] >= 0) close(ours[i]);
  held.pid = 0;
  close_kept();
  confine_view_forget(&view);
}

void parked_shell_drop(void) {
  drop_shell();
  prestart_drop();
}

/** Whether the waiting process would be confined in the same way now. */
static int is_same_view(const struct request *request) {
  return request->confinement == NULL || confine_view_holds(&view, request->confinement);
}

// Two of a kind in a row show that the next one is likely to be of that kind too.
void parked_shell_want(struct request *request) {
  const struct confinement *confinement = request->confinement;
  is_repeated = is_inside && is_same_confinement(wanted.confinement, confinement);
  is_inside = confinement != NULL && (confinement->flags & CONFINE_IN_NAMESPACES) && can_be_confined_ahead(confinement);
  int is_fit = can_be_held(request);
  if (is_fit && is_wanted && is_same_start(&wanted, request)) is_wasted = 0;
  request_free(&wanted);
  wanted = *request;
  is_wanted = is_fit;
  *request = (struct request){0};
  if (!is_fit && !is_inside) request_free(&wanted);
}

static int load_shell(void) {
  char text[ENTRY_TEXT_BYTES];
  if (!entry_is_supported() || !is_wanted || is_wasted || failures >= MAX_FAILURES) return 0;
  if (!identify(&wanted, &identity)) return 0;
  if (wanted.confinement != NULL && !confine_view_take(&view, wanted.confinement)) return 0;
  entry_fill(text);
  char **last = &wanted.argv[wanted.argc - 1], *original = *last;
  *last = text;
  static const struct start_hooks hooks = {.hand_over = keep_listener, .await_host = await_nobody, .serve = refuse_all};
  spawn_held(&held, &wanted, &hooks);
  held_world = world_number();
  *last = original;
  pid_t shell = held.has_init ? held.inner : held.pid;
  // Names that are hidden by mounts instead of an overlay could change while it waits.
  int is_firm = !(held.confinement.missing & 1u << CONFINE_OVERLAYS);
  if (held.error == 0 && is_firm && entry_reach(shell, held.hold_fd, wanted.argc)) return 1;
  if (!is_firm && held.hold_fd >= 0) close(held.hold_fd);
  // Something that vanished in the meantime says nothing about this machine.
  struct identity now;
  if (identify(&wanted, &now) && is_same_identity(&now, &identity) && is_same_view(&wanted)) failures++;
  if (held.error != 0) held.pid = 0;
  drop_shell();
  close_kept();
  confine_view_forget(&view);
  return 0;
}

// If no shell can wait, the namespaces that it will need can.
void parked_shell_prepare(void) {
  if (held.pid > 0 || prestart_is_waiting() || load_shell() || !is_inside) return;
  // A room is already made.
  if (room_fits(&wanted, NULL) && room_is_asked()) return;
  prestart_prepare(&wanted, is_repeated && !confine_listens_low(wanted.confinement));
}

int parked_shell_wait_ms(void) { return held.pid > 0 || prestart_is_waiting() || world_is_joined() ? WAIT_MS : -1; }

void parked_shell_expire(void) {
  parked_shell_drop();
  world_leave();
  request_free(&wanted);
  is_wanted = is_inside = is_repeated = 0;
}

static int is_for(const struct request *request) {
  struct identity now;
  const char *text = request->argv[request->argc - 1];
  if (!can_be_held(request) || !is_same_start(&wanted, request)) {
    is_wasted = 1;
    return 0;
  }
  return strlen(text) < ENTRY_TEXT_BYTES && spawn_fits_world(request, held.is_shared, held_world) && identify(request, &now) && is_same_identity(&now, &identity) &&
         is_same_view(request) && !entry_has_signals();
}

/** 0 or an errno. */
static int hand_over(const struct start_hooks *hooks) {
  int error = 0;
  for (size_t i = 0; i < kept_count && error == 0; i++) error = hooks->hand_over(kept[i].port, kept[i].fd);
  if (error == 0 && kept_count > 0) error = hooks->await_host();
  close_kept();
  return error;
}

static int fail(struct spawned *spawned, int error) {
  drop_shell();
  *spawned = (struct spawned){.pid = -1, .in = -1, .out = -1, .err = -1, .end_fd = -1, .hold_fd = -1, .notify_fd = -1,
                              .init_fd = -1, .room_fd = -1, .visit_fd = -1, .error = error, .step = STEP_CONFINE};
  spawned->confinement.step = CONFINE_LISTENERS;
  return 1;
}

int parked_shell_take(struct spawned *spawned, const struct request *request, const struct start_hooks *hooks) {
  if (held.pid <= 0) return 0;
  if (!is_for(request)) {
    drop_shell();
    return 0;
  }
  // Descriptors given to the host cannot be taken back: from here on it is this process or none.
  int is_bound = kept_count > 0;
  int error = hand_over(hooks);
  if (error != 0) return fail(spawned, error);
  if (!entry_release(request->argv[request->argc - 1])) {
    if (is_bound) return fail(spawned, EPROTO);
    drop_shell();
    return 0;
  }
  *spawned = held;
  held = (struct spawned){0};
  confine_view_forget(&view);
  return 1;
}
