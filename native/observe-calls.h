// System calls that take paths, and where their paths are: the calls that are observed.

#ifndef HARDSHELL_OBSERVE_CALLS_H
#define HARDSHELL_OBSERVE_CALLS_H

#include "confine-calls.h"
#include <sys/syscall.h>

/** Part of the protocol. */
enum observed {
  OBSERVED_WRITE = 1,
  OBSERVED_CREATE = 2,
  OBSERVED_DELETE = 3,
  OBSERVED_CHANGE = 4,
  OBSERVED_READ = 5,
  OBSERVED_EXECUTE = 6,
  OBSERVED_CONNECT = 7,
};

/** `folder` is -1 if paths are relative to the caller's own; `flags` is -1 if none matter. */
struct observed_call {
  int number;
  enum observed what;
  int folder, path, flags;
};

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

/** A call with two paths has two rows. Ends in -1. */
static const struct observed_call OBSERVED_CALLS[] = {
#ifdef SYS_open
    {SYS_open, OBSERVED_WRITE, -1, 0, 1},
    {SYS_creat, OBSERVED_WRITE, -1, 0, -1},
    {SYS_mkdir, OBSERVED_CREATE, -1, 0, -1},
    {SYS_mknod, OBSERVED_CREATE, -1, 0, -1},
    {SYS_rmdir, OBSERVED_DELETE, -1, 0, -1},
    {SYS_unlink, OBSERVED_DELETE, -1, 0, -1},
    {SYS_rename, OBSERVED_DELETE, -1, 0, -1},
    {SYS_rename, OBSERVED_CREATE, -1, 1, -1},
    {SYS_link, OBSERVED_CREATE, -1, 1, -1},
    {SYS_symlink, OBSERVED_CREATE, -1, 1, -1},
    {SYS_chmod, OBSERVED_CHANGE, -1, 0, -1},
    {SYS_chown, OBSERVED_CHANGE, -1, 0, -1},
    {SYS_lchown, OBSERVED_CHANGE, -1, 0, -1},
    {SYS_utime, OBSERVED_CHANGE, -1, 0, -1},
    {SYS_utimes, OBSERVED_CHANGE, -1, 0, -1},
    {SYS_futimesat, OBSERVED_CHANGE, 0, 1, -1},
#endif
    {SYS_openat, OBSERVED_WRITE, 0, 1, 2},
    // Its flags are in memory.
    {SYS_openat2, OBSERVED_WRITE, 0, 1, 2},
    {SYS_truncate, OBSERVED_WRITE, -1, 0, -1},
    {SYS_mkdirat, OBSERVED_CREATE, 0, 1, -1},
    {SYS_mknodat, OBSERVED_CREATE, 0, 1, -1},
    {SYS_unlinkat, OBSERVED_DELETE, 0, 1, -1},
#ifdef SYS_renameat
    {SYS_renameat, OBSERVED_DELETE, 0, 1, -1},
    {SYS_renameat, OBSERVED_CREATE, 2, 3, -1},
#endif
    {SYS_renameat2, OBSERVED_DELETE, 0, 1, -1},
    {SYS_renameat2, OBSERVED_CREATE, 2, 3, -1},
    {SYS_linkat, OBSERVED_CREATE, 2, 3, -1},
    {SYS_symlinkat, OBSERVED_CREATE, 1, 2, -1},
    {SYS_fchmodat, OBSERVED_CHANGE, 0, 1, -1},
    {SYS_fchmodat2, OBSERVED_CHANGE, 0, 1, -1},
    {SYS_fchownat, OBSERVED_CHANGE, 0, 1, -1},
    {SYS_utimensat, OBSERVED_CHANGE, 0, 1, -1},
    {SYS_setxattr, OBSERVED_CHANGE, -1, 0, -1},
    {SYS_lsetxattr, OBSERVED_CHANGE, -1, 0, -1},
    {SYS_removexattr, OBSERVED_CHANGE, -1, 0, -1},
    {SYS_lremovexattr, OBSERVED_CHANGE, -1, 0, -1},
    {SYS_execve, OBSERVED_EXECUTE, -1, 0, -1},
    {SYS_execveat, OBSERVED_EXECUTE, 0, 1, -1},
    {-1, OBSERVED_READ, -1, -1, -1},
};

/** Those that rename; ends in -1. */
static const int RENAMES[] = {
#ifdef SYS_rename
    SYS_rename,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
    SYS_renameat2,
    -1,
};

/** Those that give a file another name; ends in -1. */
static const int LINKS[] = {
#ifdef SYS_link
    SYS_link,
#endif
    SYS_linkat,
    -1,
};

/** Flags of open that may change something: O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, and the bit of O_TMPFILE. */
#define WRITING_FLAGS (01u | 02u | 0100u | 01000u | 020000000u)

#endif
