// attack NAME [ARGUMENT …]: one attempt. Ends with 0 when it worked, 1 when it was refused, 2 when it could not be tried.
// `attack serve FOLDER NAME KEY`: the victim outside: sockets, a segment, an environment; prints its ports.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>

static char **args;

static int verdict(long result) {
  if (result >= 0) return 0;
  fprintf(stderr, "%s\n", strerror(errno));
  return 1;
}

// For calls that must not succeed: any other result than a refusal means that the kernel examined the arguments.
static int reached(long result) {
  if (result >= 0) return 0;
  fprintf(stderr, "%s\n", strerror(errno));
  return errno == EPERM || errno == EACCES || errno == ENOSYS;
}

static struct sockaddr_un unix_address(const char *name, int is_abstract, socklen_t *size) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path + is_abstract, name, sizeof address.sun_path - 2);
  *size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name) + 1);
  return address;
}

static struct sockaddr_in inet_address(const char *port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static int connect_unix(int type, const char *name, int is_abstract) {
  socklen_t size;
  struct sockaddr_un address = unix_address(name, is_abstract, &size);
  int fd = socket(AF_UNIX, type, 0);
  if (fd < 0) return verdict(fd);
  return verdict(connect(fd, (struct sockaddr *)&address, size));
}

static int unix_stream(void) { return connect_unix(SOCK_STREAM, args[0], 0); }
static int unix_datagram(void) { return connect_unix(SOCK_DGRAM, args[0], 0); }
static int unix_abstract(void) { return connect_unix(SOCK_STREAM, args[0], 1); }

static int unix_pair(void) {
  socklen_t size;
  int fds[2];
  struct sockaddr_un address = unix_address(args[0], 0, &size);
  if (socketpair(AF_UNIX, args[1] != NULL ? SOCK_RAW : SOCK_DGRAM, 0, fds) < 0) return verdict(-1);
  return verdict(sendto(fds[0], "x", 1, 0, (struct sockaddr *)&address, size));
}

static int unix_bind(void) {
  socklen_t size;
  struct sockaddr_un address = unix_address(args[0], 0, &size);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  return fd < 0 ? verdict(fd) : verdict(bind(fd, (struct sockaddr *)&address, size));
}

static int connect_inet(int protocol) {
  struct sockaddr_in address = inet_address(args[0]);
  int fd = socket(AF_INET, SOCK_STREAM, protocol);
  if (fd < 0) return verdict(fd);
  return verdict(connect(fd, (struct sockaddr *)&address, sizeof address));
}

static int tcp(void) { return connect_inet(0); }
static int mptcp(void) { return connect_inet(262); }

static int fastopen(void) {
  struct sockaddr_in address = inet_address(args[0]);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) return verdict(fd);
  return verdict(sendto(fd, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&address, sizeof address));
}

static int fastopen_message(void) {
  struct sockaddr_in address = inet_address(args[0]);
  struct iovec part = {"x", 1};
  struct mmsghdr message = {.msg_hdr = {.msg_name = &address, .msg_namelen = sizeof address, .msg_iov = &part, .msg_iovlen = 1}};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) return verdict(fd);
  return verdict(args[1] != NULL ? sendmmsg(fd, &message, 1, MSG_FASTOPEN) : sendmsg(fd, &message.msg_hdr, MSG_FASTOPEN));
}

// The option makes `connect` wait for the first bytes, which then connect.
static int fastopen_later(void) {
  struct sockaddr_in address = inet_address(args[0]);
  int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof on) < 0) return verdict(-1);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) return verdict(-1);
  return verdict(send(fd, "x", 1, 0));
}

static int connect_from(const char *host) {
  struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)atoi(args[0]))};
  inet_pton(AF_INET6, host, &address.sin6_addr);
  int fd = socket(AF_INET6, SOCK_STREAM, 0);
  return fd < 0 ? verdict(fd) : verdict(connect(fd, (struct sockaddr *)&address, sizeof address));
}
static int mapped(void) { return connect_from("::ffff:127.0.0.1"); }
static int any_address(void) {
  struct sockaddr_in address = inet_address(args[0]);
  address.sin_addr.s_addr = 0;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  return fd < 0 ? verdict(fd) : verdict(connect(fd, (struct sockaddr *)&address, sizeof address));
}

