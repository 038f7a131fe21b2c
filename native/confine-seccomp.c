// The seccomp filter, written by hand for x86_64 and aarch64. Calls that it does not name are allowed: files are covered by
// Landlock and mounts; this covers the rest, and reduces the kernel's attack surface.

#define _GNU_SOURCE
#include "confine.h"
#include "confine-calls.h"
#include "observe-calls.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_MACHINE 0xc000003eu
#define X32_BIT 0x40000000u
#elif defined(__aarch64__)
#define THIS_MACHINE 0xc00000b7u
#endif

#define SECCOMP_MODE 2
#define SET_FILTER 1
#define NEW_LISTENER 8u
#define WAIT_KILLABLE 32u
#define ALLOW 0x7fff0000u
#define ASK 0x7fc00000u
#define KILL 0x80000000u
#define REFUSE(error) (0x00050000u | (uint32_t)(error))

#define LOAD 0x20u
#define MASK 0x54u
#define IF_EQUAL 0x15u
#define IF_ANY_BIT 0x45u
#define IF_AT_LEAST 0x35u
#define RETURN 0x06u
#define JUMP 0x05u

/** All but CLONE_NEWTIME, whose bit is part of clone's signal; as unshare's argument it is refused as well. */
#define NEW_NAMESPACES 0x7e020000u
#define NEW_TIME 0x80u
#define FAST_OPEN 0x20000000u
#define TIOCSTI_CALL 0x5412u
#define TIOCLINUX_CALL 0x541cu
#define LEVEL_TCP 6u
#define OPTION_FASTOPEN 23u
#define OPTION_FASTOPEN_CONNECT 30u
#define NETLINK_OF_ROUTES 0
#define TYPE_BITS 0x0fu
/** How every bash opens its terminal when it starts; files that are changed are opened otherwise. */
#define AS_TERMINAL ((uint32_t)(O_RDWR | O_NONBLOCK))
/** Requests of ptrace(2) that take options; the first is that of old programs, and has no meaning on other machines. */
#define OLD_SET_OPTIONS 21u
#define SET_OPTIONS 0x4200u
#define SEIZE 0x4206u
#define TRACE_EXIT 0x40u
/** Of ioprio_set. */
#define IO_PROCESS 1u
#define IO_USER 3u

#define MAX_CODE 512
#define MAX_REFUSED 128
#define BLOCK 8

struct instruction {
  uint16_t code;
  uint8_t when, otherwise;
  uint32_t value;
};

struct program {
  unsigned short size;
  const struct instruction *code;
};

struct call_data {
  int number;
  uint32_t machine;
  uint64_t address, arguments[6];
};

struct filter {
  struct instruction code[MAX_CODE];
  unsigned short size;
};

/** Refused regardless of their arguments; -1 ends the list. */
static const int REFUSED[] = {
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_keyctl,
    SYS_add_key, SYS_request_key, SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_mount,
    SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_open_by_handle_at, SYS_name_to_handle_at, SYS_quotactl,
    SYS_reboot, SYS_swapon, SYS_swapoff, SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex, SYS_acct,
    SYS_syslog, SYS_sethostname, SYS_setdomainname, SYS_vhangup, SYS_fanotify_init, SYS_lookup_dcookie, SYS_nfsservctl,
    SYS_move_pages, SYS_migrate_pages, SYS_open_tree, SYS_move_mount, SYS_mount_setattr,
    // io_uring_*; fsopen, fsconfig, fsmount, fspick; process_madvise; quotactl_fd; process_mrelease; open_tree_attr.
    425, 426, 427, 430, 431, 432, 433, 440, 443, 448, 467,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#if defined(__x86_64__)
    SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_uselib, SYS_ustat, SYS_sysfs, SYS__sysctl, SYS_create_module,
    SYS_get_kernel_syms, SYS_query_module,
#endif
    -1,
};

/** Debuggers need these. Refused without a PID namespace, in which every process but the init has the same filter and no
 * capability; the init cannot be traced, and a traced call is still filtered. */
static const int TRACING[] = {SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_pidfd_getfd, -1};

/** If no namespace separates them from others of the same user. */
static const int SHARED_IPC[] = {
    SYS_shmget, SYS_shmat,  SYS_shmctl, SYS_semget,  SYS_semop,    SYS_semtimedop, SYS_semctl,
    SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_mq_open, SYS_mq_unlink, -1,
};

