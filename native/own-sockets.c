// A socket file → whether its listener is in the caller's network namespace, as sock_diag(7) lists it. A path says nothing about
// that: path sockets are found by their inode, in all network namespaces. The file stays pinned by its descriptor, and `bind`
// always creates a new inode, so neither renames nor links change the answer. Refuses whatever it cannot tell.

#define _GNU_SOURCE
#include "own-sockets.h"
#include "descriptors.h"
#include "keeper.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define DIAG_PROTOCOL 4
#define DIAG_BY_FAMILY 20u
#define REQUEST_DUMP 0x301u
#define REPLY_ERROR 2u
#define REPLY_DONE 3u
#define SHOW_FILE 2u
#define ATTRIBUTE_FILE 1u
#define LISTENING (1u << 10)
#define NETNS_COOKIE 71
#define NETNS_OF_SOCKET 0x894cul
/** Inode numbers of 32 bits, and the device that stat(2) shows is that of the file system. */
#define EXT_FILES 0xef53
#define TMPFS_FILES 0x01021994
#define XFS_FILES 0x58465342
/** About 40,000 listening sockets: a command with more of them can connect to none. */
#define MAX_DUMP_BYTES (2u << 20)
#define PART_BYTES 32768u

/** As the kernel has them. */
struct reply_header {
  uint32_t size;
  uint16_t type, flags;
  uint32_t number, port;
};

struct diag_request {
  struct reply_header header;
  uint8_t family, protocol;
  uint16_t reserved;
  uint32_t states, inode, show, cookie[2];
};

struct diag_socket {
  uint8_t family, type, state, reserved;
  uint32_t inode, cookie[2];
};

struct attribute {
  uint16_t size, type;
};

struct file_identity {
  uint32_t inode, device;
};

/** Sockets to ask with: of the caller's network namespace, and of ours; -1 = not open. */
static int inside = -1, outside = -1;
/** The caller's network namespace; 0 = not known yet. */
static uint64_t own_cookie;

void own_sockets_end(void) {
  int *both[] = {&inside, &outside};
  for (size_t i = 0; i < 2; i++) {
    if (*both[i] >= 0) close(*both[i]);
    *both[i] = -1;
  }
  own_cookie = 0;
}

static int open_diag(void) { return socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, DIAG_PROTOCOL); }

static size_t padded(size_t size) { return (size + 3) & ~(size_t)3; }

static int has_identity(const uint8_t *message, size_t size, const struct file_identity *wanted) {
  for (size_t at = sizeof(struct diag_socket); at + sizeof(struct attribute) <= size;) {
    struct attribute attribute;
    struct file_identity seen;
    memcpy(&attribute, message + at, sizeof attribute);
    if (attribute.size < sizeof attribute || attribute.size > size - at) return 0;
    if (attribute.type == ATTRIBUTE_FILE && attribute.size == sizeof attribute + sizeof seen) {
      memcpy(&seen, message + at + sizeof attribute, sizeof seen);
      return seen.inode == wanted->inode && seen.device == wanted->device;
    }
    at += padded(attribute.size);
  }
  return 0;
}

/** One datagram of a dump: -1 if it is not the last, otherwise 0 or an errno. `found` is set at a match. */
static int read_part(const uint8_t *part, size_t size, const struct file_identity *wanted, int *found) {
  for (size_t at = 0; at + sizeof(struct reply_header) <= size;) {
    struct reply_header header;
    memcpy(&header, part + at, sizeof header);
    if (header.size < sizeof header || header.size > size - at) return EPROTO;
    const uint8_t *message = part + at + sizeof header;
    size_t length = header.size - sizeof header;
    int32_t error = 0;
    if ((header.type == REPLY_DONE || header.type == REPLY_ERROR) && length >= sizeof error) memcpy(&error, message, sizeof error);
    if (header.type == REPLY_DONE) return -error;
    if (header.type == REPLY_ERROR) return error == 0 ? EPROTO : -error;
    if (header.type == DIAG_BY_FAMILY && has_identity(message, length, wanted)) *found = 1;
    at += padded(header.size);
  }
  return -1;
}

/** Whether a socket listens on that file: 0 or an errno. The kernel answers at once: nothing here waits. */
static int ask(int diag, const struct file_identity *wanted, int *found) {
  static uint8_t part[PART_BYTES];
  struct diag_request request = {.header = {sizeof request, DIAG_BY_FAMILY, REQUEST_DUMP, 1, 0},
                                 .family = AF_UNIX, .states = LISTENING, .show = SHOW_FILE};
  int result = -1;
  *found = 0;
  if (send(diag, &request, sizeof request, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)sizeof request) return errno;
  for (size_t total = 0; result == -1;) {
    ssize_t count = recv(diag, part, sizeof part, MSG_DONTWAIT | MSG_TRUNC);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : EPROTO;
    if ((size_t)count > sizeof part) return EMSGSIZE;
    if ((total += (size_t)count) > MAX_DUMP_BYTES) return E2BIG;
    result = read_part(part, (size_t)count, wanted, found);
  }
  return result;
}

// It depends on the kernel, not on the namespace. A supervisor asks once, and the processes that it forks know the answer.
int own_sockets_check(void) {
  static int is_known;
  const struct file_identity none = {0, 0};
  if (is_known) return 0;
  int found, diag = open_diag(), error = diag < 0 ? errno : ask(diag, &none, &found);
  if (diag >= 0) close(diag);
  is_known = error == 0;
  return error;
}

