// A confinement: what a command may access. Parsed from the request, applied between fork and exec, reported step by step.
// A step that fails aborts the start, unless the request marks it as optional: then it is reported as missing.

#ifndef HARDSHELL_CONFINE_H
#define HARDSHELL_CONFINE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Part of the protocol: bit numbers of `optional` and `held`. */
enum confine_step {
  CONFINE_NONE = 0,
  CONFINE_NAMESPACES = 1,
  CONFINE_IDENTITY = 2,
  CONFINE_MOUNTS = 3,
  CONFINE_PROC = 4,
  CONFINE_TERMINALS = 5,
  CONFINE_LOOPBACK = 6,
  CONFINE_CAPABILITIES = 7,
  CONFINE_NO_NEW_PRIVILEGES = 8,
  CONFINE_FILES = 9,
  CONFINE_REFER = 10,
  CONFINE_TRUNCATE = 11,
  CONFINE_DEVICE_IOCTL = 12,
  CONFINE_PORTS = 13,
  CONFINE_SCOPE = 14,
  CONFINE_SYSTEM_CALLS = 15,
  CONFINE_LISTENERS = 16,
  CONFINE_BROKER = 17,
  CONFINE_SOCKETS = 18,
  /** Optional: where an overlay cannot be mounted, its names are hidden by mounts. */
  CONFINE_OVERLAYS = 19,
  /** Never missing: the filter and the supervisor refuse the same sockets on every kernel. */
  CONFINE_SOCKET_FILES = 20,
  /** Never optional: a command without its stage needs another plan. */
  CONFINE_STAGE = 21,
  CONFINE_STEPS = 22,
};

enum confine_flag {
  /** User, mount, pid, ipc and uts namespaces; a command inside has our init above it. */
  CONFINE_IN_NAMESPACES = 1,
  /** Also a network namespace, with only its loopback. */
  CONFINE_OWN_NETWORK = 2,
  /** A private /dev/pts. */
  CONFINE_OWN_TERMINALS = 4,
  /** Only unix sockets. */
  CONFINE_NO_INET = 8,
  /** Only connected pairs of unix sockets. */
  CONFINE_PAIRS_ONLY = 16,
  /** Only TCP to listed ports, and nothing else over IP. */
  CONFINE_LISTED_CONNECT = 32,
  CONFINE_LISTED_BIND = 64,
  /** Also reading and executing only by list. */
  CONFINE_LISTED_READ = 128,
  /** No System V or POSIX message queues, semaphores and shared memory: there is no namespace for them. */
  CONFINE_NO_SHARED_IPC = 256,
  CONFINE_FILES_LISTED = 512,
  /** The host's network, TCP only: the supervisor itself connects and binds, to listed ports on loopback. */
  CONFINE_BROKERED = 1024,
  /** Unix sockets connect to listed paths, through the supervisor. Needs CONFINE_PAIRS_ONLY. */
  CONFINE_LISTED_UNIX = 2048,
  /** Attempts to change files are reported; they decide nothing. */
  CONFINE_OBSERVE_WRITES = 4096,
  /** So are attempts to read, execute and connect. */
  CONFINE_OBSERVE_ALL = 8192,
  /** Refused calls that change files are reported; nothing is decided by that. */
  CONFINE_REPORT_CHANGES = 16384,
  /** So are refused connections and signals. */
  CONFINE_REPORT_CONTACTS = 32768,
  /** Unix stream sockets may be created, and connect to those of the same network namespace and to listed paths, through the
   * supervisor. Needs CONFINE_OWN_NETWORK and CONFINE_PAIRS_ONLY. */
  CONFINE_OWN_UNIX = 65536,
  /** The network of its world: the supervisor connects for it. Needs CONFINE_OWN_NETWORK. */
  CONFINE_IN_WORLD = 131072,
  /** Settings of git are replaced by the supervisor, if the new ones run nothing; see settings.c. */
  CONFINE_JUDGE_SETTINGS = 262144,
  /** Changes of the writable folders go to a stage. Needs CONFINE_IN_NAMESPACES. */
  CONFINE_STAGED = 524288,
  /** They wait there for a person. */
  CONFINE_HOLD_CHANGES = 1048576,
  CONFINE_FLAG_ALL = 2097151,
  /** Can be in force before the command is known. */
  CONFINE_AHEAD = 1023 | CONFINE_REPORT_CHANGES | CONFINE_REPORT_CONTACTS | CONFINE_OWN_UNIX | CONFINE_IN_WORLD,
};