static void put(struct filter *filter, uint32_t code, uint8_t when, uint8_t otherwise, uint32_t value) {
  // A program that is too long must be refused by the kernel, never truncated.
  if (filter->size < MAX_CODE) filter->code[filter->size] = (struct instruction){(uint16_t)code, when, otherwise, value};
  filter->size++;
}

static void put_return(struct filter *filter, uint32_t value) { put(filter, RETURN, 0, 0, value); }
static void load(struct filter *filter, size_t offset) { put(filter, LOAD, 0, 0, (uint32_t)offset); }

// The low half: the kernel takes an int, so the other half has no effect.
static void load_argument(struct filter *filter, unsigned index) {
  load(filter, offsetof(struct call_data, arguments) + 8 * index);
}

static void refuse_if(struct filter *filter, uint32_t test, uint32_t value) {
  put(filter, test, 0, 1, value);
  put_return(filter, REFUSE(EPERM));
}

struct numbers {
  int list[MAX_REFUSED];
  size_t count;
};

// Sorted, so that the filter can be searched.
static void add_number(struct numbers *numbers, int number) {
  size_t at = numbers->count++;
  if (at >= MAX_REFUSED) return;
  for (; at > 0 && numbers->list[at - 1] > number; at--) numbers->list[at] = numbers->list[at - 1];
  numbers->list[at] = number;
}

static void add_numbers(struct numbers *numbers, const int *list) {
  for (; *list != -1; list++) add_number(numbers, *list);
}

// Blocks that end before the number are skipped: when a filter is installed, the kernel walks it once for every system call.
static void refuse_calls(struct filter *filter, const struct numbers *numbers) {
  unsigned short jumps[MAX_REFUSED / BLOCK + 1];
  size_t blocks = 0;
  if (numbers->count > MAX_REFUSED) filter->size = MAX_CODE + 1;
  for (size_t i = 0; i < numbers->count && filter->size < MAX_CODE - 3 * BLOCK; i += BLOCK) {
    size_t end = numbers->count - i < BLOCK ? numbers->count : i + BLOCK;
    if (end < numbers->count) put(filter, IF_AT_LEAST, (uint8_t)(2 * (end - i) + 1), 0, (uint32_t)numbers->list[end]);
    for (size_t at = i; at < end; at++) refuse_if(filter, IF_EQUAL, (uint32_t)numbers->list[at]);
    jumps[blocks++] = filter->size;
    put(filter, JUMP, 0, 0, 0);
  }
  if (filter->size >= MAX_CODE - 3 * BLOCK) filter->size = MAX_CODE + 1;
  else
    for (size_t i = 0; i < blocks; i++) filter->code[jumps[i]].value = (uint32_t)(filter->size - jumps[i] - 1);
}

// A block for one call: skipped by all others; it ends in a return, so that the number need not be loaded again.
static unsigned short begin_call(struct filter *filter, int number) {
  put(filter, IF_EQUAL, 0, 0, (uint32_t)number);
  return filter->size;
}

static void end_call(struct filter *filter, unsigned short begun) {
  put_return(filter, ALLOW);
  if (begun <= MAX_CODE && filter->size - begun <= UINT8_MAX) filter->code[begun - 1].otherwise = (uint8_t)(filter->size - begun);
  else filter->size = MAX_CODE + 1;
}

static void filter_flags(struct filter *filter, int number, unsigned index, uint32_t bits, uint32_t result) {
  unsigned short begun = begin_call(filter, number);
  load_argument(filter, index);
  put(filter, IF_ANY_BIT, 0, 1, bits);
  put_return(filter, result);
  end_call(filter, begun);
}

// 0 is the caller itself; any other could be a process outside.
static void filter_process(struct filter *filter, int number, unsigned index, uint32_t otherwise) {
  unsigned short begun = begin_call(filter, number);
  load_argument(filter, index);
  put(filter, IF_EQUAL, 1, 0, 0);
  put_return(filter, otherwise);
  end_call(filter, begun);
}

