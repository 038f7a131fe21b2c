// Numbers and structures of the kernel that older headers, and those of musl, lack. From 424 on, system calls
// have the same number on every machine.

#ifndef HARDSHELL_CONFINE_CALLS_H
#define HARDSHELL_CONFINE_CALLS_H

#include <stdint.h>
#include <sys/syscall.h>

#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#ifndef SYS_move_mount
#define SYS_move_mount 429
#endif
#ifndef SYS_fsopen
#define SYS_fsopen 430
#define SYS_fsconfig 431
#define SYS_fsmount 432
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

#define RESOLVE_NO_MAGICLINKS 0x02u
#define RESOLVE_NO_SYMLINKS 0x04u
#define RESOLVE_IN_ROOT 0x10u

struct open_how {
  uint64_t flags, mode, resolve;
};

struct mount_attributes {
  uint64_t set, clear, propagation, user_namespace;
};

struct file_time {
  int64_t seconds;
  uint32_t nanoseconds;
  int32_t reserved;
};

/** What statx(2) fills in. */
struct file_status {
  uint32_t mask, block_size;
  uint64_t attributes;
  uint32_t links, uid, gid;
  uint16_t mode, reserved;
  uint64_t inode, size, blocks, attributes_mask;
  struct file_time accessed, made, changed, modified;
  uint32_t special_major, special_minor, device_major, device_minor;
  uint64_t more[14];
};

#define FILE_STATUS_BASIC 0x7ffu
#define FILE_STATUS_MADE 0x800u

#define OPEN_TREE_CLONE 1u
#define OPEN_TREE_CLOEXEC 02000000u
#define MOVE_MOUNT_F_EMPTY_PATH 0x04u
#define MOVE_MOUNT_T_EMPTY_PATH 0x40u
#define FSOPEN_CLOEXEC 1u
#define FSMOUNT_CLOEXEC 1u
#define CONFIG_SET_FLAG 0u
#define CONFIG_SET_TEXT 1u
#define CONFIG_CREATE 6u
#define MOUNT_ATTR_RDONLY 0x01u
#define MOUNT_ATTR_NOSUID 0x02u
#define MOUNT_ATTR_NODEV 0x04u
#define MOUNT_ATTR_NOEXEC 0x08u
#define AT_WHOLE_TREE 0x8000u

#endif
