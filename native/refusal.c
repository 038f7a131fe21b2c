// A call that waits in the filter → a report, if the kernel will refuse it because of the sandbox: the mount is read-only or no
// Landlock rule covers it, and the user could do it outside. The call continues in any case; a caller that changes its memory
// or its folders at the same time can only make a report wrong or missing.

#define _GNU_SOURCE
#include "refusal.h"
#include "address.h"
#include "asked-name.h"
#include "confine-calls.h"
#include "observe-calls.h"
#include "refusal-path.h"
#include "world.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PROC_FILES 0x9fa0
#define IS_MOUNT_ROOT 0x2000u
#define MOUNT_NUMBER 0x1000u
#define LISTENS 0x0a
#define DNS_PORT 53
/** RFC 1035: at most 255 bytes. */
#define MAX_NAME 256

enum { NOTE_PLAIN = 1, NOTE_SPECIAL = 2 };

struct attempt {
  enum observed what;
  /** For open: its flags. */
  uint64_t flags;
  int follows;
  /** Of a deletion: whether it is for folders, or for everything else. A name that is moved can be either. */
  int is_rmdir, is_unlink;
};

void refusal_end(void) { place_end(); }

static int is_at_or_below(const char *path, const char *folder) {
  size_t length = strlen(folder);
  if (length == 1) return 1;
  return strncmp(path, folder, length) == 0 && (path[length] == 0 || path[length] == '/');
}

static int is_directly_in(const char *path, const char *folder) {
  size_t length = strlen(folder);
  if (length == 1) length = 0;
  return strncmp(path, folder, length) == 0 && path[length] == '/' && strchr(path + length + 1, '/') == NULL;
}

/** Whether names in this folder can be on another mount: then each name is checked. */
static int has_mounts(const struct confinement *confinement, const char *folder) {
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    int is_laid = confine_is_laid(entry->kind) || entry->kind == ENTRY_DEVICE;
    if (is_laid && is_directly_in(entry->path, folder)) return 1;
  }
  return 0;
}

static int is_listed(const struct confinement *confinement, const char *path) {
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if ((confine_is_writable(entry->kind) || entry->kind == ENTRY_DEVICE) && is_at_or_below(path, entry->path)) return 1;
  }
  return 0;
}

/** The current target of the name; 0 if it does not exist. */
struct target {
  int exists;
  struct stat status;
  unsigned long mount_flags;
  int is_mount;
};

static void look_at(const struct place *place, struct target *target) {
  struct file_status more;
  struct statfs mount;
  memset(target, 0, sizeof *target);
  int fd = openat(place->folder, place->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  target->exists = fstat(fd, &target->status) == 0 && fstatfs(fd, &mount) == 0;
  target->mount_flags = target->exists ? (unsigned long)mount.f_flags : 0;
  if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, 0, &more) == 0)
    target->is_mount = (more.attributes & IS_MOUNT_ROOT) != 0;
  close(fd);
}

static int is_device(const struct stat *status) { return S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode); }

static int changes_content(const struct attempt *attempt) { return (attempt->flags & (O_ACCMODE | O_TRUNC)) != 0; }

/** An enum refused, or 0; `is_open`: whether the sandbox allows changes of content, names and attributes here. */
static int judge_open(const struct attempt *attempt, const struct target *target, int is_open, int is_folder_open) {
  if (!target->exists) return (attempt->flags & O_CREAT) && !is_folder_open ? REFUSED_CREATE : 0;
  if ((attempt->flags & O_CREAT) && (attempt->flags & O_EXCL)) return 0;
  if (S_ISDIR(target->status.st_mode)) return (attempt->flags & (unsigned)O_TMPFILE & ~(unsigned)O_DIRECTORY) && !is_open ? REFUSED_CREATE : 0;
  if (!changes_content(attempt)) return 0;
  // Mounts decide whether a device may be opened at all.
  if (is_device(&target->status)) return target->mount_flags & ST_NODEV ? REFUSED_WRITE : 0;
  return S_ISREG(target->status.st_mode) && !is_open ? REFUSED_WRITE : 0;
}