// Once at a place that is allowed, undone, and then somewhere else.
static int reconnect(void) {
  struct sockaddr_in good = inet_address(args[0]), bad = inet_address(args[1]);
  struct sockaddr nowhere = {.sa_family = AF_UNSPEC};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&good, sizeof good) < 0) return 2;
  if (connect(fd, &nowhere, sizeof nowhere) < 0) return verdict(-1);
  return verdict(connect(fd, (struct sockaddr *)&bad, sizeof bad));
}

// A non-blocking socket tells later; whether it got there is what counts.
static int connect_later(void) {
  struct sockaddr_in address = inet_address(args[0]), peer;
  socklen_t size = sizeof peer;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (fd < 0) return verdict(fd);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0 && errno != EINPROGRESS) return verdict(-1);
  struct pollfd poll_fd = {fd, POLLOUT, 0};
  poll(&poll_fd, 1, 1000);
  return verdict(getpeername(fd, (struct sockaddr *)&peer, &size));
}

// The address is changed while it is checked: a supervisor that reads it twice connects to a denied address.
static struct sockaddr_in raced;
static struct sockaddr_un raced_path;
static volatile int is_racing = 1;
static void *flip_ports(void *ports) {
  for (const uint16_t *both = ports; is_racing;) {
    raced.sin_port = both[0];
    raced.sin_port = both[1];
  }
  return NULL;
}
static void *flip_paths(void *unused) {
  (void)unused;
  while (is_racing) {
    strcpy(raced_path.sun_path, args[0]);
    strcpy(raced_path.sun_path, args[1]);
  }
  return NULL;
}
static int race(void) {
  pthread_t thread;
  uint16_t ports[] = {htons((uint16_t)atoi(args[0])), htons((uint16_t)atoi(args[1]))};
  raced = inet_address(args[0]);
  int reached_bad = 0, reached_good = 0;
  if (pthread_create(&thread, NULL, flip_ports, ports) != 0) return 2;
  for (int i = 0; i < 1500 && !reached_bad; i++) {
    struct sockaddr_in peer = {0};
    socklen_t size = sizeof peer;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) return verdict(fd);
    if (connect(fd, (struct sockaddr *)&raced, sizeof raced) == 0 && getpeername(fd, (struct sockaddr *)&peer, &size) == 0) {
      reached_bad |= peer.sin_port == ports[1];
      reached_good |= peer.sin_port == ports[0];
    }
    close(fd);
  }
  is_racing = 0;
  pthread_join(thread, NULL);
  return reached_bad ? 0 : reached_good ? 1 : 3;
}
static int race_paths(void) {
  pthread_t thread;
  int reached_bad = 0, reached_good = 0;
  raced_path = (struct sockaddr_un){.sun_family = AF_UNIX};
  strcpy(raced_path.sun_path, args[0]);
  if (pthread_create(&thread, NULL, flip_paths, NULL) != 0) return 2;
  for (int i = 0; i < 1500 && !reached_bad; i++) {
    struct sockaddr_un peer = {0};
    socklen_t size = sizeof peer;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0) return verdict(fd);
    if (connect(fd, (struct sockaddr *)&raced_path, sizeof raced_path) == 0 && getpeername(fd, (struct sockaddr *)&peer, &size) == 0) {
      reached_bad |= strstr(peer.sun_path, args[1]) != NULL;
      reached_good |= strstr(peer.sun_path, args[0]) != NULL;
    }
    close(fd);
  }
  is_racing = 0;
  pthread_join(thread, NULL);
  return reached_bad ? 0 : reached_good ? 1 : 3;
}