/** Part of the protocol. */
enum confine_kind {
  /** The file or folder and everything below may be changed. */
  ENTRY_WRITE = 1,
  /** Below a writable one: may be read, not changed. Needs namespaces. */
  ENTRY_READ_ONLY = 2,
  /** Appears empty. Needs namespaces. */
  ENTRY_MASK = 3,
  /** A private empty folder. Needs namespaces. */
  ENTRY_EMPTY = 4,
  /** `from` is mounted at `path`, writable. Needs namespaces. */
  ENTRY_BIND = 5,
  ENTRY_DEVICE = 6,
  /** May be read and executed; only with CONFINE_LISTED_READ. */
  ENTRY_READ = 7,
  /** Names below may be listed; only with CONFINE_LISTED_READ. */
  ENTRY_LIST = 8,
  ENTRY_CONNECT_PORT = 9,
  ENTRY_BIND_PORT = 10,
  /** A listener on this port inside, passed to the host. Needs CONFINE_OWN_NETWORK, as the next one does. */
  ENTRY_LISTEN = 11,
  /** This port on this machine's loopback leads to the same port inside. */
  ENTRY_PUBLISH = 12,
  /** A socket file that may be connected to; only with CONFINE_LISTED_UNIX. */
  ENTRY_UNIX = 13,
  /** A name that does not exist, and must not be created by the command. */
  ENTRY_ABSENT = 14,
  /** Where files that appear under such a name are moved to. */
  ENTRY_QUARANTINE = 15,
  /** Names to hide that do not exist: several paths, each ends in NUL. */
  ENTRY_UNSEEN = 16,
  /** A writable folder in which nothing that controls what runs may be left behind; see sweep.c. */
  ENTRY_SWEEP = 17,
  /** Controls what runs, and stays: it existed before, or was allowed. */
  ENTRY_KEPT = 18,
  /** Like ENTRY_SWEEP, if not everything that existed before is known. */
  ENTRY_SWEEP_PARTLY = 19,
  /** Names, each with a slash before it, as lists of paths: names removed from swept folders if new ("/.vscode",
   * "/.github/hooks"), folders below which they stay, and folders that the plan has not searched. */
  ENTRY_SWEEP_TAKEN = 20,
  ENTRY_SWEEP_PACKAGES = 21,
  ENTRY_SWEEP_UNSEARCHED = 22,
  /** A folder outside of the writable ones that is seen through a read-only overlay. Needs namespaces, as the next one does. */
  ENTRY_OVERLAY = 23,
  /** Names below such a folder that its overlay hides, whether they exist or not: a list of paths. */
  ENTRY_COVERED = 24,
  /** A settings file of git that the supervisor may change; only with CONFINE_JUDGE_SETTINGS, or that the gate judges. With ENTRY_ABSENT for the same
   * path: it may be created, and stays if it runs nothing. */
  ENTRY_SETTINGS = 25,
  /** Settings that may change there, as a list: "/remote", "/user.name". */
  ENTRY_SETTING_NAMES = 26,
  /** A listener on this port inside; its connections go to the same port on this machine's loopback. Needs CONFINE_OWN_NETWORK. */
  ENTRY_HOST_PORT = 27,
  /** A writable folder whose changes go to a stage: `from` is its folder there. Needs namespaces. */
  ENTRY_STAGE = 28,
  /** Names below such a folder that the command must not change, whether they exist or not: a list of paths. */
  ENTRY_GUARDED = 29,
  ENTRY_KINDS,
};

#define MAX_CONFINE_ENTRIES 8192
/** Passed in one message. */
#define MAX_LISTENERS 32
/** In a shared network there is a second descriptor for each, which keeps its port. */
#define MAX_LISTENER_FDS (2 * MAX_LISTENERS)

struct confine_entry {
  enum confine_kind kind;
  const char *path, *from;
  /** The end of a list of paths. */
  const char *end;
  uint16_t port;
  /** A detached mount, while mounts are being made. */
  int fd;
  /** The overlay could not be mounted: names below are hidden by mounts. */
  int is_masked;
  /** A listed socket in a folder that the command can change: which file it was at the start. */
  int is_pinned;
  uint64_t device, inode;
};

struct confinement {
  /** The field as received: two identical ones are the same confinement. */
  const uint8_t *bytes;
  size_t size;
  uint32_t flags, optional;
  struct confine_entry *entries;
  size_t count;
};

struct confine_report {
  /** The step that failed, and why. */
  int32_t step, error;
  uint32_t held, missing;
  int32_t why[CONFINE_STEPS];
};

