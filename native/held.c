// One shell per supervisor, loaded ahead: exec and dynamic linking are done, and it stands at the entry point of its
// program, stopped by ptrace. Its last argument is a comment of a fixed size, which the text of the command replaces; the
// kernel is told where the arguments end now. Refuses whatever could differ before that point: see docs/decisions/0006.

#define _GNU_SOURCE
#include "held.h"
#include "keeper.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/xattr.h>

/** A longer text is started as usual. */
#define TEXT_BYTES 8192u
/** Whoever pauses longer than this does not miss half a millisecond, and what we hold (a folder, a program) is let go. */
#define WAIT_MS 120000
/** Where tracing is forbidden it stays so. */
#define MAX_FAILURES 3
/** At the entry point: a trap to stop at, a system call to send it through, a trap to come back by. */
#define TRAPS 0xcc050fccul
#define AFTER_FIRST 1
#define AFTER_SECOND 4
/** Where the map for prctl is put, below everything that is on the stack. */
#define SCRATCH_BYTES 1024

struct identity {
  struct stat program, folder;
};

static struct {
  struct spawned command;
  struct user_regs_struct registers;
  unsigned long entry, text_at;
  long code;
  struct prctl_mm_map map;
  struct identity identity;
} held = {.command = {.pid = 0}};
static struct request wanted;
static int is_wanted, is_wasted, failures;

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

static int can_be_held(const struct request *request) {
  return !(request->flags & (FLAG_BACKGROUND | FLAG_STDIN_OPEN | FLAG_CGROUP)) && request->input_size == 0 &&
         request->program[0] == '/' && ends_in_text(request) && !speaks_to_loader(request);
}

static int is_same_list(char **a, char **b, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!is_text(a[i], b[i])) return 0;
  return 1;
}

// Everything that is in force, or was read, before the entry point.
static int is_same_start(const struct request *a, const struct request *b) {
  if ((a->flags ^ b->flags) & FLAG_SPLIT || a->umask != b->umask || a->rlimit_count != b->rlimit_count) return 0;
  for (size_t i = 0; i < a->rlimit_count; i++)
    if (a->rlimits[i].resource != b->rlimits[i].resource || a->rlimits[i].value != b->rlimits[i].value) return 0;
  return a->argc == b->argc && a->envc == b->envc && is_text(a->program, b->program) && is_text(a->cwd, b->cwd) &&
         is_same_list(a->argv, b->argv, a->argc - 1) && is_same_list(a->env, b->env, a->envc);
}

// A traced exec grants no privileges, so a program that has them is not held.
static int identify(const struct request *request, struct identity *identity) {
  return stat(request->program, &identity->program) == 0 && stat(request->cwd, &identity->folder) == 0 &&
         !(identity->program.st_mode & (S_ISUID | S_ISGID)) &&
         getxattr(request->program, "security.capability", NULL, 0) < 0;
}

static int is_same_identity(const struct identity *a, const struct identity *b) {
  return a->program.st_dev == b->program.st_dev && a->program.st_ino == b->program.st_ino &&
         a->program.st_ctim.tv_sec == b->program.st_ctim.tv_sec && a->program.st_ctim.tv_nsec == b->program.st_ctim.tv_nsec &&
         a->folder.st_dev == b->folder.st_dev && a->folder.st_ino == b->folder.st_ino &&
         a->folder.st_mode == b->folder.st_mode && a->folder.st_uid == b->folder.st_uid &&
         a->folder.st_gid == b->folder.st_gid;
}