// A server of its own, and a name that leads to it or to a socket of the host (args[1]) while it is looked at.
static int serve_own(const char *path) {
  socklen_t size;
  struct sockaddr_un address = unix_address(path, 0, &size);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  unlink(path);
  return fd < 0 || bind(fd, (struct sockaddr *)&address, size) < 0 || listen(fd, 4096) < 0 ? -1 : fd;
}
static char other_name[128];
static void *flip_exchange(void *unused) {
  (void)unused;
  while (is_racing) syscall(SYS_renameat2, AT_FDCWD, args[0], AT_FDCWD, args[1], 2);
  return NULL;
}
static void *flip_link(void *unused) {
  for (int i = 0; is_racing; i++) {
    char draft[160];
    snprintf(draft, sizeof draft, "%s.draft", other_name);
    if (symlink(i % 2 ? args[0] : args[1], draft) == 0) rename(draft, other_name);
  }
  return unused;
}
static int race_own(void) {
  int is_link = strcmp(args[2], "link") == 0, reached_host = 0, reached_own = 0;
  pthread_t thread;
  if (serve_own(args[0]) < 0) return verdict(-1);
  snprintf(other_name, sizeof other_name, "%s.link", args[0]);
  raced_path = (struct sockaddr_un){.sun_family = AF_UNIX};
  strcpy(raced_path.sun_path, is_link ? other_name : args[0]);
  void *(*flip)(void *) = is_link ? flip_link : strcmp(args[2], "exchange") == 0 ? flip_exchange : flip_paths;
  if (pthread_create(&thread, NULL, flip, NULL) != 0) return 2;
  for (int i = 0; i < 3000 && !reached_host; i++) {
    struct sockaddr_un peer = {0};
    socklen_t size = sizeof peer;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0) return verdict(fd);
    if (connect(fd, (struct sockaddr *)&raced_path, sizeof raced_path) == 0 && getpeername(fd, (struct sockaddr *)&peer, &size) == 0) {
      int is_own = strcmp(peer.sun_path, args[0]) == 0;
      reached_own |= is_own;
      reached_host |= !is_own;
    }
    close(fd);
  }
  is_racing = 0;
  pthread_join(thread, NULL);
  return reached_host ? 0 : reached_own ? 1 : 3;
}
// The name of its own socket is given to one of the host.
static int own_replaced(void) {
  if (serve_own(args[0]) < 0) return verdict(-1);
  if (strcmp(args[2], "exchange") == 0 ? syscall(SYS_renameat2, AT_FDCWD, args[0], AT_FDCWD, args[1], 2) < 0 : rename(args[1], args[0]) < 0)
    return verdict(-1);
  return connect_unix(SOCK_STREAM, args[0], 0);
}
// A descriptor of the file instead of its path.
static int unix_descriptor(void) {
  char path[64];
  int fd = open(args[0], O_PATH);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return fd < 0 ? verdict(fd) : connect_unix(SOCK_STREAM, path, 0);
}
// Its own server and its own client; with `abstract`, without a file; with `seqpacket`, of that type; with `unseen`, by a process
// that others may not inspect.
static int own_unix(void) {
  int is_abstract = args[1] != NULL && strcmp(args[1], "abstract") == 0;
  int type = args[1] != NULL && strcmp(args[1], "seqpacket") == 0 ? SOCK_SEQPACKET : SOCK_STREAM;
  socklen_t size;
  struct sockaddr_un address = unix_address(args[0], is_abstract, &size);
  int server = socket(AF_UNIX, type, 0), client = socket(AF_UNIX, type, 0);
  char byte = 0;
  if (args[1] != NULL && strcmp(args[1], "unseen") == 0 && prctl(PR_SET_DUMPABLE, 0) < 0) return 2;
  if (server < 0 || client < 0 || bind(server, (struct sockaddr *)&address, size) < 0) return verdict(-1);
  // Not listening yet, as without a sandbox.
  if (connect(client, (struct sockaddr *)&address, size) == 0 || errno != ECONNREFUSED) return verdict(-1);
  if (listen(server, 1) < 0 || connect(client, (struct sockaddr *)&address, size) < 0) return verdict(-1);
  int accepted = accept(server, NULL, NULL);
  if (accepted < 0 || write(client, "x", 1) != 1 || read(accepted, &byte, 1) != 1 || byte != 'x') return verdict(-1);
  close(server);
  close(client);
  client = socket(AF_UNIX, type, 0);
  int is_refused = connect(client, (struct sockaddr *)&address, size) < 0 && errno == ECONNREFUSED;
  if (!is_abstract) unlink(args[0]);
  return is_refused ? 0 : 1;
}
// More clients than the server has room for: they wait in `connect` until it accepts.
static void *connect_waiting(void *unused) {
  socklen_t size;
  struct sockaddr_un address = unix_address(args[0], args[1] != NULL, &size);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  (void)unused;
  return fd >= 0 && connect(fd, (struct sockaddr *)&address, size) == 0 ? args : NULL;
}
static int crowded_unix(void) {
  socklen_t size;
  struct sockaddr_un address = unix_address(args[0], args[1] != NULL, &size);
  int server = socket(AF_UNIX, SOCK_STREAM, 0), connected = 0;
  pthread_t threads[20];
  if (server < 0 || bind(server, (struct sockaddr *)&address, size) < 0 || listen(server, 1) < 0) return verdict(-1);
  for (int i = 0; i < 20; i++)
    if (pthread_create(&threads[i], NULL, connect_waiting, NULL) != 0) return 2;
  for (int i = 0; i < 20; i++)
    if (accept(server, NULL, NULL) < 0) return verdict(-1);
  for (int i = 0; i < 20; i++) {
    void *result;
    pthread_join(threads[i], &result);
    connected += result != NULL;
  }
  return connected == 20 ? 0 : 1;
}
// As many listening sockets as a process can have, and one connection: it is made or refused, and takes no minutes.
static int flood_unix(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  int server = serve_own(args[0]), made = 0;
  if (server < 0) return verdict(-1);
  for (; made < atoi(args[1]); made++) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    // A name that the kernel chooses.
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address.sun_family) < 0 || listen(fd, 1) < 0) break;
  }
  fprintf(stderr, "%d sockets, %s\n", made, strerror(errno));
  for (int i = 0; i < 20; i++) connect_unix(SOCK_STREAM, args[0], 0);
  return 0;
}

