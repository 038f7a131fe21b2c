// Landlock, feature by feature: the kernel reports which it has, and each missing one is a separate step.
// Only rights that the kernel knows are handled: a right that is handled and not granted is denied.

#define _GNU_SOURCE
#include "confine.h"
#include "confine-calls.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define RULESET_VERSION 1u
#define RULE_PATH 1
#define RULE_PORT 2

#define FS_EXECUTE (1ull << 0)
#define FS_WRITE_FILE (1ull << 1)
#define FS_READ_FILE (1ull << 2)
#define FS_READ_DIR (1ull << 3)
/** Removing and creating everything, including device nodes. */
#define FS_CHANGE_NAMES 0x1ff0ull
#define FS_MAKE_CHAR (1ull << 6)
#define FS_MAKE_BLOCK (1ull << 11)
#define FS_REFER (1ull << 13)
#define FS_TRUNCATE (1ull << 14)
#define FS_IOCTL_DEV (1ull << 15)
/** Connections to socket files of processes outside of this confinement. Granted nowhere: the supervisor makes those that are allowed. */
#define FS_RESOLVE_UNIX (1ull << 16)
#define NET_BIND_TCP (1ull << 0)
#define NET_CONNECT_TCP (1ull << 1)
#define SCOPE_ALL 3ull
/** Without signals. */
#define SCOPE_SOCKETS 1ull

/** Rights that a rule on a file, not a folder, may have. */
#define FS_OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define FS_READS (FS_EXECUTE | FS_READ_FILE | FS_READ_DIR)
#define FS_WRITES (FS_WRITE_FILE | (FS_CHANGE_NAMES & ~(FS_MAKE_CHAR | FS_MAKE_BLOCK)) | FS_REFER | FS_TRUNCATE)

struct ruleset {
  uint64_t fs, net, scoped;
};

struct path_rule {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));

struct port_rule {
  uint64_t allowed, port;
};

static int is_handled(uint64_t ruleset, uint64_t right) { return (ruleset & right) != 0; }

static uint64_t rights_of(enum confine_kind kind) {
  switch (kind) {
    case ENTRY_WRITE:
    case ENTRY_STAGE:
    case ENTRY_EMPTY:
    case ENTRY_BIND: return FS_READS | FS_WRITES;
    case ENTRY_DEVICE: return FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV;
    case ENTRY_READ: return FS_READS;
    case ENTRY_LIST: return FS_READ_DIR;
    default: return 0;
  }
}

// Missing paths are skipped; their parents are never granted instead.
static int add_path(int rules, const struct ruleset *handled, const char *path, uint64_t rights) {
  struct stat status;
  struct path_rule rule = {rights & handled->fs, confine_open(path)};
  if (rule.parent < 0) return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
  int error = 0;
  if (fstat(rule.parent, &status) < 0) error = errno;
  else if (!S_ISDIR(status.st_mode)) rule.allowed &= FS_OF_FILES;
  if (error == 0 && rule.allowed != 0 && syscall(SYS_landlock_add_rule, rules, RULE_PATH, &rule, 0) < 0) error = errno;
  close(rule.parent);
  return error;
}

static int add_rules(int rules, const struct confinement *confinement, const struct ruleset *handled) {
  int error = 0;
  for (size_t i = 0; i < confinement->count && error == 0; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    uint64_t rights = rights_of(entry->kind);
    if (rights != 0 && handled->fs != 0) error = add_path(rules, handled, entry->path, rights);
    int is_bind = entry->kind == ENTRY_BIND_PORT;
    if (!is_bind && entry->kind != ENTRY_CONNECT_PORT) continue;
    // Only the supervisor connects and binds to these.
    if (confinement->flags & CONFINE_BROKERED) continue;
    struct port_rule rule = {is_bind ? NET_BIND_TCP : NET_CONNECT_TCP, entry->port};
    if (is_handled(handled->net, rule.allowed) && syscall(SYS_landlock_add_rule, rules, RULE_PORT, &rule, 0) < 0) error = errno;
  }
  // Terminals that belong only to this confinement.
  if (error == 0 && handled->fs != 0 && (confinement->flags & CONFINE_OWN_TERMINALS)) {
    error = add_path(rules, handled, "/dev/pts", rights_of(ENTRY_DEVICE));
    if (error == 0) error = add_path(rules, handled, "/dev/ptmx", rights_of(ENTRY_DEVICE));
  }
  return error;
}