// The first argument says what the second is: a process, a group, or a user, which means all of its processes, including
// those outside. A group other than the caller's own could be outside as well.
static void filter_whom(struct filter *filter, int number, uint32_t process, uint32_t user) {
  unsigned short begun = begin_call(filter, number);
  load_argument(filter, 0);
  refuse_if(filter, IF_EQUAL, user);
  put(filter, IF_EQUAL, 3, 0, process);
  load_argument(filter, 1);
  put(filter, IF_EQUAL, 3, 0, 0);
  put_return(filter, REFUSE(EPERM));
  load_argument(filter, 1);
  put(filter, IF_EQUAL, 0, 1, 0);
  put_return(filter, ALLOW);
  put_return(filter, ASK);
  end_call(filter, begun);
}

// Calls that change others by their PID: processes outside, or those that start and end the commands of a room. Programs also
// name themselves, their threads and their children by PID, so the supervisor is notified.
static void filter_others(struct filter *filter, uint32_t flags) {
  static const int BY_PROCESS[] = {SYS_prlimit64,         SYS_sched_setscheduler, SYS_sched_setparam,
                                   SYS_sched_setaffinity, SYS_sched_setattr,      -1};
  for (const int *number = BY_PROCESS; *number != -1; number++) filter_process(filter, *number, 0, ASK);
  if (flags & CONFINE_NO_SHARED_IPC) filter_process(filter, SYS_get_robust_list, 0, REFUSE(EPERM));
  filter_whom(filter, SYS_setpriority, PRIO_PROCESS, PRIO_USER);
  filter_whom(filter, SYS_ioprio_set, IO_PROCESS, IO_USER);
}

// Tracers that hold each other at their exit cannot be killed: see trace-exit.c. The kernel refuses options and requests that use
// the upper half of their registers.
static void filter_tracing(struct filter *filter, uint32_t otherwise) {
  unsigned short begun = begin_call(filter, SYS_ptrace);
  load_argument(filter, 0);
  put(filter, IF_EQUAL, 3, 0, SEIZE);
  put(filter, IF_EQUAL, 2, 0, SET_OPTIONS);
  put(filter, IF_EQUAL, 1, 0, OLD_SET_OPTIONS);
  put_return(filter, ALLOW);
  load_argument(filter, 3);
  put(filter, IF_ANY_BIT, 0, 1, TRACE_EXIT);
  put_return(filter, otherwise);
  end_call(filter, begun);
}

static void allow_if(struct filter *filter, uint32_t value) {
  put(filter, IF_EQUAL, 0, 1, value);
  put_return(filter, ALLOW);
}

// Only TCP is covered by Landlock's port rules: no datagrams, no multipath, no other protocol.
static void filter_inet(struct filter *filter, uint32_t otherwise) {
  load_argument(filter, 1);
  put(filter, MASK, 0, 0, TYPE_BITS);
  put(filter, IF_EQUAL, 1, 0, SOCK_STREAM);
  put_return(filter, otherwise);
  load_argument(filter, 2);
  allow_if(filter, 0);
  allow_if(filter, LEVEL_TCP);
  put_return(filter, otherwise);
}

// Only streams: a datagram socket needs no `connect`, and its target is in memory.
static void filter_unix(struct filter *filter) {
  put(filter, IF_EQUAL, 0, 7, AF_UNIX);
  load_argument(filter, 1);
  put(filter, MASK, 0, 0, TYPE_BITS);
  allow_if(filter, SOCK_STREAM);
  put(filter, IF_EQUAL, 0, 1, SOCK_SEQPACKET);
  put_return(filter, ALLOW);
  put_return(filter, REFUSE(EPERM));
}

// Which interfaces and addresses there are, as many programs ask when they start. In a network of its own a command without
// privileges can change nothing by it. No other protocol of netlink.
static void filter_interfaces(struct filter *filter) {
  put(filter, IF_EQUAL, 0, 4, AF_NETLINK);
  load_argument(filter, 2);
  allow_if(filter, NETLINK_OF_ROUTES);
  put_return(filter, REFUSE(EPERM));
}

static void ask_about(struct filter *filter, int number) {
  put(filter, IF_EQUAL, 0, 1, (uint32_t)number);
  put_return(filter, ASK);
}