// Fast open to a server of its own: a connection that no `connect` makes.
static int fastopen_own(void) {
  struct sockaddr_in address = inet_address("0");
  socklen_t size = sizeof address;
  int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  struct iovec part = {"x", 1};
  struct mmsghdr message = {.msg_hdr = {.msg_name = &address, .msg_namelen = sizeof address, .msg_iov = &part, .msg_iovlen = 1}};
  if (bind(server, (struct sockaddr *)&address, size) < 0 || listen(server, 8) < 0) return verdict(-1);
  getsockname(server, (struct sockaddr *)&address, &size);
  if (strcmp(args[0], "sendto") == 0) return verdict(sendto(client, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&address, size));
  if (strcmp(args[0], "sendmsg") == 0) return verdict(sendmsg(client, &message.msg_hdr, MSG_FASTOPEN));
  if (strcmp(args[0], "sendmmsg") == 0) return verdict(sendmmsg(client, &message, 1, MSG_FASTOPEN));
  return verdict(setsockopt(client, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof on));
}

// A socket that another process made, over a pair: whose descriptor it is changes nothing.
static int passed_socket(void) {
  int pair[2], fd = -1;
  char control[CMSG_SPACE(sizeof fd)] = {0}, byte = 'x';
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct sockaddr_in address = inet_address(args[0]);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0) return 2;
  if (fork() == 0) {
    if ((fd = socket(AF_INET, SOCK_STREAM, 0)) < 0) _exit(1);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    _exit(sendmsg(pair[0], &message, 0) == 1 ? 0 : 1);
  }
  close(pair[0]);
  if (recvmsg(pair[1], &message, 0) != 1 || CMSG_FIRSTHDR(&message) == NULL) return 1;
  memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
  return verdict(connect(fd, (struct sockaddr *)&address, sizeof address));
}

// Many threads wait in `connect` at once; the first number is the port, the second how many.
static void *connect_blocking(void *port) {
  struct sockaddr_in address = inet_address(port);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  return fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0 ? port : NULL;
}
static int many(void) {
  int count = atoi(args[1]), connected = 0;
  pthread_t threads[512];
  if (count > 512) return 2;
  for (int i = 0; i < count; i++)
    if (pthread_create(&threads[i], NULL, connect_blocking, args[0]) != 0) return 2;
  for (int i = 0; i < count; i++) {
    void *result;
    pthread_join(threads[i], &result);
    connected += result != NULL;
  }
  printf("%d connected\n", connected);
  return connected == count ? 0 : 1;
}

