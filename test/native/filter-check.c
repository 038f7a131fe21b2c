// filter-check: runs the filter of every set of flags as the kernel would, on every number, against the lists themselves.

#include "../../native/confine-seccomp.c"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

static uint32_t run(const struct filter *filter, const struct call_data *data) {
  uint32_t value = 0;
  for (size_t at = 0, steps = 0; at < filter->size && steps < 4096; at++, steps++) {
    const struct instruction *now = &filter->code[at];
    switch (now->code) {
      case LOAD: memcpy(&value, (const char *)data + now->value, 4); break;
      case MASK: value &= now->value; break;
      case JUMP: at += now->value; break;
      case IF_EQUAL: at += value == now->value ? now->when : now->otherwise; break;
      case IF_ANY_BIT: at += value & now->value ? now->when : now->otherwise; break;
      case IF_AT_LEAST: at += value >= now->value ? now->when : now->otherwise; break;
      case RETURN: return now->value;
      default: exit(3);
    }
  }
  exit(4);
}

// In a room the common part is installed first, and the rest for each command: the kernel takes the strictest answer.
static uint32_t run_in_parts(const struct confinement *confinement, const struct call_data *data) {
  struct filter common, rest;
  begin(&common);
  filter_common(&common, confinement);
  put_return(&common, ALLOW);
  build(&rest, confinement, 1);
  if (common.size > MAX_CODE || rest.size > MAX_CODE) exit(7);
  uint32_t first = run(&common, data), second = run(&rest, data);
  return (int32_t)first < (int32_t)second ? first : second;
}

static int has(const int *list, int number) {
  for (; *list != -1; list++)
    if (*list == number) return 1;
  return 0;
}

// With all arguments 0: no flag is set, the domain is AF_UNSPEC, and the process is the caller itself.
static uint32_t expected(uint32_t flags, int number) {
  int is_refused = has(REFUSED, number) || (!(flags & CONFINE_IN_NAMESPACES) && has(TRACING, number)) || ((flags & CONFINE_NO_SHARED_IPC) && has(SHARED_IPC, number)) ||
                   ((flags & CONFINE_LISTED_BIND) && number == SYS_listen) || number == SYS_socket || number == SYS_socketpair;
  if (number == 435) return REFUSE(ENOSYS);
  if (is_refused) return REFUSE(EPERM);
  uint32_t connecting = CONFINE_BROKERED | CONFINE_LISTED_UNIX | CONFINE_OBSERVE_ALL | CONFINE_OWN_UNIX | CONFINE_IN_WORLD;
  if ((flags & connecting) && number == SYS_connect) return ASK;
  if ((flags & CONFINE_REPORT_CONTACTS) && (flags & CONFINE_OWN_NETWORK) && number == SYS_connect) return ASK;
  int is_observing = (flags & (CONFINE_OBSERVE_WRITES | CONFINE_OBSERVE_ALL)) != 0;
  for (const struct observed_call *call = OBSERVED_CALLS; call->number != -1; call++) {
    if (call->number != number) continue;
    if (!is_observing) {
      // The folder is descriptor 0, and no flag changes anything.
      int is_left_out = call->what == OBSERVED_EXECUTE || call->flags >= 0 || is_per_file(number);
      if ((flags & CONFINE_REPORT_CHANGES) && !is_left_out) return ASK;
      continue;
    }
    int is_read = call->what == OBSERVED_EXECUTE || (call->flags >= 0 && number != SYS_openat2);
    return is_read && !(flags & CONFINE_OBSERVE_ALL) ? ALLOW : ASK;
  }
  if ((flags & (CONFINE_JUDGE_SETTINGS | CONFINE_STAGED)) && has(RENAMES, number)) return ASK;
  if ((flags & CONFINE_STAGED) && has(LINKS, number)) return ASK;
  return (flags & CONFINE_BROKERED) && (number == SYS_bind || number == SYS_listen) ? ASK : ALLOW;
}

