// filter-check: runs the filter of every set of flags as the kernel would, on every number, against the lists themselves.

#include "../../native/confine-seccomp.c"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int has(const int *list, int number) {
  for (; *list != -1; list++)
    if (*list == number) return 1;
  return 0;
}

// With all arguments 0: no flag is set, the domain is AF_UNSPEC, and the process is the caller itself.
static uint32_t expected(uint32_t flags, int number) {
  int is_refused = has(REFUSED, number) || ((flags & CONFINE_NO_SHARED_IPC) && has(SHARED_IPC, number)) ||
                   ((flags & CONFINE_LISTED_BIND) && number == SYS_listen) || number == SYS_socket || number == SYS_socketpair;
  return number == 435 ? REFUSE(ENOSYS) : is_refused ? REFUSE(EPERM) : ALLOW;
}

int main(void) {
  unsigned long checked = 0, longest = 0;
  for (uint32_t flags = 0; flags <= CONFINE_FLAG_ALL; flags++) {
    struct confinement confinement = {.flags = flags};
    struct filter filter = {.size = 0};
    build(&filter, &confinement);
    if (filter.size > MAX_CODE) return 5;
    if (filter.size > longest) longest = filter.size;
    for (int number = 0; number < 700; number++, checked++) {
      struct call_data data = {.number = number, .machine = THIS_MACHINE};
      uint32_t seen = run(&filter, &data), wanted = expected(flags, number);
      if (seen == wanted) continue;
      printf("flags %u, call %d: %x instead of %x\n", flags, number, seen, wanted);
      return 1;
    }
    struct call_data other = {.number = SYS_ptrace, .machine = 0x40000003};
    if (run(&filter, &other) != KILL) return 6;
  }
  printf("%lu calls, at most %lu instructions\n", checked, longest);
  return 0;
}