// The answer counts: a datagram into one's own network is no escape.
static int udp(void) {
  struct sockaddr_in address = inet_address(args[0]);
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (fd < 0) return verdict(fd);
  if (sendto(fd, "x", 1, 0, (struct sockaddr *)&address, sizeof address) < 0) return verdict(-1);
  struct pollfd poll_fd = {fd, POLLIN, 0};
  return poll(&poll_fd, 1, 300) == 1 && (poll_fd.revents & POLLIN) && recv(fd, (char[1]){0}, 1, 0) == 1 ? 0 : 1;
}

static int listen_unbound(void) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  return fd < 0 ? verdict(fd) : verdict(listen(fd, 1));
}

static int bind_port(void) {
  struct sockaddr_in address = inet_address(args[0]);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  return fd < 0 ? verdict(fd) : verdict(bind(fd, (struct sockaddr *)&address, sizeof address));
}

static int open_socket(void) {
  return verdict(syscall(SYS_socket, strtoul(args[0], NULL, 0), strtoul(args[1], NULL, 0), strtoul(args[2], NULL, 0)));
}

static int do_ptrace(void) { return verdict(ptrace(PTRACE_SEIZE, atoi(args[0]), 0, 0)); }
// A child that is traced, and whose calls the tracer changes: `suspend` asks for it to run without its filter; `rewrite` turns
// a harmless call into one that is refused; `connect` turns it into a connection to args[1].
static int trace_child(void) {
  int fd = socket(AF_UNIX, SOCK_STREAM, 0), status;
  socklen_t size;
  static struct sockaddr_un address;
  if (args[1] != NULL) address = unix_address(args[1], 0, &size);
  pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    long result = syscall(SYS_getppid);
    _exit(result >= 0 && result != getppid() ? 0 : 1);
  }
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return 2;
  if (strcmp(args[0], "suspend") == 0) {
    long result = ptrace(PTRACE_SETOPTIONS, child, 0, (void *)(1l << 21));
    int error = errno;
    kill(child, SIGKILL);
    errno = error;
    return verdict(result);
  }
#if defined(__x86_64__)
  if (ptrace(PTRACE_SYSCALL, child, 0, 0) < 0) return verdict(-1);
  waitpid(child, &status, 0);
  struct user_regs_struct registers;
  ptrace(PTRACE_GETREGS, child, 0, &registers);
  if (registers.orig_rax != SYS_getppid) return 2;
  int is_connect = strcmp(args[0], "connect") == 0;
  registers.orig_rax = is_connect ? SYS_connect : SYS_userfaultfd;
  registers.rdi = is_connect ? (unsigned long)fd : 1;
  registers.rsi = is_connect ? (unsigned long)&address : 0;
  registers.rdx = is_connect ? size : 0;
  if (ptrace(PTRACE_SETREGS, child, 0, &registers) < 0 || ptrace(PTRACE_CONT, child, 0, 0) < 0) return verdict(-1);
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
#else
  return 2;