static int wait_for_trap(void) {
  int status;
  pid_t pid;
  do pid = waitpid(held.command.pid, &status, __WALL);
  while (pid < 0 && errno == EINTR);
  return pid == held.command.pid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

static int read_registers(struct user_regs_struct *registers) {
  return ptrace(PTRACE_GETREGS, held.command.pid, NULL, registers) == 0;
}

static int resume(int request, const struct user_regs_struct *registers) {
  return ptrace(PTRACE_SETREGS, held.command.pid, NULL, registers) == 0 &&
         ptrace(request, held.command.pid, NULL, NULL) == 0;
}

static int peek(unsigned long at, unsigned long *word) {
  struct iovec ours = {word, sizeof *word}, theirs = {(void *)at, sizeof *word};
  return process_vm_readv(held.command.pid, &ours, 1, &theirs, 1, 0) == (ssize_t)sizeof *word;
}

static int poke_code(long code) { return ptrace(PTRACE_POKEDATA, held.command.pid, (void *)held.entry, (void *)code) == 0; }

// Its own system call, made at the entry point.
static int call(long number, const unsigned long arguments[5], unsigned long *result) {
  struct user_regs_struct registers = held.registers;
  registers.rip = held.entry + AFTER_FIRST;
  registers.rax = (unsigned long)number;
  registers.rdi = arguments[0];
  registers.rsi = arguments[1];
  registers.rdx = arguments[2];
  registers.r10 = arguments[3];
  registers.r8 = arguments[4];
  if (!resume(PTRACE_CONT, &registers) || !wait_for_trap() || !read_registers(&registers)) return 0;
  *result = registers.rax;
  return registers.rip == held.entry + AFTER_SECOND;
}

static int run_to_entry(void) {
  char path[64];
  Elf64_auxv_t vector[64] = {{0}};
  if (!wait_for_trap()) return 0;
  // The end of a tracer lets its processes run; ours must not.
  if (ptrace(PTRACE_SETOPTIONS, held.command.pid, NULL, (void *)PTRACE_O_EXITKILL) < 0) return 0;
  snprintf(path, sizeof path, "/proc/%d/auxv", held.command.pid);
  if (read_text(path, (char *)vector, sizeof vector) <= 0) return 0;
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
    if (vector[i].a_type == AT_SECURE && vector[i].a_un.a_val != 0) return 0;
    if (vector[i].a_type == AT_ENTRY) held.entry = vector[i].a_un.a_val;
  }
  errno = 0;
  held.code = ptrace(PTRACE_PEEKDATA, held.command.pid, (void *)held.entry, NULL);
  if (errno != 0 || !poke_code((long)(((unsigned long)held.code & ~0xfffffffful) | TRAPS))) return 0;
  if (ptrace(PTRACE_CONT, held.command.pid, NULL, NULL) < 0 || !wait_for_trap()) return 0;
  return read_registers(&held.registers) && held.registers.rip == held.entry + AFTER_FIRST;
}

// What the kernel knows about the memory of the process; one end in it will change.
static int read_map(void) {
  enum { CODE = 26, STACK = 28, DATA = 45, LAST = 51 };
  char path[64], text[2048];
  unsigned long fields[LAST + 1] = {0}, at = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", held.command.pid);
  if (read_text(path, text, sizeof text) <= 0) return 0;
  char *next = strrchr(text, ')');
  if (next == NULL || strlen(next) < 4) return 0;
  next += 3;
  for (at = 4; at <= LAST && *next == ' '; at++) fields[at] = strtoul(next + 1, &next, 10);
  if (at <= LAST) return 0;
  held.map = (struct prctl_mm_map){
      .start_code = fields[CODE], .end_code = fields[CODE + 1], .start_stack = fields[STACK],
      .start_data = fields[DATA], .end_data = fields[DATA + 1], .start_brk = fields[DATA + 2],
      .arg_start = fields[DATA + 3], .arg_end = fields[DATA + 4],
      .env_start = fields[DATA + 5], .env_end = fields[LAST], .exe_fd = (uint32_t)-1,
  };
  unsigned long brk = 0;
  if (!call(SYS_brk, (const unsigned long[5]){0}, &brk)) return 0;
  held.map.brk = brk;
  return brk >= held.map.start_brk;
}

// The last argument must be where we think it is, in its full length and right in front of the end.
static int find_text(const struct request *request) {
  unsigned long count = 0, stack = held.registers.rsp;
  return peek(stack, &count) && count == request->argc && peek(stack + 8 * count, &held.text_at) &&
         held.text_at >= held.map.arg_start && held.text_at + TEXT_BYTES == held.map.arg_end;
}