int confine_connects(uint32_t flags) {
  if (flags & (CONFINE_BROKERED | CONFINE_LISTED_UNIX | CONFINE_OWN_UNIX | CONFINE_IN_WORLD)) return 1;
  return (flags & CONFINE_OWN_NETWORK) && (flags & (CONFINE_REPORT_CONTACTS | CONFINE_OBSERVE_ALL));
}

static void filter_sockets(struct filter *filter, uint32_t flags) {
  int is_listed = (flags & (CONFINE_LISTED_CONNECT | CONFINE_LISTED_BIND | CONFINE_BROKERED)) != 0;
  // Refused calls are notified there, so that they are reported.
  uint32_t otherwise = flags & CONFINE_BROKERED ? ASK : REFUSE(EACCES);
  unsigned short begun = begin_call(filter, SYS_socket);
  load_argument(filter, 0);
  if (!(flags & CONFINE_PAIRS_ONLY)) allow_if(filter, AF_UNIX);
  else if (flags & (CONFINE_LISTED_UNIX | CONFINE_OWN_UNIX)) filter_unix(filter);
  if (!(flags & CONFINE_NO_INET) && !is_listed) {
    allow_if(filter, AF_INET);
    allow_if(filter, AF_INET6);
    if (flags & CONFINE_OWN_NETWORK) filter_interfaces(filter);
  }
  if (!(flags & CONFINE_NO_INET) && is_listed) {
    put(filter, IF_EQUAL, 2, 0, AF_INET);
    put(filter, IF_EQUAL, 1, 0, AF_INET6);
    put_return(filter, REFUSE(EPERM));
    filter_inet(filter, otherwise);
  }
  if ((flags & CONFINE_NO_INET) && (flags & CONFINE_REPORT_CONTACTS)) {
    put(filter, IF_EQUAL, 1, 0, AF_INET);
    put(filter, IF_EQUAL, 0, 1, AF_INET6);
    put_return(filter, ASK);
  }
  put_return(filter, REFUSE(EPERM));
  end_call(filter, begun);

  // A pair of datagram sockets can be connected to another address afterwards.
  begun = begin_call(filter, SYS_socketpair);
  load_argument(filter, 0);
  put(filter, IF_EQUAL, 1, 0, AF_UNIX);
  put_return(filter, REFUSE(EPERM));
  if (flags & CONFINE_PAIRS_ONLY) {
    load_argument(filter, 1);
    put(filter, MASK, 0, 0, TYPE_BITS);
    refuse_if(filter, IF_EQUAL, SOCK_DGRAM);
    // For unix sockets the kernel treats SOCK_RAW as SOCK_DGRAM.
    refuse_if(filter, IF_EQUAL, SOCK_RAW);
  }
  end_call(filter, begun);
  int is_connected = confine_connects(flags);
  if (is_connected || (flags & CONFINE_OBSERVE_ALL)) ask_about(filter, SYS_connect);
  if (flags & CONFINE_BROKERED) {
    ask_about(filter, SYS_bind);
    ask_about(filter, SYS_listen);
  }
  if (!is_listed && !is_connected) return;
  // Both connect without `connect`. Programs know EOPNOTSUPP from machines without it, and connect normally then.
  uint32_t fast = flags & CONFINE_BROKERED ? ASK : is_listed ? REFUSE(EPERM) : REFUSE(EOPNOTSUPP);
  filter_flags(filter, SYS_sendto, 3, FAST_OPEN, fast);
  filter_flags(filter, SYS_sendmsg, 2, FAST_OPEN, fast);
  filter_flags(filter, SYS_sendmmsg, 3, FAST_OPEN, fast);
  begun = begin_call(filter, SYS_setsockopt);
  load_argument(filter, 1);
  put(filter, IF_EQUAL, 1, 0, LEVEL_TCP);
  put_return(filter, ALLOW);
  load_argument(filter, 2);
  if (is_listed) refuse_if(filter, IF_EQUAL, OPTION_FASTOPEN);
  refuse_if(filter, IF_EQUAL, OPTION_FASTOPEN_CONNECT);
  end_call(filter, begun);
}

// Refused calls stay refused: these come after them.
static void filter_observed(struct filter *filter, uint32_t flags) {
  int is_all = (flags & CONFINE_OBSERVE_ALL) != 0, before = -1;
  for (const struct observed_call *call = OBSERVED_CALLS; call->number != -1; call++) {
    if (call->number == before || (call->what == OBSERVED_EXECUTE && !is_all)) continue;
    before = call->number;
    if (!is_all && call->flags >= 0 && call->number != SYS_openat2)
      filter_flags(filter, call->number, (unsigned)call->flags, WRITING_FLAGS, ASK);
    else ask_about(filter, call->number);
  }
}