// The network that the supervisor makes: what needs no question, what does, and what is never to be had.
static int check_sockets(void) {
  static const uint32_t BROKERED = CONFINE_BROKERED | CONFINE_PAIRS_ONLY, UNIX = CONFINE_LISTED_UNIX | CONFINE_PAIRS_ONLY,
                        OWN = CONFINE_IN_NAMESPACES | CONFINE_OWN_NETWORK | CONFINE_PAIRS_ONLY | CONFINE_OWN_UNIX;
  static const struct {
    uint32_t flags;
    int number;
    uint64_t arguments[4];
    uint32_t wanted;
  } ROWS[] = {
      {BROKERED, SYS_socket, {AF_INET, SOCK_STREAM, 0}, ALLOW},
      {BROKERED, SYS_socket, {AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 6}, ALLOW},
      {BROKERED, SYS_socket, {AF_INET, SOCK_DGRAM, 0}, ASK},
      {BROKERED, SYS_socket, {AF_INET, SOCK_RAW, 1}, ASK},
      {BROKERED, SYS_socket, {AF_INET, SOCK_STREAM, 262}, ASK},
      {BROKERED, SYS_socket, {AF_UNIX, SOCK_STREAM, 0}, REFUSE(EPERM)},
      {BROKERED, SYS_socket, {16, 3, 0}, REFUSE(EPERM)},
      {BROKERED, SYS_socket, {0x100000000ull | AF_INET, SOCK_DGRAM, 0}, ASK},
      {BROKERED, SYS_sendto, {3, 0, 0, FAST_OPEN}, ASK},
      {BROKERED, SYS_sendmsg, {3, 0, FAST_OPEN, 0}, ASK},
      {BROKERED, SYS_sendmmsg, {3, 0, 0, FAST_OPEN}, ASK},
      {BROKERED, SYS_sendmsg, {3, 0, 0, 0}, ALLOW},
      {BROKERED, SYS_setsockopt, {3, 6, 30, 0}, REFUSE(EPERM)},
      {BROKERED, SYS_setsockopt, {3, 6, 1, 0}, ALLOW},
      {CONFINE_OWN_NETWORK, SYS_socket, {16, 3, 0}, ALLOW},
      {CONFINE_OWN_NETWORK, SYS_socket, {16, 3, 4}, REFUSE(EPERM)},
      {CONFINE_OWN_NETWORK, SYS_socket, {16, 3, 0x100000010ull}, REFUSE(EPERM)},
      {CONFINE_OWN_NETWORK | CONFINE_NO_INET, SYS_socket, {16, 3, 0}, REFUSE(EPERM)},
      {0, SYS_socket, {16, 3, 0}, REFUSE(EPERM)},
      {CONFINE_IN_WORLD, SYS_connect, {3, 0, 0, 0}, ASK},
      {CONFINE_IN_WORLD, SYS_sendto, {3, 0, 0, FAST_OPEN}, REFUSE(EOPNOTSUPP)},
      {CONFINE_IN_WORLD, SYS_sendmsg, {3, 0, FAST_OPEN, 0}, REFUSE(EOPNOTSUPP)},
      {CONFINE_IN_WORLD, SYS_sendmmsg, {3, 0, 0, FAST_OPEN}, REFUSE(EOPNOTSUPP)},
      {CONFINE_IN_WORLD, SYS_setsockopt, {3, 6, 30, 0}, REFUSE(EPERM)},
      {CONFINE_IN_WORLD, SYS_sendto, {3, 0, 0, 0}, ALLOW},
      {UNIX, SYS_socket, {AF_UNIX, SOCK_STREAM, 0}, ALLOW},
      {UNIX, SYS_socket, {AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0}, ALLOW},
      {UNIX, SYS_socket, {AF_UNIX, SOCK_DGRAM, 0}, REFUSE(EPERM)},
      {UNIX, SYS_socket, {AF_UNIX, SOCK_RAW, 0}, REFUSE(EPERM)},
      {UNIX, SYS_socket, {AF_INET, SOCK_STREAM, 0}, ALLOW},
      {UNIX | CONFINE_NO_INET, SYS_socket, {AF_INET, SOCK_STREAM, 0}, REFUSE(EPERM)},
      {UNIX, SYS_socketpair, {AF_UNIX, SOCK_DGRAM, 0}, REFUSE(EPERM)},
      {UNIX, SYS_bind, {3, 0, 0, 0}, ALLOW},
      {OWN, SYS_socket, {AF_UNIX, SOCK_STREAM, 0}, ALLOW},
      {OWN, SYS_socket, {AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0}, ALLOW},
      {OWN, SYS_socket, {AF_UNIX, SOCK_DGRAM, 0}, REFUSE(EPERM)},
      {OWN, SYS_socket, {AF_UNIX, SOCK_RAW, 0}, REFUSE(EPERM)},
      {OWN, SYS_socket, {0x100000000ull | AF_UNIX, SOCK_DGRAM, 0}, REFUSE(EPERM)},
      {OWN, SYS_socketpair, {AF_UNIX, SOCK_DGRAM, 0}, REFUSE(EPERM)},
      {OWN, SYS_socket, {AF_INET, SOCK_DGRAM, 0}, ALLOW},
      {OWN, SYS_socket, {16, 3, 4}, REFUSE(EPERM)},
      {OWN, SYS_bind, {3, 0, 0, 0}, ALLOW},
      {OWN, SYS_listen, {3, 0, 0, 0}, ALLOW},
      {OWN, SYS_connect, {3, 0, 0, 0}, ASK},
      {OWN, SYS_sendto, {3, 0, 0, FAST_OPEN}, REFUSE(EOPNOTSUPP)},
      {OWN, SYS_sendmsg, {3, 0, FAST_OPEN, 0}, REFUSE(EOPNOTSUPP)},
      {OWN, SYS_sendmmsg, {3, 0, 0, FAST_OPEN}, REFUSE(EOPNOTSUPP)},
      {OWN, SYS_sendto, {3, 0, 0, 0}, ALLOW},
      {OWN, SYS_setsockopt, {3, 6, 30, 0}, REFUSE(EPERM)},
      {OWN, SYS_setsockopt, {3, 6, 23, 0}, ALLOW},
      {OWN, SYS_ptrace, {0, 0, 0, 0}, ALLOW},
      {OWN, SYS_ptrace, {PTRACE_SEIZE, 9, 0, PTRACE_O_TRACEFORK}, ALLOW},
      {OWN, SYS_ptrace, {PTRACE_SEIZE, 9, 0, PTRACE_O_TRACEEXIT}, ASK},
      {OWN, SYS_ptrace, {PTRACE_SETOPTIONS, 9, 0, PTRACE_O_TRACEEXIT | PTRACE_O_TRACEFORK}, ASK},
      {OWN, SYS_ptrace, {21, 9, 0, PTRACE_O_TRACEEXIT}, ASK},
      {OWN, SYS_ptrace, {0x100000000ull | PTRACE_SEIZE, 9, 0, 0x100000000ull | PTRACE_O_TRACEEXIT}, ASK},
      {OWN, SYS_ptrace, {PTRACE_CONT, 9, 0, PTRACE_O_TRACEEXIT}, ALLOW},
      {CONFINE_IN_NAMESPACES, SYS_ptrace, {PTRACE_SEIZE, 9, 0, PTRACE_O_TRACEEXIT}, REFUSE(EPERM)},
      {CONFINE_NO_SHARED_IPC, SYS_ptrace, {0, 0, 0, 0}, REFUSE(EPERM)},
      {CONFINE_NO_SHARED_IPC, SYS_sched_setaffinity, {0, 0}, ALLOW},
      {CONFINE_NO_SHARED_IPC, SYS_sched_setaffinity, {1, 0}, ASK},
      {CONFINE_NO_SHARED_IPC | BROKERED, SYS_sched_setaffinity, {1, 0}, ASK},
      {CONFINE_NO_SHARED_IPC | BROKERED, SYS_sched_setscheduler, {1, 0}, ASK},
      {CONFINE_NO_SHARED_IPC | BROKERED, SYS_sched_setparam, {1, 0}, ASK},
      {CONFINE_NO_SHARED_IPC | BROKERED, SYS_sched_setattr, {1, 0}, ASK},
      {CONFINE_NO_SHARED_IPC | BROKERED, SYS_prlimit64, {1, 0}, ASK},
      {CONFINE_NO_SHARED_IPC | BROKERED, SYS_get_robust_list, {1, 0}, REFUSE(EPERM)},
      {CONFINE_NO_SHARED_IPC | BROKERED, SYS_setpriority, {PRIO_PROCESS, 0}, ALLOW},
      {CONFINE_NO_SHARED_IPC | BROKERED, SYS_setpriority, {PRIO_PROCESS, 1}, ASK},
      {CONFINE_NO_SHARED_IPC | BROKERED, SYS_setpriority, {PRIO_PGRP, 0}, ALLOW},
      {CONFINE_NO_SHARED_IPC | BROKERED, SYS_setpriority, {PRIO_PGRP, 1}, REFUSE(EPERM)},
      {CONFINE_NO_SHARED_IPC | BROKERED, SYS_setpriority, {PRIO_USER, 0}, REFUSE(EPERM)},
      {CONFINE_NO_SHARED_IPC | BROKERED, SYS_setpriority, {0x100000000ull | PRIO_USER, 0}, REFUSE(EPERM)},
      {CONFINE_NO_SHARED_IPC | BROKERED, SYS_ioprio_set, {IO_PROCESS, 0}, ALLOW},
      {CONFINE_NO_SHARED_IPC | BROKERED, SYS_ioprio_set, {IO_PROCESS, 1}, ASK},
      {CONFINE_NO_SHARED_IPC | BROKERED, SYS_ioprio_set, {2, 1}, REFUSE(EPERM)},
      {CONFINE_NO_SHARED_IPC | BROKERED, SYS_ioprio_set, {IO_USER, 0}, REFUSE(EPERM)},
      {CONFINE_IN_NAMESPACES, SYS_setpriority, {PRIO_USER, 0}, ALLOW},
      {CONFINE_REPORT_CHANGES, SYS_openat, {(uint32_t)AT_FDCWD, 0, O_WRONLY, 0}, ASK},
      {CONFINE_REPORT_CHANGES, SYS_openat, {(uint32_t)AT_FDCWD, 0, O_RDONLY, 0}, ALLOW},
      {CONFINE_REPORT_CHANGES, SYS_openat, {3, 0, O_WRONLY, 0}, ALLOW},
      {CONFINE_REPORT_CHANGES, SYS_openat, {(uint32_t)AT_FDCWD, 0, O_RDWR | O_NONBLOCK, 0}, ALLOW},
      {CONFINE_REPORT_CHANGES, SYS_openat, {(uint32_t)AT_FDCWD, 0, O_RDWR | O_NONBLOCK | O_CREAT, 0}, ASK},
      {CONFINE_REPORT_CHANGES, SYS_openat, {(uint32_t)AT_FDCWD, 0, O_RDWR, 0}, ASK},
      {CONFINE_OBSERVE_WRITES, SYS_openat, {(uint32_t)AT_FDCWD, 0, O_RDWR | O_NONBLOCK, 0}, ASK},
      {CONFINE_REPORT_CHANGES, SYS_openat2, {(uint32_t)AT_FDCWD, 0, 0, 0}, ASK},
      {CONFINE_REPORT_CHANGES, SYS_unlinkat, {3, 0, AT_REMOVEDIR, 0}, ASK},
      {CONFINE_REPORT_CHANGES, SYS_unlinkat, {3, 0, 0, 0}, ALLOW},
      {CONFINE_REPORT_CHANGES, SYS_kill, {1, 9, 0, 0}, ALLOW},
      {CONFINE_REPORT_CONTACTS | CONFINE_NO_SHARED_IPC, SYS_kill, {1, 9, 0, 0}, ASK},
      {CONFINE_REPORT_CONTACTS | CONFINE_NO_SHARED_IPC, SYS_kill, {1, 0, 0, 0}, ALLOW},
      {CONFINE_REPORT_CONTACTS | CONFINE_OWN_NETWORK, SYS_connect, {3, 0, 0, 0}, ASK},
      {CONFINE_REPORT_CONTACTS, SYS_connect, {3, 0, 0, 0}, ALLOW},
      {CONFINE_REPORT_CONTACTS | CONFINE_NO_INET, SYS_socket, {AF_INET, SOCK_STREAM, 0}, ASK},
      {CONFINE_REPORT_CONTACTS | CONFINE_NO_INET, SYS_socket, {16, 3, 0}, REFUSE(EPERM)},
  };
  for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
    struct confinement confinement = {.flags = ROWS[i].flags};
    struct filter filter;
    struct call_data data = {.number = ROWS[i].number, .machine = THIS_MACHINE};
    memcpy(data.arguments, ROWS[i].arguments, sizeof ROWS[i].arguments);
    build(&filter, &confinement, 0);
    uint32_t seen = run(&filter, &data), in_parts = run_in_parts(&confinement, &data);
    if (seen == ROWS[i].wanted && in_parts == seen) continue;
    printf("row %zu: %x and in parts %x instead of %x\n", i, seen, in_parts, ROWS[i].wanted);
    return 1;
  }
  return 0;
}