#endif
}
// Whether some process can be traced that has a capability or no filter.
static int trace_anybody(void) {
  for (pid_t pid = 1; pid < 400; pid++) {
    char path[64], line[256];
    int is_free = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) continue;
    while (fgets(line, sizeof line, file) != NULL) {
      unsigned long long value;
      if (sscanf(line, "CapPrm: %llx", &value) == 1 || sscanf(line, "CapEff: %llx", &value) == 1) is_free |= value != 0;
      if (strncmp(line, "Seccomp:\t0", 10) == 0) is_free = 1;
    }
    fclose(file);
    if ((is_free || pid == 1) && pid != getpid() && ptrace(PTRACE_SEIZE, pid, 0, 0) == 0) return 0;
  }
  return 1;
}
static int trace_me(void) {
  ptrace(PTRACE_TRACEME, 0, 0, 0);
  raise(SIGSTOP);
  return 0;
}
// The same by a process whose parent is gone.
static int trace_orphan(void) {
  int ends[2];
  char byte;
  if (pipe(ends) < 0) return 2;
  if (fork() == 0) {
    pid_t parent = getpid();
    if (fork() != 0) _exit(0);
    while (getppid() == parent) usleep(1000);
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0) _exit(1);
    raise(SIGSTOP);
    _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
  }
  close(ends[1]);
  wait(NULL);
  return read(ends[0], &byte, 1) == 1 ? 0 : 1;
}
static int process_vm(void) {
  char byte;
  struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)strtoul(args[1], NULL, 0), 1};
  return verdict(process_vm_readv(atoi(args[0]), &here, 1, &there, 1, 0));
}
static int read_memory(void) {
  char path[64], byte;
  snprintf(path, sizeof path, "/proc/%s/mem", args[0]);
  int fd = open(path, O_RDONLY);
  return fd < 0 ? verdict(fd) : verdict(pread(fd, &byte, 1, (off_t)strtoul(args[1], NULL, 0)) == 1 ? 0 : -1);
}
static int pidfd_signal(void) {
  long fd = syscall(434, atoi(args[0]), 0);
  return fd < 0 ? verdict(fd) : verdict(syscall(424, fd, SIGCONT, NULL, 0));
}
static int pidfd_take(void) {
  long fd = syscall(434, atoi(args[0]), 0);
  return fd < 0 ? verdict(fd) : verdict(syscall(438, fd, 0, 0));
}
static int signal_process(void) { return verdict(kill(atoi(args[0]), SIGCONT)); }

static int new_namespace(void) {
  if (strcmp(args[0], "unshare") == 0) return verdict(unshare((int)strtoul(args[1], NULL, 0)));
  uint64_t clone3_args[11] = {strtoul(args[1], NULL, 0), 0, 0, 0, SIGCHLD};
  long pid = strcmp(args[0], "clone3") == 0 ? syscall(435, clone3_args, 64)
                                            : syscall(SYS_clone, strtoul(args[1], NULL, 0) | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) _exit(0);
  if (pid > 0) waitpid((pid_t)pid, NULL, 0);
  return verdict(pid);
}

static int io_uring(void) {
  char parameters[120] = {0};
  return verdict(syscall(425, 1, parameters));
}
static int raw_call(void) {
  long a[6] = {0};
  for (int i = 0; i < 6 && args[1 + i] != NULL; i++) a[i] = (long)strtoul(args[1 + i], NULL, 0);
  return reached(syscall(strtol(args[0], NULL, 0), a[0], a[1], a[2], a[3], a[4], a[5]));
}
static int file_handle(void) {
  struct {
    unsigned bytes;
    int type;
    unsigned char data[128];
  } handle = {.bytes = 128};
  int mount_id, root = open("/", O_RDONLY);
  if (syscall(SYS_name_to_handle_at, AT_FDCWD, args[0], &handle, &mount_id, 0) < 0) return reached(-1);
  return verdict(syscall(SYS_open_by_handle_at, root, &handle, O_RDONLY));
}
static int compat_call(void) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
  return result > 0 ? 0 : 1;
#else
  return 2;
#endif
}

static int terminal(void) {
  unsigned long request = strtoul(args[0], NULL, 0);
  int parent = open("/dev/ptmx", O_RDWR | O_NOCTTY), zero = 0, number;
  char path[64], byte = 'x';
  if (parent < 0 || ioctl(parent, 0x40045431, &zero) < 0 || ioctl(parent, 0x80045430, &number) < 0) return 1;
  snprintf(path, sizeof path, "/dev/pts/%d", number);
  setsid();
  int fd = open(path, O_RDWR);
  return fd < 0 ? 1 : reached(syscall(SYS_ioctl, fd, request, &byte));
}

static int segment(void) {
  int id = shmget((key_t)strtol(args[0], NULL, 0), 0, 0);
  if (id < 0) return verdict(id);
  void *at = shmat(id, NULL, 0);
  return at == (void *)-1 ? verdict(-1) : 0;
}
static int queue(void) { return verdict(syscall(SYS_msgget, 0x51, 01600)); }