// A socket of a namespace can only be created inside it, and a process that enters a user namespace cannot leave it. The one that
// enters has no PID inside, so no process there can inspect it.
static int open_in(int user, int network) {
  int ends[2], fd = -1;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return -1;
  pid_t pid = fork();
  if (pid == 0) {
    fd = setns(user, CLONE_NEWUSER) < 0 || setns(network, CLONE_NEWNET) < 0 ? -1 : open_diag();
    _exit(fd >= 0 && send_descriptors(ends[1], "", 1, &fd, 1, 0) ? 0 : 127);
  }
  close(ends[1]);
  if (pid > 0) {
    char byte;
    if (!take_descriptors(ends[0], &byte, 1, &fd, 1)) fd = -1;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
  }
  close(ends[0]);
  return fd;
}

// Only for the first connection to a file. Whoever made the namespace, each process of the command is in it, and cannot leave it.
// Rights over it are had in the user namespace that owns it.
static int open_inside(int notify_fd, const struct notice *notice) {
  if (inside >= 0) return 1;
  int network = open_namespace((pid_t)notice->pid, "net"), user = network < 0 ? -1 : open_owner(network);
  if (user >= 0 && network >= 0 && notice_is_current(notify_fd, notice)) inside = open_in(user, network);
  if (user >= 0) close(user);
  if (network >= 0) close(network);
  return inside >= 0;
}

static int read_number(const char *text, const char *name, unsigned long long *value) {
  const char *at = strstr(text, name);
  if (at == NULL) return 0;
  *value = strtoull(at + strlen(name), NULL, 10);
  return 1;
}

/** The device of the file system that is mounted as `mount`, as the list of mounts of a process has it. */
static int find_device(const char *process, unsigned long long mount, uint32_t *device) {
  char path[64], *line = NULL;
  size_t room = 0;
  int is_found = 0;
  snprintf(path, sizeof path, "/proc/%s/mountinfo", process);
  FILE *file = fopen(path, "re");
  while (file != NULL && !is_found && getline(&line, &room, file) > 0) {
    unsigned long long id;
    unsigned first, second;
    if (sscanf(line, "%llu %*u %u:%u", &id, &first, &second) != 3 || id != mount) continue;
    *device = first << 20 | second;
    is_found = 1;
  }
  free(line);
  if (file != NULL) fclose(file);
  return is_found;
}

// Subvolumes of btrfs and layers of an overlay have other numbers for stat(2) than for the kernel itself.
static int identify(const struct notice *notice, int file, const struct stat *status, long type, struct file_identity *identity) {
  char path[64], text[1024];
  unsigned long long inode = status->st_ino, mount;
  identity->inode = (uint32_t)inode;
  identity->device = major(status->st_dev) << 20 | minor(status->st_dev);
  if (type == EXT_FILES || type == TMPFS_FILES || type == XFS_FILES) return 1;
  snprintf(path, sizeof path, "/proc/self/fdinfo/%d", file);
  if (read_text(path, text, sizeof text) <= 0 || !read_number(text, "mnt_id:", &mount)) return 0;
  read_number(text, "\nino:", &inode);
  identity->inode = (uint32_t)inode;
  char caller[16];
  snprintf(caller, sizeof caller, "%u", notice->pid);
  // A file below a stage was opened here. No two mounts have the same number.
  return find_device(caller, mount, &identity->device) || find_device("self", mount, &identity->device);
}

static int is_outside(const struct file_identity *identity, int *found) {
  if (outside < 0) outside = open_diag();
  return outside < 0 ? errno : ask(outside, identity, found);
}

// Numbers of 32 bits are all that the kernel tells. Where a file system has larger ones, or several with the same numbers, an own
// socket could be made to look like one of the host: then no process outside may listen on what looks the same.
enum listener own_sockets_find(int notify_fd, const struct notice *notice, int file) {
  struct stat status;
  struct statfs mount;
  struct file_identity identity;
  int is_own = 0, is_theirs = 0;
  if (fstat(file, &status) < 0 || fstatfs(file, &mount) < 0) return LISTENER_UNKNOWN;
  if (!S_ISSOCK(status.st_mode)) return LISTENER_NONE;
  // Where the command cannot write, it has bound nothing.
  if (mount.f_flags & ST_RDONLY) return LISTENER_OUTSIDE;
  if (!identify(notice, file, &status, (long)mount.f_type, &identity) || !open_inside(notify_fd, notice)) return LISTENER_UNKNOWN;
  if (ask(inside, &identity, &is_own) != 0) {
    // The rest of an answer would be taken for the next one.
    close(inside);
    inside = -1;
    return LISTENER_UNKNOWN;
  }
  if (is_own && mount.f_type == EXT_FILES) return LISTENER_INSIDE;
  if (is_outside(&identity, &is_theirs) != 0) {
    if (outside >= 0) close(outside);
    outside = -1;
    return LISTENER_UNKNOWN;
  }
  return is_theirs ? LISTENER_OUTSIDE : is_own ? LISTENER_INSIDE : LISTENER_NONE;
}

static int is_same_namespace(const struct notice *notice, int fd) {
  struct stat theirs, callers;
  int network = ioctl(fd, NETNS_OF_SOCKET), own = open_namespace((pid_t)notice->pid, "net");
  int is_same = network >= 0 && own >= 0 && fstat(network, &theirs) == 0 && fstat(own, &callers) == 0 &&
                theirs.st_dev == callers.st_dev && theirs.st_ino == callers.st_ino;
  if (network >= 0) close(network);
  if (own >= 0) close(own);
  return is_same;
}

int own_sockets_is_inside(int notify_fd, const struct notice *notice, int fd) {
  uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  int has_cookie = getsockopt(fd, SOL_SOCKET, NETNS_COOKIE, &cookie, &size) == 0;
  if (has_cookie && own_cookie != 0) return cookie == own_cookie;
  if (!is_same_namespace(notice, fd) || !notice_is_current(notify_fd, notice)) return 0;
  if (has_cookie) own_cookie = cookie;
  return 1;
}
