// This process has completed its exec and loading, but has not run its first instruction. Its last argument
// is replaced in place, and the kernel is told where the arguments end now: /proc/PID/cmdline is as expected.
// Refuses anything that is not exactly as expected; the caller then starts the command normally.

#define _GNU_SOURCE
#include "entry.h"
#include "keeper.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void entry_fill(char text[ENTRY_TEXT_BYTES]) {
  memset(text, ' ', ENTRY_TEXT_BYTES - 1);
  text[ENTRY_TEXT_BYTES - 1] = 0;
}

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
#include <sys/wait.h>
#include <time.h>

/** At the entry point: a trap to stop at, a system call for it to perform, a trap to return by. */
#define TRAPS 0xcc050fccul
#define AFTER_FIRST 1
#define AFTER_SECOND 4
/** Where the prctl map is written, below everything on the stack. */
#define SCRATCH_BYTES 1024
#define MAX_LOADING_MS 1000
/** If it ever ran, it would do nothing. */
#define WAITING_TEXT "# hardshell: a shell that waits for its command"

static pid_t pid;
static struct user_regs_struct at_entry;
static unsigned long entry, text_at;
static long code;
static struct prctl_mm_map map;

int entry_is_supported(void) { return 1; }

// With a timeout: loading may hang on a file system that does not answer, and the next request waits for us.
// We have no other child, so every SIGCHLD is about this one, or stale. An end is only peeked at: the PID stays reserved.
static int wait_for_trap(void) {
  uint64_t until = now_ms() + MAX_LOADING_MS;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (;;) {
    siginfo_t info = {.si_pid = 0};
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) < 0 && errno != EINTR) return 0;
    if (info.si_pid == pid)
      return info.si_code == CLD_TRAPPED && (info.si_status & 0xff) == SIGTRAP &&
             waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG) == 0;
    uint64_t now = now_ms();
    if (now >= until) return 0;
    struct timespec rest = {(time_t)((until - now) / 1000), (long)((until - now) % 1000) * 1000000};
    sigtimedwait(&set, NULL, &rest);
  }
}

static int read_registers(struct user_regs_struct *registers) {
  return ptrace(PTRACE_GETREGS, pid, NULL, registers) == 0;
}

static int resume(int request, const struct user_regs_struct *registers) {
  return ptrace(PTRACE_SETREGS, pid, NULL, registers) == 0 && ptrace(request, pid, NULL, NULL) == 0;
}

static int peek(unsigned long at, unsigned long *word) {
  struct iovec ours = {word, sizeof *word}, theirs = {(void *)at, sizeof *word};
  return process_vm_readv(pid, &ours, 1, &theirs, 1, 0) == (ssize_t)sizeof *word;
}

static int poke_code(long word) { return ptrace(PTRACE_POKEDATA, pid, (void *)entry, (void *)word) == 0; }

// Its own system call, made at the entry point.
static int call(long number, const unsigned long arguments[5], unsigned long *result) {
  struct user_regs_struct registers = at_entry;
  registers.rip = entry + AFTER_FIRST;
  registers.rax = (unsigned long)number;
  registers.rdi = arguments[0];
  registers.rsi = arguments[1];
  registers.rdx = arguments[2];
  registers.r10 = arguments[3];
  registers.r8 = arguments[4];
  if (!resume(PTRACE_CONT, &registers) || !wait_for_trap() || !read_registers(&registers)) return 0;
  *result = registers.rax;
  return registers.rip == entry + AFTER_SECOND;
}

// Behind an init it is not our child, and the filter is already in force: it cannot request to be traced.
static int pass_gate(int gate) {
  if (gate < 0) return 1;
  const unsigned long options = PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC;
  int is_open = ptrace(PTRACE_SEIZE, pid, NULL, (void *)options) == 0 && write(gate, "", 1) == 1;
  close(gate);
  return is_open;
}

static int run_to_entry(void) {
  char path[64];
  Elf64_auxv_t vector[64] = {{0}};
  if (!wait_for_trap()) return 0;
  // When a tracer ends, its tracees run; ours must not.
  if (ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)PTRACE_O_EXITKILL) < 0) return 0;
  snprintf(path, sizeof path, "/proc/%d/auxv", pid);
  if (read_text(path, (char *)vector, sizeof vector) <= 0) return 0;
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
    if (vector[i].a_type == AT_SECURE && vector[i].a_un.a_val != 0) return 0;
    if (vector[i].a_type == AT_ENTRY) entry = vector[i].a_un.a_val;
  }
  errno = 0;
  code = ptrace(PTRACE_PEEKDATA, pid, (void *)entry, NULL);
  if (errno != 0 || !poke_code((long)(((unsigned long)code & ~0xfffffffful) | TRAPS))) return 0;
  if (ptrace(PTRACE_CONT, pid, NULL, NULL) < 0 || !wait_for_trap()) return 0;
  return read_registers(&at_entry) && at_entry.rip == entry + AFTER_FIRST;
}