static int open_truncating(void) { return verdict(open(args[0], O_RDONLY | O_TRUNC)); }
static int open_map(void) { return verdict(open(args[0], O_RDWR)); }
static int exchange(void) { return verdict(syscall(SYS_renameat2, AT_FDCWD, args[0], AT_FDCWD, args[1], 2)); }
static int attribute(void) { return verdict(setxattr(args[0], "user.attack", "x", 1, 0)); }
static int node_file(void) {
  mode_t kind = args[1][0] == 'b' ? S_IFBLK : S_IFCHR;
  return verdict(mknod(args[0], kind | 0666, (dev_t)strtoul(args[2], NULL, 0)));
}
static int effective_root(void) { return geteuid() == 0 ? 0 : 1; }
static int has_capabilities(void) {
  struct {
    uint32_t version;
    int pid;
  } header = {0x20080522, 0};
  uint32_t data[6] = {0};
  if (syscall(SYS_capget, &header, data) < 0) return 2;
  return data[0] | data[1] | data[3] | data[4] ? 0 : 1;
}
static int limit_other(void) {
  uint64_t old[2];
  if (syscall(SYS_prlimit64, atoi(args[0]), 7, NULL, old) < 0) return verdict(-1);
  return verdict(syscall(SYS_prlimit64, atoi(args[0]), 7, old, NULL));
}
// Sets an existing value again, so that nothing changes. For a user it only checks permission.
static int schedule_other(void) {
  int pid = atoi(args[0]), own = getpriority(PRIO_PROCESS, 0);
  uint64_t room[16] = {0};
  const char *how = args[1];
  if (strcmp(how, "affinity") == 0) {
    long size = syscall(SYS_sched_getaffinity, pid, sizeof room, room);
    return size < 0 ? verdict(-1) : verdict(syscall(SYS_sched_setaffinity, pid, size, room));
  }
  if (strcmp(how, "scheduler") == 0) return verdict(syscall(SYS_sched_setscheduler, pid, 0, room));
  if (strcmp(how, "parameters") == 0) return verdict(syscall(SYS_sched_setparam, pid, room));
  if (strcmp(how, "attributes") == 0) {
    if (syscall(SYS_sched_getattr, pid, room, 48, 0) < 0) return verdict(-1);
    return verdict(syscall(SYS_sched_setattr, pid, room, 0));
  }
  if (strcmp(how, "nice") == 0) return verdict(setpriority(PRIO_PROCESS, (id_t)pid, getpriority(PRIO_PROCESS, (id_t)pid)));
  if (strcmp(how, "group") == 0) return verdict(setpriority(PRIO_PGRP, (id_t)pid, getpriority(PRIO_PGRP, (id_t)pid)));
  if (strcmp(how, "user") == 0) return setpriority(PRIO_USER, 0, own) < 0 && errno == EPERM ? verdict(-1) : 0;
  if (strcmp(how, "io") == 0) return verdict(syscall(SYS_ioprio_set, 1, pid, 2 << 13 | 4));
  if (strcmp(how, "user-io") == 0) return verdict(syscall(SYS_ioprio_set, 3, 0, 2 << 13 | 4));
  return 2;
}
static int inherited(void) {
  for (int fd = 3; fd < 1024; fd++)
    if (fcntl(fd, F_GETFD) >= 0) return 0;
  return 1;
}

static int listener(int domain, int type, const void *address, socklen_t size) {
  int fd = socket(domain, type, 0);
  if (fd < 0 || bind(fd, address, size) < 0 || (type == SOCK_STREAM && listen(fd, 8) < 0)) {
    perror("serve");
    exit(2);
  }
  return fd;
}