void held_drop(void) {
  struct spawned *command = &held.command;
  if (command->pid <= 0) return;
  kill(command->pid, SIGKILL);
  int status;
  pid_t pid;
  do pid = waitpid(command->pid, &status, __WALL);
  while ((pid < 0 && errno == EINTR) || (pid > 0 && !WIFEXITED(status) && !WIFSIGNALED(status)));
  if (command->out >= 0) close(command->out);
  if (command->err >= 0) close(command->err);
  command->pid = 0;
}

// Two of a kind in a row show that the next one is likely to be of that kind too.
void held_want(struct request *request) {
  int is_fit = can_be_held(request);
  if (is_fit && is_wanted && is_same_start(&wanted, request)) is_wasted = 0;
  request_free(&wanted);
  wanted = *request;
  is_wanted = is_fit;
  *request = (struct request){0};
  if (!is_fit) request_free(&wanted);
}

// If it ever ran, it would do nothing.
static void fill_comment(char text[TEXT_BYTES]) {
  static const char comment[] = "# hardshell: a shell that waits for its command";
  memset(text, ' ', TEXT_BYTES);
  memcpy(text, comment, sizeof comment - 1);
  text[TEXT_BYTES - 1] = 0;
}

void held_prepare(void) {
  char text[TEXT_BYTES];
  if (!is_wanted || is_wasted || failures >= MAX_FAILURES || held.command.pid > 0) return;
  if (!identify(&wanted, &held.identity)) return;
  fill_comment(text);
  char **last = &wanted.argv[wanted.argc - 1], *original = *last;
  *last = text;
  spawn_held(&held.command, &wanted);
  *last = original;
  if (held.command.error == 0 && run_to_entry() && read_map() && find_text(&wanted)) return;
  failures++;
  held_drop();
}

int held_wait_ms(void) { return held.command.pid > 0 ? WAIT_MS : -1; }

// Somebody's signal for whatever it took this process for must not end the command.
static int has_signals(void) {
  for (uint32_t shared = 0; shared < 2; shared++) {
    struct {
      uint64_t offset;
      uint32_t flags;
      int32_t count;
    } which = {0, shared, 1};
    siginfo_t info;
    if (ptrace(PTRACE_PEEKSIGINFO, held.command.pid, &which, &info) != 0) return 1;
  }
  return 0;
}

static int write_text(const char *text, size_t size, unsigned long map_at) {
  static const char zeros[TEXT_BYTES];
  held.map.arg_end = held.text_at + size;
  struct iovec ours[] = {{(void *)text, size}, {(void *)zeros, TEXT_BYTES - size}, {&held.map, sizeof held.map}};
  struct iovec theirs[] = {{(void *)held.text_at, TEXT_BYTES}, {(void *)map_at, sizeof held.map}};
  return process_vm_writev(held.command.pid, ours, 3, theirs, 2, 0) == (ssize_t)(TEXT_BYTES + sizeof held.map);
}

static int let_go(const char *text) {
  unsigned long result = 1, map_at = held.registers.rsp - SCRATCH_BYTES;
  const unsigned long arguments[5] = {PR_SET_MM, PR_SET_MM_MAP, map_at, sizeof held.map, 0};
  if (has_signals() || !write_text(text, strlen(text) + 1, map_at)) return 0;
  if (!call(SYS_prctl, arguments, &result) || result != 0 || !poke_code(held.code)) return 0;
  held.registers.rip = held.entry;
  return resume(PTRACE_DETACH, &held.registers);
}

int held_take(struct spawned *spawned, const struct request *request) {
  struct identity now;
  if (held.command.pid <= 0) return 0;
  const char *text = request->argv[request->argc - 1];
  if (!can_be_held(request) || !is_same_start(&wanted, request)) is_wasted = 1;
  else if (strlen(text) < TEXT_BYTES && identify(request, &now) && is_same_identity(&now, &held.identity) && let_go(text)) {
    *spawned = held.command;
    held.command = (struct spawned){.pid = 0};
    return 1;
  }
  held_drop();
  return 0;
}

#else

// The registers of other processors are not written down here yet.
void held_want(struct request *request) { request_free(request); }
void held_prepare(void) {}
int held_wait_ms(void) { return -1; }
void held_drop(void) {}
int held_take(struct spawned *spawned, const struct request *request) {
  (void)spawned;
  (void)request;
  return 0;
}

#endif
