// landlock-check FOLDER: what Landlock alone refuses, without namespaces, filter and supervisor: socket files of processes
// outside of the confinement. Prints one line: the ABI, whether the step is held, and the error of each attempt.

#define _GNU_SOURCE
#include "../../native/confine-landlock.c"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

int confine_open(const char *path) { return open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW); }

int confine_note(const struct confinement *confinement, struct confine_report *report, enum confine_step step, int error) {
  (void)confinement;
  if (error == 0) report->held |= 1u << step;
  return 0;
}

static int open_socket(int type, const char *folder, const char *name, struct sockaddr_un *address) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  snprintf(address->sun_path, sizeof address->sun_path, "%s/%s", folder, name);
  return socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
}

static int serve(int type, const char *folder, const char *name) {
  struct sockaddr_un address;
  int fd = open_socket(type, folder, name, &address);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0) return errno;
  return type == SOCK_STREAM && listen(fd, 4) < 0 ? errno : 0;
}

static int reach(int type, const char *folder, const char *name) {
  struct sockaddr_un address;
  int fd = open_socket(type, folder, name, &address);
  return fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0 ? errno : 0;
}

static int send_to(const char *folder, const char *name) {
  struct sockaddr_un address;
  int fd = open_socket(SOCK_DGRAM, folder, name, &address);
  return fd < 0 || sendto(fd, "x", 1, 0, (struct sockaddr *)&address, sizeof address) < 0 ? errno : 0;
}

static void attempt(const char *folder, const char *what, uint32_t flags) {
  struct confine_entry entry = {.kind = ENTRY_WRITE, .path = folder};
  struct confinement confinement = {.flags = CONFINE_FILES_LISTED | flags, .entries = &entry, .count = 1};
  struct confine_report report = {0};
  char own[32];
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || confine_landlock(&confinement, &report) < 0) exit(2);
  snprintf(own, sizeof own, "own-%s", what);
  int bound = serve(SOCK_STREAM, folder, own);
  printf("%s: held %d, host %d, datagram %d, own %d\n", what, (report.held >> CONFINE_SOCKET_FILES) & 1, reach(SOCK_STREAM, folder, "host"),
         send_to(folder, "datagrams"), bound != 0 ? bound : reach(SOCK_STREAM, folder, own));
}

int main(int count, char **words) {
  if (count != 2 || serve(SOCK_STREAM, words[1], "host") != 0 || serve(SOCK_DGRAM, words[1], "datagrams") != 0) return 2;
  printf("abi %ld\n", landlock_abi());
  fflush(stdout);
  const struct {
    const char *what;
    uint32_t flags;
  } cases[] = {{"confined", CONFINE_PAIRS_ONLY}, {"all sockets allowed", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int status;
    pid_t child = fork();
    if (child == 0) {
      attempt(words[1], cases[i].what, cases[i].flags);
      exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) return 2;
  }
  return 0;
}