/** Whether a call with a descriptor of a folder is left out: those who walk through trees make one for each file. */
static int is_per_file(int number) {
  static const int PER_FILE[] = {SYS_openat, SYS_openat2, SYS_unlinkat, SYS_fchmodat, SYS_fchmodat2, SYS_fchownat, SYS_utimensat, -1};
  const int *at = PER_FILE;
  while (*at != -1 && *at != number) at++;
  return *at == number;
}

static void ask_if_changing(struct filter *filter, const struct observed_call *call) {
  unsigned short begun = begin_call(filter, call->number);
  if (call->flags >= 0 && call->number != SYS_openat2) {
    load_argument(filter, (unsigned)call->flags);
    put(filter, IF_ANY_BIT, 1, 0, WRITING_FLAGS);
    put_return(filter, ALLOW);
    allow_if(filter, AS_TERMINAL);
  }
  if (call->number == SYS_unlinkat) {
    load_argument(filter, 2);
    put(filter, IF_ANY_BIT, 0, 1, AT_REMOVEDIR);
    put_return(filter, ASK);
  }
  if (is_per_file(call->number)) {
    load_argument(filter, (unsigned)call->folder);
    put(filter, IF_EQUAL, 1, 0, (uint32_t)AT_FDCWD);
    put_return(filter, ALLOW);
  }
  put_return(filter, ASK);
  end_call(filter, begun);
}

static int is_open_call(int number) {
#ifdef SYS_open
  if (number == SYS_open) return 1;
#endif
  return number == SYS_openat;
}

// Each question costs a few microseconds, so only calls that change something are asked about. To open a file is by far the
// most frequent of them, and comes first.
static void filter_refusals(struct filter *filter, int is_for_open) {
  int before = -1;
  for (const struct observed_call *call = OBSERVED_CALLS; call->number != -1; call++) {
    if (call->number == before || call->what == OBSERVED_EXECUTE || is_open_call(call->number) != is_for_open) continue;
    before = call->number;
    ask_if_changing(filter, call);
  }
}

static void filter_renames(struct filter *filter, uint32_t flags) {
  for (const int *number = RENAMES; *number != -1; number++) ask_about(filter, *number);
  for (const int *number = LINKS; (flags & CONFINE_STAGED) && *number != -1; number++) ask_about(filter, *number);
}

// Without namespaces the kernel refuses signals to others; with them, others have no number.
static void filter_signals(struct filter *filter) {
  unsigned short begun = begin_call(filter, SYS_kill);
  load_argument(filter, 1);
  put(filter, IF_EQUAL, 1, 0, 0);
  put_return(filter, ASK);
  end_call(filter, begun);
}

static int lists_bind_port(const struct confinement *confinement) {
  for (size_t i = 0; i < confinement->count; i++)
    if (confinement->entries[i].kind == ENTRY_BIND_PORT) return 1;
  return 0;
}

int confine_is_notified(const struct confinement *confinement) {
  uint32_t asking = CONFINE_NO_SHARED_IPC | CONFINE_BROKERED | CONFINE_LISTED_UNIX | CONFINE_OWN_UNIX | CONFINE_IN_WORLD |
                    CONFINE_OBSERVE_WRITES | CONFINE_OBSERVE_ALL | CONFINE_REPORT_CHANGES | CONFINE_REPORT_CONTACTS |
                    CONFINE_JUDGE_SETTINGS | CONFINE_STAGED;
  return (confinement->flags & asking) != 0;
}

#ifdef THIS_MACHINE
static void begin(struct filter *filter) {
  filter->size = 0;
  load(filter, offsetof(struct call_data, machine));
  put(filter, IF_EQUAL, 1, 0, THIS_MACHINE);
  put_return(filter, KILL);
  load(filter, offsetof(struct call_data, number));
#ifdef X32_BIT
  refuse_if(filter, IF_AT_LEAST, X32_BIT);
#endif
}