struct confine_identity {
  uid_t uid;
  gid_t gid;
};

// confine-request.c
/** NULL if valid, otherwise the error. The paths point into `bytes`. */
const char *confine_parse(struct confinement **confinement, uint8_t *bytes, size_t size);
/** Whether entries of this kind hold several paths, up to `end`. */
int confine_is_list(enum confine_kind kind);
/** The next path of such a list. */
const char *confine_next_path(const char *path);
/** The overlay above a path; NULL = none. Overlays are never inside of each other. */
struct confine_entry *confine_overlay_of(const struct confinement *confinement, const char *path);
int confine_is_below(const char *path, const char *folder);
/** Whether everything at and below entries of this kind may be changed. */
int confine_is_writable(enum confine_kind kind);
/** Whether entries of this kind are mounts, other than devices and overlays. */
int confine_is_laid(enum confine_kind kind);
/** Whether entries of this kind are listeners inside. */
int confine_is_listener(enum confine_kind kind);
/** How many entries are of a kind. */
size_t confine_count(const struct confinement *confinement, enum confine_kind kind);
void confine_free(struct confinement *confinement);

/** For messages: the name of a step. */
const char *confine_step_name(int step);

// confine.c
/** Records a step: 0 if the start continues. `error` 0 = it is enforced. */
int confine_note(const struct confinement *confinement, struct confine_report *report, enum confine_step step, int error);
/** In the child, last before exec: privileges, Landlock, seccomp. `notify`: -1, or where the filter's notifications arrive. */
int confine_restrict(const struct confinement *confinement, struct confine_report *report, int *notify);
/** Its two parts: privileges and Landlock, which the processes of a room share; and seccomp. */
int confine_restrict_files(const struct confinement *confinement, struct confine_report *report);
int confine_filter(const struct confinement *confinement, struct confine_report *report, int *notify);
/** No capabilities, now or later. 0 or an errno. */
int confine_drop_privileges(void);
/** O_PATH without following links; -1 and ELOOP if there is one. */
int confine_open(const char *path);

/** Results of the steps that need no request: 0 or an errno. */
struct confine_arrival {
  int identity, proc, loopback;
};

// confine-namespaces.c
int confine_clone_flags(uint32_t flags);
/** In the first process of a user namespace: its numbers are those outside; 0 or an errno. */
int confine_take_identity(const struct confine_identity *identity);
/** 0 or an errno. */
int confine_raise_loopback(void);
/** In the first process of the namespaces, what is common to every confinement: identity, /proc, loopback. The loopback of a
 * shared network was raised when it was made, and in a user namespace that was entered there is an identity: then it is NULL. */
void confine_arrive(uint32_t flags, int is_shared, const struct confine_identity *identity, struct confine_arrival *arrival);
/** Then the rest: mounts and terminals. */
int confine_enter(const struct confinement *confinement, const struct confine_arrival *arrival,
                  struct confine_report *report);

// confine-overlay.c
/** The name of our overlays in the mount table. */
#define OVERLAY_SOURCE "hardshell"
/** Opens a detached mount for each overlay, and marks those that the kernel refuses; `missing`: 0, or the first reason.
 * 0, or an error after which nothing may run. */
int confine_open_overlays(const struct confinement *confinement, int *missing);

// stage-mount.c
/** Opens a detached overlay for each staged folder; 0 or an errno. */
int confine_open_stages(const struct confinement *confinement);

// confine-landlock.c
int confine_landlock(const struct confinement *confinement, struct confine_report *report);

// confine-seccomp.c
/** Whether some calls notify the supervisor. */
int confine_is_notified(const struct confinement *confinement);
/** Whether the supervisor itself makes the connections; then no connection is made in another way. */
int confine_connects(uint32_t flags);
/** In a process that forks those of commands: what each of them is refused, so that only the rest is installed for each. 0 or an errno. */
int confine_seccomp_ahead(const struct confinement *confinement);
/** 0 or an errno. */
int confine_seccomp(const struct confinement *confinement, int *notify);

// confine-listen.c
/** Whether a listener needs a privilege that is dropped once the confinement is in force: a port below 1024. */
int confine_listens_low(const struct confinement *confinement);
/** In the first process of the namespaces: opens the listeners of ENTRY_LISTEN and ENTRY_HOST_PORT, in their order; the number of descriptors, or -1 with errno.
 * In a network that is shared with other commands they are at a private address, at any port; after them come the sockets that keep these ports. */
int confine_listen(const struct confinement *confinement, int is_shared, int fds[MAX_LISTENER_FDS]);

#endif