static int serve(void) {
  char path[128];
  socklen_t size;
  struct sockaddr_in inet = inet_address("0"), bound;
  snprintf(path, sizeof path, "%s/stream", args[0]);
  struct sockaddr_un address = unix_address(path, 0, &size);
  int local = listener(AF_UNIX, SOCK_STREAM, &address, size);
  snprintf(path, sizeof path, "%s/datagram", args[0]);
  address = unix_address(path, 0, &size);
  int mailbox = listener(AF_UNIX, SOCK_DGRAM, &address, size);
  address = unix_address(args[1], 1, &size);
  int abstract = listener(AF_UNIX, SOCK_STREAM, &address, size);
  int stream = listener(AF_INET, SOCK_STREAM, &inet, sizeof inet), datagram = listener(AF_INET, SOCK_DGRAM, &inet, sizeof inet);
  int id = shmget((key_t)strtol(args[2], NULL, 0), 4096, IPC_CREAT | 0600);
  if (id < 0 || shmat(id, NULL, 0) == (void *)-1) return 2;
  size = sizeof bound;
  getsockname(stream, (struct sockaddr *)&bound, &size);
  printf("%d ", ntohs(bound.sin_port));
  getsockname(datagram, (struct sockaddr *)&bound, &size);
  printf("%d %p\n", ntohs(bound.sin_port), (void *)args[1]);
  fflush(stdout);
  // It ends with its parent, which holds the other end of stdin.
  for (;;) {
    struct pollfd polls[] = {{0, POLLIN, 0}, {stream, POLLIN, 0}, {local, POLLIN, 0}, {abstract, POLLIN, 0},
                             {mailbox, POLLIN, 0}, {datagram, POLLIN, 0}};
    poll(polls, 6, -1);
    if (polls[0].revents) return shmctl(id, IPC_RMID, NULL);
    for (int i = 1; i <= 3; i++)
      if (polls[i].revents) close(accept(polls[i].fd, NULL, NULL));
    struct sockaddr_in from;
    char byte;
    if (polls[4].revents) recv(mailbox, &byte, 1, 0);
    size = sizeof from;
    if (recvfrom(datagram, &byte, 1, MSG_DONTWAIT, (struct sockaddr *)&from, &size) == 1)
      sendto(datagram, &byte, 1, 0, (struct sockaddr *)&from, size);
  }
}

static const struct {
  const char *name;
  int (*run)(void);
} ATTACKS[] = {
    {"serve", serve}, {"unix-stream", unix_stream}, {"unix-datagram", unix_datagram}, {"unix-abstract", unix_abstract},
    {"unix-pair", unix_pair}, {"unix-bind", unix_bind}, {"tcp", tcp}, {"mptcp", mptcp}, {"fastopen", fastopen}, {"udp", udp},
    {"fastopen-message", fastopen_message}, {"fastopen-later", fastopen_later}, {"mapped", mapped}, {"any-address", any_address},
    {"reconnect", reconnect}, {"connect-later", connect_later}, {"race", race}, {"race-paths", race_paths},
    {"passed-socket", passed_socket}, {"many", many}, {"race-own", race_own}, {"own-replaced", own_replaced},
    {"unix-descriptor", unix_descriptor}, {"own-unix", own_unix}, {"crowded-unix", crowded_unix}, {"flood-unix", flood_unix},
    {"fastopen-own", fastopen_own}, {"trace-child", trace_child}, {"trace-anybody", trace_anybody}, {"trace-me", trace_me},
    {"trace-orphan", trace_orphan},
    {"listen", listen_unbound}, {"bind", bind_port}, {"socket", open_socket}, {"ptrace", do_ptrace}, {"process-vm", process_vm},
    {"memory", read_memory}, {"pidfd-signal", pidfd_signal}, {"pidfd-take", pidfd_take}, {"signal", signal_process},
    {"namespace", new_namespace}, {"io-uring", io_uring}, {"call", raw_call}, {"file-handle", file_handle},
    {"compat", compat_call}, {"terminal", terminal}, {"segment", segment}, {"queue", queue}, {"truncate", open_truncating},
    {"open", open_map}, {"exchange", exchange}, {"attribute", attribute}, {"node", node_file}, {"euid", effective_root},
    {"capabilities", has_capabilities}, {"limit", limit_other}, {"schedule", schedule_other}, {"inherited", inherited},
};

int main(int argc, char **argv) {
  alarm(argc > 1 && strcmp(argv[1], "serve") == 0 ? 600 : 10);
  args = argv + 2;
  for (size_t i = 0; argc > 1 && i < sizeof ATTACKS / sizeof *ATTACKS; i++)
    if (strcmp(ATTACKS[i].name, argv[1]) == 0) return ATTACKS[i].run();
  return 2;
}