static int judge(const struct attempt *attempt, const struct target *target, int is_open, int is_folder_open, int replaces) {
  switch (attempt->what) {
    case OBSERVED_WRITE: return judge_open(attempt, target, is_open, is_folder_open);
    case OBSERVED_CREATE:
      if (target->exists && !replaces) return 0;
      return !is_folder_open || target->is_mount ? REFUSED_CREATE : 0;
    case OBSERVED_DELETE: return target->exists && (!is_folder_open || target->is_mount) ? REFUSED_DELETE : 0;
    case OBSERVED_CHANGE: return target->exists && !is_open ? REFUSED_CHANGE : 0;
    default: return 0;
  }
}

// If the user could not do it outside either, the sandbox is not the reason. The path is the same outside: folders that the
// command sees under another path are writable.
static int could_outside(int refused, const char *folder, const char *path) {
  struct statvfs mount;
  struct stat status;
  if (refused == REFUSED_CREATE || refused == REFUSED_DELETE) return faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0;
  if (refused == REFUSED_WRITE) return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
  if (stat(path, &status) < 0 || statvfs(path, &mount) < 0 || mount.f_flag & ST_RDONLY) return 0;
  return geteuid() == 0 || geteuid() == status.st_uid;
}

static int is_empty_folder(const char *path) {
  DIR *folder = opendir(path);
  if (folder == NULL) return 0;
  int count = 0;
  while (count < 3 && readdir(folder) != NULL) count++;
  closedir(folder);
  return count < 3;
}

// Programs try to remove each folder that may have become empty, and unlink what may be a folder.
static int fits_kind(const struct attempt *attempt, const struct target *target, const char *path) {
  int is_folder = S_ISDIR(target->status.st_mode);
  if (attempt->is_rmdir) return is_folder && is_empty_folder(path);
  return !(attempt->is_unlink && is_folder);
}

static int is_in_proc(int folder) {
  struct statfs status;
  return fstatfs(folder, &status) == 0 && status.f_type == PROC_FILES;
}

static void judge_place(struct task *task, const struct place *place, const struct attempt *attempt, int replaces) {
  static char folder[PATH_MAX], path[PATH_MAX + NAME_MAX + 2];
  const struct confinement *confinement = task->request.confinement;
  int is_inside = (confinement->flags & CONFINE_IN_NAMESPACES) != 0;
  int is_writable = !(place->mount_flags & ST_RDONLY);
  if (is_inside && is_writable && *place->note == NOTE_PLAIN) return;
  if (place_name(place->folder, folder, sizeof folder) != 0) return;
  if (is_inside && *place->note == 0) *place->note = has_mounts(confinement, folder) ? NOTE_SPECIAL : NOTE_PLAIN;
  if (is_inside && is_writable && *place->note == NOTE_PLAIN) return;
  // Landlock does not cover modes, owners and times.
  if ((!is_inside && attempt->what == OBSERVED_CHANGE) || is_in_proc(place->folder)) return;
  struct target target;
  snprintf(path, sizeof path, "%s/%s", folder[1] == 0 ? "" : folder, place->name);
  look_at(place, &target);
  int is_open = is_inside ? !(target.mount_flags & ST_RDONLY) : is_listed(confinement, path);
  int is_folder_open = is_inside ? is_writable : is_listed(confinement, folder);
  if (!is_inside) target.is_mount = 0;
  int refused = judge(attempt, &target, is_open, is_folder_open, replaces);
  if (refused == REFUSED_DELETE && !fits_kind(attempt, &target, path)) return;
  if (refused != 0 && could_outside(refused, folder, path)) report_refusal(task, refused, is_inside ? EROFS : EACCES, path);
}

static uint64_t flags_of(const struct observed_call *call, const struct notice *notice) {
  uint64_t flags = call->flags < 0 ? (uint64_t)(O_WRONLY | O_TRUNC) : notice->arguments[call->flags];
  if (call->number == SYS_openat2 && notice_read(notice, notice->arguments[2], &flags, sizeof flags) != 0) return 0;
#ifdef SYS_creat
  if (call->number == SYS_creat) flags |= O_CREAT;
#endif
  return flags;
}