// The kernel's view of the process memory; one end in it will change.
static int read_map(void) {
  enum { CODE = 26, STACK = 28, DATA = 45, LAST = 51 };
  char path[64], text[2048];
  unsigned long fields[LAST + 1] = {0}, at = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  if (read_text(path, text, sizeof text) <= 0) return 0;
  char *next = strrchr(text, ')');
  if (next == NULL || strlen(next) < 4) return 0;
  next += 3;
  for (at = 4; at <= LAST && *next == ' '; at++) fields[at] = strtoul(next + 1, &next, 10);
  if (at <= LAST) return 0;
  map = (struct prctl_mm_map){
      .start_code = fields[CODE], .end_code = fields[CODE + 1], .start_stack = fields[STACK],
      .start_data = fields[DATA], .end_data = fields[DATA + 1], .start_brk = fields[DATA + 2],
      .arg_start = fields[DATA + 3], .arg_end = fields[DATA + 4],
      .env_start = fields[DATA + 5], .env_end = fields[LAST], .exe_fd = (uint32_t)-1,
  };
  unsigned long brk = 0;
  if (!call(SYS_brk, (const unsigned long[5]){0}, &brk)) return 0;
  map.brk = brk;
  return brk >= map.start_brk;
}

// The last argument must be where expected, in its full length and directly before the end.
static int find_text(size_t argc) {
  unsigned long count = 0, stack = at_entry.rsp;
  return peek(stack, &count) && count == argc && peek(stack + 8 * count, &text_at) &&
         text_at >= map.arg_start && text_at + ENTRY_TEXT_BYTES == map.arg_end;
}

// A stray signal to this process must not end the command.
int entry_has_signals(void) {
  for (uint32_t shared = 0; shared < 2; shared++) {
    struct {
      uint64_t offset;
      uint32_t flags;
      int32_t count;
    } which = {0, shared, 1};
    siginfo_t info;
    if (ptrace(PTRACE_PEEKSIGINFO, pid, &which, &info) != 0) return 1;
  }
  return 0;
}

/** The text and the zeros after it, then the values for the kernel. */
static int write_memory(const char *text, size_t size) {
  static const char zeros[ENTRY_TEXT_BYTES];
  struct iovec ours[] = {{(void *)text, size}, {(void *)zeros, ENTRY_TEXT_BYTES - size}, {&map, sizeof map}};
  struct iovec theirs[] = {{(void *)text_at, ENTRY_TEXT_BYTES}, {(void *)(at_entry.rsp - SCRATCH_BYTES), sizeof map}};
  return process_vm_writev(pid, ours, 3, theirs, 2, 0) == (ssize_t)(ENTRY_TEXT_BYTES + sizeof map);
}

static int replace_text(const char *text) {
  size_t size = strlen(text) + 1;
  unsigned long result = 1;
  map.arg_end = text_at + size;
  const unsigned long arguments[5] = {PR_SET_MM, PR_SET_MM_MAP, at_entry.rsp - SCRATCH_BYTES, sizeof map, 0};
  return write_memory(text, size) && call(SYS_prctl, arguments, &result) && result == 0;
}

// The first replacement shows that this kernel allows the second, and is what others see of a waiting process.
int entry_reach(pid_t child, int gate, size_t argc) {
  pid = child;
  return pass_gate(gate) && run_to_entry() && read_map() && find_text(argc) && replace_text(WAITING_TEXT);
}

int entry_release(const char *text) {
  if (entry_has_signals() || !replace_text(text) || !poke_code(code)) return 0;
  at_entry.rip = entry;
  return resume(PTRACE_DETACH, &at_entry);
}

#else

int entry_is_supported(void) { return 0; }

int entry_reach(pid_t child, int gate, size_t argc) {
  (void)child;
  if (gate >= 0) close(gate);
  (void)argc;
  return 0;
}

int entry_has_signals(void) { return 1; }

int entry_release(const char *text) {
  (void)text;
  return 0;
}

#endif