int main(void) {
  unsigned long checked = 0, longest = 0;
  if (check_sockets() != 0) return 1;
  // All of the older flags; with the newer ones, which change little else, a part of them.
  for (uint32_t flags = 0; flags <= CONFINE_FLAG_ALL; flags += flags < 1024 ? 1 : flags < 65536 ? 37 : 4093) {
    struct confinement confinement = {.flags = flags};
    struct filter filter;
    build(&filter, &confinement, 0);
    if (filter.size > MAX_CODE) return 5;
    if (filter.size > longest) longest = filter.size;
    for (int number = 0; number < 700; number++, checked++) {
      struct call_data data = {.number = number, .machine = THIS_MACHINE};
      uint32_t seen = run(&filter, &data), wanted = expected(flags, number);
      // Building the parts for each of them takes long.
      uint32_t in_parts = flags % 16 == 0 ? run_in_parts(&confinement, &data) : seen;
      if (seen == wanted && in_parts == seen) continue;
      printf("flags %u, call %d: %x and in parts %x instead of %x\n", flags, number, seen, in_parts, wanted);
      return 1;
    }
    struct call_data other = {.number = SYS_ptrace, .machine = 0x40000003};
    if (run(&filter, &other) != KILL || run_in_parts(&confinement, &other) != KILL) return 6;
  }
  printf("%lu calls, at most %lu instructions\n", checked, longest);
  return 0;
}
