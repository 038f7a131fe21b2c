// A stand-in for a container: the calls that a profile withholds fail with EPERM, for the program and all that it starts.
// usage: container PROFILE[,CALL...] PROGRAM ARG...   PROFILE: docker (its default profile, without capabilities) or none
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

struct call {
  const char *name;
  int number;
  int is_docker;
};

static const struct call calls[] = {
    {"unshare", SYS_unshare, 1},
    {"setns", SYS_setns, 1},
    {"mount", SYS_mount, 1},
    {"umount2", SYS_umount2, 1},
    {"pivot_root", SYS_pivot_root, 1},
    {"chroot", SYS_chroot, 0},
    {"sethostname", SYS_sethostname, 1},
    {"open_tree", 428, 1},
    {"move_mount", 429, 1},
    {"fsopen", 430, 1},
    {"fsconfig", 431, 1},
    {"fsmount", 432, 1},
    {"fspick", 433, 1},
    {"mount_setattr", 442, 1},
    {"bpf", SYS_bpf, 1},
    {"perf_event_open", SYS_perf_event_open, 1},
    {"userfaultfd", SYS_userfaultfd, 1},
    {"keyctl", SYS_keyctl, 1},
    {"add_key", SYS_add_key, 1},
    {"request_key", SYS_request_key, 1},
    {"kcmp", SYS_kcmp, 1},
    {"pidfd_getfd", 438, 1},
    {"process_madvise", 440, 1},
    {"io_uring_setup", 425, 1},
    {"io_uring_enter", 426, 1},
    {"io_uring_register", 427, 1},
    {"process_vm_readv", SYS_process_vm_readv, 0},
    {"process_vm_writev", SYS_process_vm_writev, 0},
    {"ptrace", SYS_ptrace, 0},
    {"landlock_create_ruleset", 444, 0},
    {"landlock_add_rule", 445, 0},
    {"landlock_restrict_self", 446, 0},
    {"seccomp", SYS_seccomp, 0},
    {"pidfd_open", 434, 0},
    {"pidfd_send_signal", 424, 0},
    {"close_range", 436, 0},
    {"openat2", 437, 0},
    {"memfd_create", SYS_memfd_create, 0},
};
#define COUNT (sizeof calls / sizeof *calls)
#define NEW_NAMESPACES 0x7E020000u

static int is_named(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
    if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == 0)) return 1;
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 3) return fprintf(stderr, "usage: container PROFILE[,CALL...] PROGRAM ARG...\n"), 2;
  int is_docker = is_named(argv[1], "docker");
  struct sock_filter filter[16 + 2 * COUNT];
  unsigned short n = 0;
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
  filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < COUNT; i++) {
    if (!is_named(argv[1], calls[i].name) && !(is_docker && calls[i].is_docker)) continue;
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i].number, 0, 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  }
  if (is_docker) {
    // Its flags cannot be read; libraries then use clone, whose flags can.
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 435, 0, 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 0, 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  }
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {n, filter};
  // Nobody's rights: a container of an unprivileged user has none that this filter would have to take away.
  if (getuid() == 0 && (setgid(61234) != 0 || setuid(61234) != 0)) return perror("setuid"), 1;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return perror("container"), 1;
  execvp(argv[2], argv + 2);
  perror(argv[2]);
  return 127;
}