static int follows_link(const struct observed_call *call, const struct notice *notice, uint64_t flags) {
  switch (call->number) {
    case SYS_fchownat: return !(notice->arguments[4] & AT_SYMLINK_NOFOLLOW);
    case SYS_fchmodat2:
    case SYS_utimensat: return !(notice->arguments[3] & AT_SYMLINK_NOFOLLOW);
    case SYS_lsetxattr:
    case SYS_lremovexattr: return 0;
#ifdef SYS_lchown
    case SYS_lchown: return 0;
#endif
    default: break;
  }
  if (call->what == OBSERVED_CHANGE) return 1;
  return call->what == OBSERVED_WRITE && !(flags & O_NOFOLLOW) && !((flags & O_CREAT) && (flags & O_EXCL));
}

static int is_renaming(int number) {
  const int *known = RENAMES;
  while (*known != -1 && *known != number) known++;
  return *known == number;
}

static int is_for_folders(const struct notice *notice) {
#ifdef SYS_rmdir
  if (notice->number == SYS_rmdir) return 1;
#endif
  return notice->number == SYS_unlinkat && (notice->arguments[2] & AT_REMOVEDIR);
}

static int find_place(const struct notice *notice, const struct observed_call *call, int follows, struct place *place) {
  static char path[PATH_MAX];
  int folder = call->folder < 0 ? AT_FDCWD : (int)notice->arguments[call->folder];
  if (notice_read_text(notice, notice->arguments[call->path], path, sizeof path) < 0) return errno;
  return place_find(notice, folder, path, follows, place);
}

static int is_plain(const struct task *task, const struct place *place) {
  return (task->request.confinement->flags & CONFINE_IN_NAMESPACES) && !(place->mount_flags & ST_RDONLY) && *place->note == NOTE_PLAIN;
}

static uint64_t mount_of(const struct place *place) {
  struct file_status status;
  return syscall(SYS_statx, place->folder, "", AT_EMPTY_PATH, MOUNT_NUMBER, &status) < 0 ? 0 : status.more[0];
}

static void check_path(struct task *task, const struct notice *notice, const struct observed_call *call, int replaces) {
  struct place place;
  uint64_t flags = flags_of(call, notice);
  struct attempt attempt = {.what = call->what, .flags = flags, .follows = follows_link(call, notice, flags)};
  if (attempt.what == OBSERVED_DELETE && !replaces) {
    attempt.is_rmdir = is_for_folders(notice);
    attempt.is_unlink = !attempt.is_rmdir;
  }
  if (attempt.what == OBSERVED_WRITE && !(flags & WRITING_FLAGS)) return;
  if (find_place(notice, call, attempt.follows, &place) == 0) judge_place(task, &place, &attempt, replaces);
}

// Between two mounts nothing is renamed: programs copy instead. That would be refused at its target; what is left at the source
// is deleted by a call of its own.
static void check_rename(struct task *task, const struct notice *notice, const struct observed_call *call) {
  struct place from, to;
  if (find_place(notice, call, 0, &from) != 0) return;
  int is_from_plain = is_plain(task, &from);
  uint64_t mount = is_from_plain ? 0 : mount_of(&from);
  if (find_place(notice, call + 1, 0, &to) != 0) return;
  if (is_from_plain && is_plain(task, &to)) return;
  int is_between = is_from_plain ? !is_plain(task, &to) && (to.mount_flags & ST_RDONLY) : mount != mount_of(&to);
  if (!is_between) check_path(task, notice, call, 1);
  check_path(task, notice, call + 1, 1);
}

void refusal_check_paths(struct task *task, const struct notice *notice) {
  const struct observed_call *call = OBSERVED_CALLS;
  while (call->number != -1 && call->number != notice->number) call++;
  if (call->number == -1 || call->what == OBSERVED_EXECUTE) return;
  if (is_renaming(call->number)) check_rename(task, notice, call);
  else check_path(task, notice, call, 0);
}

void refusal_check_signal(struct task *task, const struct notice *notice) {
  char target[64];
  pid_t pid = (pid_t)notice->arguments[0], process = pid < 0 ? -pid : pid;
  // -1 means all processes that the caller may signal, which are those inside.
  if (process <= 1 || tree_has(process) || kill(pid, 0) < 0) return;
  if (pid < 0 && getpgid(process) != process) return;
  snprintf(target, sizeof target, "process%s %d", pid < 0 ? " group" : "", process);
  report_refusal(task, REFUSED_SIGNAL, EPERM, target);
}