static int enforce(const struct confinement *confinement, const struct ruleset *handled, long abi) {
  size_t size = abi >= 6 ? sizeof *handled : abi >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
  int rules = (int)syscall(SYS_landlock_create_ruleset, handled, size, 0);
  if (rules < 0) return errno;
  int error = add_rules(rules, confinement, handled);
  if (error == 0 && syscall(SYS_landlock_restrict_self, rules, 0) < 0) error = errno;
  close(rules);
  return error;
}

// 1 … as the kernel counts, or -1 with errno. Tests build keepers that only know older ones.
static long landlock_abi(void) {
  long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, RULESET_VERSION);
#ifdef CONFINE_NEWEST_ABI
  if (abi > CONFINE_NEWEST_ABI) abi = CONFINE_NEWEST_ABI;
#endif
  if (abi == 0) errno = EOPNOTSUPP;
  return abi > 0 ? abi : -1;
}

int confine_landlock(const struct confinement *confinement, struct confine_report *report) {
  uint32_t flags = confinement->flags;
  int wants_files = (flags & CONFINE_FILES_LISTED) != 0;
  int wants_ports = (flags & (CONFINE_LISTED_CONNECT | CONFINE_LISTED_BIND)) != 0;
  long abi = landlock_abi();
  int unknown = abi < 0 ? errno : 0;
  // A process namespace limits signals by itself, and may contain commands with domains of their own.
  uint64_t scope = flags & CONFINE_IN_NAMESPACES ? SCOPE_SOCKETS : SCOPE_ALL;
  struct ruleset handled = {0, 0, abi >= 6 ? scope : 0};
  if (wants_files && abi >= 1) {
    handled.fs = FS_WRITE_FILE | FS_CHANGE_NAMES | (flags & CONFINE_LISTED_READ ? FS_READS : 0);
    handled.fs |= (abi >= 2 ? FS_REFER : 0) | (abi >= 3 ? FS_TRUNCATE : 0) | (abi >= 5 ? FS_IOCTL_DEV : 0);
  }
  if (wants_files && abi >= 9 && (flags & CONFINE_PAIRS_ONLY)) handled.fs |= FS_RESOLVE_UNIX;
  if (abi >= 4 && (flags & (CONFINE_LISTED_CONNECT | CONFINE_BROKERED))) handled.net |= NET_CONNECT_TCP;
  if (abi >= 4 && (flags & (CONFINE_LISTED_BIND | CONFINE_BROKERED))) handled.net |= NET_BIND_TCP;
  int error = unknown;
  if (error == 0 && (handled.fs | handled.net | handled.scoped) != 0) error = enforce(confinement, &handled, abi);
  // One ruleset for all: if it cannot be enforced, none of its features is.
  const struct {
    enum confine_step step;
    int is_wanted;
    long since;
  } features[] = {
      {CONFINE_FILES, wants_files, 1},        {CONFINE_REFER, wants_files, 2}, {CONFINE_TRUNCATE, wants_files, 3},
      {CONFINE_DEVICE_IOCTL, wants_files, 5}, {CONFINE_PORTS, wants_ports, 4}, {CONFINE_SCOPE, 1, 6},
  };
  for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
    if (!features[i].is_wanted) continue;
    int failed = error != 0 ? error : abi < features[i].since ? ENOSYS : 0;
    if (confine_note(confinement, report, features[i].step, failed) < 0) return -1;
  }
  int has_socket_files = error == 0 && is_handled(handled.fs, FS_RESOLVE_UNIX);
  return has_socket_files ? confine_note(confinement, report, CONFINE_SOCKET_FILES, 0) : 0;
}
