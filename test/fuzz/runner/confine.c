// Confinement: user, mount, pid, network, ipc and uts namespaces; a read-only root that holds only stubs, the real
// wrappers and their libraries; no capability left. Any step that fails ends the runner: there is no weaker mode.

#define _GNU_SOURCE
#include "runner.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTER_ID 60317
#define INNER_ID 65534

static const char *top;

static const char *under(const char *path) {
  static char joined[4][4096];
  static unsigned turn;
  char *out = joined[turn++ % 4];
  snprintf(out, 4096, "%s%s", top, path);
  return out;
}

static void write_file(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) die(path);
  close(fd);
}

static void copy_program(const char *from, const char *to) {
  char buffer[65536];
  ssize_t count;
  int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
  if (in < 0 || out < 0) die(from);
  while ((count = read(in, buffer, sizeof buffer)) > 0)
    if (write(out, buffer, (size_t)count) != count) die(to);
  close(in);
  close(out);
}

// A remount in a user namespace must repeat the flags that the outer mount has locked.
static void bind_read_only(const char *from, const char *to) {
  struct statvfs info;
  if (mount(from, to, NULL, MS_BIND, NULL) < 0 || statvfs(to, &info) < 0) die(from);
  unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID;
  if (info.f_flag & ST_NODEV) flags |= MS_NODEV;
  if (info.f_flag & ST_NOEXEC) flags |= MS_NOEXEC;
  if (info.f_flag & ST_NOATIME) flags |= MS_NOATIME;
  if (info.f_flag & ST_NODIRATIME) flags |= MS_NODIRATIME;
  if (info.f_flag & ST_RELATIME) flags |= MS_RELATIME;
  if (mount(NULL, to, NULL, flags, NULL) < 0) die(to);
}

static void show_libraries(void) {
  static const char *const PLACES[] = {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/libexec"};
  for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
    struct stat info;
    char target[4096];
    if (lstat(PLACES[i], &info) < 0) continue;
    if (S_ISLNK(info.st_mode)) {
      ssize_t length = readlink(PLACES[i], target, sizeof target - 1);
      if (length < 0) die(PLACES[i]);
      target[length] = 0;
      if (symlink(target, under(PLACES[i])) < 0) die(PLACES[i]);
    } else {
      if (mkdir(under(PLACES[i]), 0755) < 0) die(PLACES[i]);
      bind_read_only(PLACES[i], under(PLACES[i]));
    }
  }
}

static void make_stubs(const char *stub, const char *names) {
  copy_program(stub, under("/bin/c0"));
  FILE *list = fopen(names, "r");
  char name[512], path[600];
  if (list == NULL) die(names);
  while (fgets(name, sizeof name, list) != NULL) {
    name[strcspn(name, "\n")] = 0;
    snprintf(path, sizeof path, "/bin/%s", name);
    // Hard links, because /proc/self/exe then tells the stub its own name.
    if (link(under("/bin/c0"), under(path)) < 0 && errno != EEXIST) die(name);
  }
  fclose(list);
}

static void make_devices(void) {
  close(open(under("/dev/null"), O_CREAT | O_WRONLY, 0666));
  if (mount("/dev/null", under("/dev/null"), NULL, MS_BIND, NULL) < 0) die("/dev/null");
  if (symlink("/proc/self/fd", under("/dev/fd")) < 0 || symlink("/proc/self/fd/0", under("/dev/stdin")) < 0 ||
      symlink("/proc/self/fd/1", under("/dev/stdout")) < 0 || symlink("/proc/self/fd/2", under("/dev/stderr")) < 0)
    die("/dev");
  if (mount("proc", under("/proc"), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0) die("mount proc");
}

static void build_root(const char *stub, const char *names, char **programs) {
  static const char *const FOLDERS[] = {"/bin", "/real", "/dev", "/proc", "/usr", "/etc", "/old", WORK, "/log"};
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) die("mount private");
  if (mount("tmpfs", top, "tmpfs", MS_NOSUID | MS_NODEV, "size=64m,nr_inodes=8192,mode=755") < 0) die("mount root");
  for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++)
    if (mkdir(under(FOLDERS[i]), 0755) < 0) die(FOLDERS[i]);
  if (symlink("../bin", under("/usr/bin")) < 0) die("/usr/bin");
  write_file(under("/etc/passwd"), "root:x:0:0:root:/root:/bin/sh\nu:x:65534:65534:u:/w/home:/bin/sh\n");
  show_libraries();
  make_stubs(stub, names);
  for (; *programs; programs += 2) {
    char path[600];
    snprintf(path, sizeof path, "/real/%s", programs[0]);
    copy_program(programs[1], under(path));
  }
  make_devices();
  if (mount("tmpfs", under(WORK), "tmpfs", MS_NOSUID | MS_NODEV, "size=16m,nr_inodes=4096,mode=755") < 0) die(WORK);
  if (mount("tmpfs", under("/log"), "tmpfs", MS_NOSUID | MS_NODEV, "size=16m,nr_inodes=64,mode=755") < 0) die("/log");

  if (syscall(SYS_pivot_root, top, under("/old")) < 0 || chdir("/") < 0) die("pivot_root");
  if (umount2("/old", MNT_DETACH) < 0 || rmdir("/old") < 0) die("umount /old");
  if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) < 0) die("remount /");
  // Bash cannot tell this file from a terminal's or a pipe's input: data that no analysis can know.
  write_file(INPUT, "c8 stdin\nrm stdin\na[$(c7 stdin)]\n*\n");
}

static void drop_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2];
  memset(none, 0, sizeof none);
  for (int cap = 0; cap < 64; cap++) prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) die("no_new_privs");
  if (syscall(SYS_capset, &header, none) < 0) die("capset");
}

void confine(const char *root, const char *stub, const char *names, char **programs) {
  char map[64];
  top = root;
  if (geteuid() == 0) {
    if (setgroups(0, NULL) < 0 || setresgid(OUTER_ID, OUTER_ID, OUTER_ID) < 0 ||
        setresuid(OUTER_ID, OUTER_ID, OUTER_ID) < 0)
      die("cannot become an unprivileged user");
    // Changing the user made /proc/self belong to root, and the maps below could not be written.
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  }
  uid_t uid = getuid();
  gid_t gid = getgid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) < 0)
    die("namespaces are not available (unshare)");
  write_file("/proc/self/setgroups", "deny");
  snprintf(map, sizeof map, "%d %d 1", INNER_ID, (int)uid);
  write_file("/proc/self/uid_map", map);
  snprintf(map, sizeof map, "%d %d 1", INNER_ID, (int)gid);
  write_file("/proc/self/gid_map", map);

  pid_t child = fork();
  if (child < 0) die("fork");
  if (child > 0) {
    int status;
    // Only process 1 may hold the pipes: when it ends, the reader must see the end.
    close(0);
    close(1);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  build_root(stub, names, programs);
  drop_capabilities();
}