/** Whether a process listens on this loopback port, in the network namespace of the process with this entry in /proc. */
static int is_listening(const char *process, uint16_t port) {
  static const char *const FAMILIES[] = {"tcp", "tcp6"};
  char path[64], line[512];
  int found = 0;
  for (size_t i = 0; i < 2 && !found; i++) {
    snprintf(path, sizeof path, "/proc/%s/net/%s", process, FAMILIES[i]);
    FILE *file = fopen(path, "re");
    if (file == NULL) continue;
    while (!found && fgets(line, sizeof line, file) != NULL) {
      unsigned local, state;
      char host[33];
      found = sscanf(line, " %*d: %32[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x", host, &local, &state) == 3 && local == port &&
              state == LISTENS && !(i == 0 && htonl((uint32_t)strtoul(host, NULL, 16)) == WORLD_PRIVATE_ADDRESS);
    }
    fclose(file);
  }
  return found;
}

/** A port on which hardshell itself listens for this command, outside or inside. The list of the kernel need not be read then,
 * which takes milliseconds on a machine with much memory. */
static int is_ours(const struct confinement *confinement, uint16_t port) {
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (entry->port == port && (entry->kind == ENTRY_PUBLISH || confine_is_listener(entry->kind))) return 1;
  }
  return 0;
}

/** To connect such a socket sends nothing: `getaddrinfo` does it to sort addresses, also for those to listen on. */
static int is_datagram(const struct notice *notice) {
  int type = 0, fd = notice_descriptor(notice, (int)notice->arguments[0]);
  socklen_t size = sizeof type;
  if (fd < 0) return 0;
  int is_known = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
  close(fd);
  return is_known && type == SOCK_DGRAM;
}

static int is_routed(const struct spawned *command, uint16_t port) {
  for (size_t i = 0; i < command->route_count; i++)
    if (command->routes[i].port == port || command->routes[i].listener == port) return 1;
  return 0;
}

/** By its description, which has no port if the address is too short. */
static int is_port_zero(const char *target) {
  const char *colon = strrchr(target, ':');
  return colon != NULL && strcmp(colon, ":0") == 0;
}

static uint16_t port_of(const union address *address) {
  return ntohs(address->any.sa_family == AF_INET ? address->old.sin_port : address->new.sin6_port);
}

// What is asked says more than who is asked. `search` in resolv.conf makes one name several: the first one is meant.
static void name_question(const struct notice *notice, char *target, size_t size) {
  static char first[MAX_NAME];
  static uint32_t asking;
  char name[MAX_NAME], server[128];
  if (!asked_name(notice, name, sizeof name)) return;
  size_t length = strlen(first);
  int is_longer = asking == notice->pid && length > 0 && strncmp(name, first, length) == 0 && name[length] == '.';
  if (!is_longer) snprintf(first, sizeof first, "%s", name);
  asking = notice->pid;
  snprintf(server, sizeof server, "%.127s", target);
  snprintf(target, size, "%s via %s", first, server);
}

void refusal_check_connect(struct task *task, const struct notice *notice, const union address *tried, socklen_t size) {
  union address address = *tried;
  char target[PATH_MAX], process[16];
  uint16_t port = 0;
  if (address.any.sa_family != AF_INET && address.any.sa_family != AF_INET6) return;
  address_describe(&address, size, target, sizeof target);
  // All of 127.0.0.0/8 is loopback.
  if (address.any.sa_family == AF_INET && (ntohl(address.old.sin_addr.s_addr) >> 24) == 127)
    address.old.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (address_make_loopback(&address, &size, &port)) {
    snprintf(process, sizeof process, "%u", notice->pid);
    if (port == 0 || is_ours(task->request.confinement, port) || is_routed(&task->command, port) || is_datagram(notice)) return;
    if (is_listening(process, port) || !is_listening("self", port)) return;
  }
  // Programs connect to port 0 to find out which local address they would use.
  else if (is_port_zero(target)) return;
  if (port_of(tried) == DNS_PORT) name_question(notice, target, sizeof target);
  report_refusal(task, REFUSED_CONNECT, ENETUNREACH, target);
}