/** What every command of a room is refused, whoever is asked about the rest. */
static void filter_common(struct filter *filter, const struct confinement *confinement) {
  uint32_t flags = confinement->flags;
  struct numbers numbers;
  numbers.count = 0;
  add_numbers(&numbers, REFUSED);
  if (!(flags & CONFINE_IN_NAMESPACES)) add_numbers(&numbers, TRACING);
  if (flags & CONFINE_NO_SHARED_IPC) add_numbers(&numbers, SHARED_IPC);
  // Without a listed port `listen` on an unbound socket would still get one.
  if ((flags & CONFINE_LISTED_BIND) && !lists_bind_port(confinement)) add_number(&numbers, SYS_listen);
  refuse_calls(filter, &numbers);
  // Its flags are in memory, which a filter cannot read; callers fall back to clone.
  put(filter, IF_EQUAL, 0, 1, 435);
  put_return(filter, REFUSE(ENOSYS));
  filter_flags(filter, SYS_clone, 0, NEW_NAMESPACES, REFUSE(EPERM));
  filter_flags(filter, SYS_unshare, 0, NEW_NAMESPACES | NEW_TIME, REFUSE(EPERM));
  unsigned short begun = begin_call(filter, SYS_ioctl);
  load_argument(filter, 1);
  refuse_if(filter, IF_EQUAL, TIOCSTI_CALL);
  refuse_if(filter, IF_EQUAL, TIOCLINUX_CALL);
  end_call(filter, begun);
}

static void build(struct filter *filter, const struct confinement *confinement, int has_common) {
  uint32_t flags = confinement->flags;
  int is_observing = (flags & (CONFINE_OBSERVE_WRITES | CONFINE_OBSERVE_ALL)) != 0;
  int is_reporting = (flags & CONFINE_REPORT_CHANGES) && !is_observing;
  begin(filter);
  if (is_reporting) filter_refusals(filter, 1);
  if (!has_common) filter_common(filter, confinement);
  if (flags & (CONFINE_NO_SHARED_IPC | CONFINE_IN_WORLD)) filter_others(filter, flags);
  if (flags & CONFINE_IN_NAMESPACES) filter_tracing(filter, confine_is_notified(confinement) ? ASK : REFUSE(EPERM));
  if (is_observing) filter_observed(filter, flags);
  filter_sockets(filter, flags);
  if (is_reporting) filter_refusals(filter, 0);
  else if ((flags & (CONFINE_JUDGE_SETTINGS | CONFINE_STAGED)) && !is_observing) filter_renames(filter, flags);
  if ((flags & CONFINE_REPORT_CONTACTS) && (flags & CONFINE_NO_SHARED_IPC)) filter_signals(filter);
  put_return(filter, ALLOW);
}

/** In this process, or in one that it was forked from. Of several filters the strictest answer counts. */
static int has_common;

static int install(const struct filter *filter) {
  struct program program = {filter->size, filter->code};
  if (filter->size > MAX_CODE) return E2BIG;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE, &program, 0, 0) < 0 ? errno : 0;
}

int confine_seccomp_ahead(const struct confinement *confinement) {
  struct filter filter;
  begin(&filter);
  filter_common(&filter, confinement);
  put_return(&filter, ALLOW);
  int error = install(&filter);
  has_common = error == 0;
  return error;
}

int confine_seccomp(const struct confinement *confinement, int *notify) {
  struct filter filter;
  *notify = -1;
  build(&filter, confinement, has_common);
  if (!confine_is_notified(confinement)) return install(&filter);
  if (filter.size > MAX_CODE) return E2BIG;
  struct program program = {filter.size, filter.code};
  // Once a notification is received, only death interrupts the call; on older kernels any signal does.
  *notify = (int)syscall(SYS_seccomp, SET_FILTER, NEW_LISTENER | WAIT_KILLABLE, &program);
  if (*notify < 0 && errno == EINVAL) *notify = (int)syscall(SYS_seccomp, SET_FILTER, NEW_LISTENER, &program);
  return *notify < 0 ? errno : 0;
}
#else
int confine_seccomp_ahead(const struct confinement *confinement) {
  (void)confinement;
  return ENOSYS;
}

int confine_seccomp(const struct confinement *confinement, int *notify) {
  (void)confinement;
  *notify = -1;
  return ENOSYS;
}
#endif
