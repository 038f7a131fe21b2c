// Finds the cgroups of this process and tries to create folders below them; a controller of version 2 counts only if it is
// already delegated there. Nothing above our own folders is ever changed.

#define _GNU_SOURCE
#include "cgroup.h"
#include "keeper.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static int write_text(const char *folder, const char *name, const char *text) {
  char path[768];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return 0;
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t count = write(fd, text, strlen(text));
  close(fd);
  return count == (ssize_t)strlen(text);
}

static int write_number(const char *folder, const char *name, uint64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%" PRIu64, value);
  return write_text(folder, name, text);
}

static int has_file(const char *folder, const char *name) {
  char path[768];
  return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && access(path, W_OK) == 0;
}

/** The number in a file, or after a word at the beginning of one of its lines. Whether there is one. */
static int read_number(const char *folder, const char *name, const char *word, uint64_t *value) {
  char path[768], text[2048];
  size_t length = word == NULL ? 0 : strlen(word);
  if (folder[0] == 0 || snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return 0;
  if (read_text(path, text, sizeof text) <= 0) return 0;
  for (char *line = text; line != NULL && *line != 0; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    if (length > 0 && (strncmp(line, word, length) != 0 || line[length] != ' ')) continue;
    *value = strtoull(line + length, NULL, 10);
    return 1;
  }
  return 0;
}

/** Whether a list separated by commas has this word. */
static int is_listed(const char *list, const char *word) {
  size_t length = strlen(word);
  for (; list != NULL; list = strchr(list, ',')) {
    if (*list == ',') list++;
    if (strncmp(list, word, length) == 0 && (list[length] == 0 || list[length] == ',')) return 1;
  }
  return 0;
}

/** The mount of a controller, or of version 2 if it is NULL: which cgroup is its root, and where it is. */
static int find_mount(const char *controller, char root[512], char point[512]) {
  FILE *file = fopen("/proc/self/mountinfo", "re");
  char line[4096], options[512];
  int is_found = 0;
  while (file != NULL && !is_found && fgets(line, sizeof line, file) != NULL) {
    char *rest = strstr(line, controller == NULL ? " - cgroup2 " : " - cgroup ");
    if (rest == NULL || sscanf(line, "%*s %*s %*s %511s %511s", root, point) != 2) continue;
    is_found = controller == NULL || (sscanf(rest, " - cgroup %*s %511s", options) == 1 && is_listed(options, controller));
  }
  if (file != NULL) fclose(file);
  return is_found;
}

/** The cgroup of this process. */
static int find_own(const char *controller, char path[512]) {
  FILE *file = fopen("/proc/self/cgroup", "re");
  char line[1024], *names, *own;
  int is_found = 0;
  while (file != NULL && !is_found && fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = 0;
    if ((names = strchr(line, ':')) == NULL || (own = strchr(++names, ':')) == NULL) continue;
    *own++ = 0;
    if (own[0] != '/' || (controller == NULL ? names[0] != 0 : !is_listed(names, controller))) continue;
    is_found = snprintf(path, 512, "%s", own) < 512;
  }
  if (file != NULL) fclose(file);
  return is_found;
}

static int find_folder(const char *controller, char folder[512]) {
  char root[512], point[512], own[512];
  if (!find_mount(controller, root, point) || !find_own(controller, own)) return 0;
  const char *below = own;
  size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
  // In a container, the mount shows the container's part; a namespace shows the path relative to it already.
  if (length > 0 && strncmp(own, root, length) == 0 && (own[length] == '/' || own[length] == 0)) below += length;
  return snprintf(folder, 512, "%s%s", point, strcmp(below, "/") == 0 ? "" : below) < 512;
}

// In our folder a controller can be enabled for the tasks, if the folder above it has it enabled.
static uint32_t open_base(const char *above, char base[512]) {
  if (snprintf(base, 512, "%s/hardshell-%d", above, getpid()) >= 512 || mkdir(base, 0700) < 0) {
    base[0] = 0;
    return 0;
  }
  uint32_t features = CGROUP_USABLE | CGROUP_CPU_TIME;
  if (write_text(base, "cgroup.subtree_control", "+memory")) features |= CGROUP_MEMORY;
  if (write_text(base, "cgroup.subtree_control", "+pids")) features |= CGROUP_PIDS;
  if (write_text(base, "cgroup.subtree_control", "+cpu")) features |= CGROUP_CPU;
  if (has_file(base, "cgroup.kill")) features |= CGROUP_KILL;
  return features;
}

/** Whether systemd has marked a folder as one in which its service may create others (Delegate=). */
static int is_delegated(const char *folder) {
  char value[8];
  return getxattr(folder, "user.delegate", value, sizeof value) == 1 && value[0] == '1';
}

// A folder with processes cannot enable controllers for folders below it, and the cgroup of this process has one. A service
// with DelegateSubgroup= has its processes in a folder below its own, where controllers can then be enabled.
static uint32_t detect_unified(char base[512]) {
  char own[512], other[512];
  base[0] = 0;
  if (!find_folder(NULL, own)) return 0;
  uint32_t features = open_base(own, base), controllers = CGROUP_MEMORY | CGROUP_PIDS | CGROUP_CPU;
  *strrchr(own, '/') = 0;
  if ((features & controllers) || !is_delegated(own)) return features;
  uint32_t more = open_base(own, other);
  int is_better = (more & controllers) != 0;
  const char *unused = is_better ? base : other;
  if (unused[0] != 0) rmdir(unused);
  if (!is_better) return features;
  snprintf(base, 512, "%s", other);
  return more;
}

static const struct {
  const char *name;
  uint32_t feature;
} CONTROLLERS[CGROUP_FOLDERS] = {
    [FOLDER_MEMORY] = {"memory", CGROUP_MEMORY},
    [FOLDER_PIDS] = {"pids", CGROUP_PIDS},
    [FOLDER_CPU] = {"cpu", CGROUP_CPU},
    [FOLDER_CPU_TIME] = {"cpuacct", CGROUP_CPU_TIME},
};

void cgroup_detect(struct cgroup_support *support) {
  *support = (struct cgroup_support){0};
  support->features = detect_unified(support->base[FOLDER_UNIFIED]);
  for (int i = FOLDER_MEMORY; i < CGROUP_FOLDERS; i++) {
    if (support->features & CONTROLLERS[i].feature) continue;
    if (find_folder(CONTROLLERS[i].name, support->base[i]) && access(support->base[i], W_OK) == 0)
      support->features |= CGROUP_USABLE | CONTROLLERS[i].feature;
    else support->base[i][0] = 0;
  }
}

// A process that was killed could not remove its folders, which have its PID in their names. One that is in use stays: it has
// processes in it, or folders.
static void remove_abandoned(const char *base, const char *prefix) {
  char path[768];
  DIR *folder = opendir(base);
  size_t length = strlen(prefix);
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    int pid, is_named = strncmp(entry->d_name, prefix, length) == 0 && sscanf(entry->d_name + length, "%d", &pid) == 1;
    if (!is_named || pid <= 1 || kill(pid, 0) == 0 || errno != ESRCH) continue;
    // Below the folder of a keeper are those of its supervisors.
    if (length > 0 && snprintf(path, sizeof path, "%s/%s", base, entry->d_name) < (int)sizeof path) remove_abandoned(path, "");
    unlinkat(dirfd(folder), entry->d_name, AT_REMOVEDIR);
  }
  if (folder != NULL) closedir(folder);
}

void cgroup_forget(const struct cgroup_support *support) {
  for (int i = FOLDER_MEMORY; i < CGROUP_FOLDERS; i++)
    if (support->base[i][0] != 0) remove_abandoned(support->base[i], "hardshell-");
  if (support->base[FOLDER_UNIFIED][0] == 0) return;
  remove_abandoned(support->base[FOLDER_UNIFIED], "");
  rmdir(support->base[FOLDER_UNIFIED]);
  char own[512];
  snprintf(own, sizeof own, "%s", support->base[FOLDER_UNIFIED]);
  *strrchr(own, '/') = 0;
  remove_abandoned(own, "hardshell-");
}

static const char *folder_of(const struct cgroup *cgroup, enum cgroup_folder version1) {
  return cgroup->paths[version1][0] != 0 ? cgroup->paths[version1] : cgroup->paths[FOLDER_UNIFIED];
}

static int limit_memory(const struct cgroup *cgroup, uint64_t bytes) {
  const char *old = cgroup->paths[FOLDER_MEMORY], *new = cgroup->paths[FOLDER_UNIFIED];
  if (old[0] == 0) {
    if (new[0] == 0 || !write_number(new, "memory.max", bytes)) return 0;
    write_text(new, "memory.swap.max", "0");
    return 1;
  }
  if (!write_number(old, "memory.limit_in_bytes", bytes)) return 0;
  // Memory and swap together; a kernel that does not count swap has no such file.
  write_number(old, "memory.memsw.limit_in_bytes", bytes);
  return 1;
}

static int limit_cpu(const struct cgroup *cgroup, uint32_t percent) {
  const char *old = cgroup->paths[FOLDER_CPU], *new = cgroup->paths[FOLDER_UNIFIED];
  char text[64];
  snprintf(text, sizeof text, "%u 100000", percent * 1000u);
  if (old[0] == 0) return new[0] != 0 && write_text(new, "cpu.max", text);
  return write_number(old, "cpu.cfs_period_us", 100000) && write_number(old, "cpu.cfs_quota_us", percent * 1000u);
}

static int open_folder(struct cgroup *cgroup, const struct cgroup_support *support, int folder, unsigned number) {
  char procs[768], *path = cgroup->paths[folder];
  const char *base = support->base[folder];
  const char *format = folder == FOLDER_UNIFIED ? "%s/%d-%u" : "%s/hardshell-%d-%u";
  int size = snprintf(path, sizeof cgroup->paths[folder], format, base, getpid(), number);
  // Two controllers of version 1 may share a hierarchy: then the folder exists, and has been joined.
  int is_shared = folder == FOLDER_CPU_TIME && cgroup->paths[FOLDER_CPU][0] != 0 && strcmp(cgroup->paths[FOLDER_CPU], path) == 0;
  if (is_shared) return 1;
  if (size >= (int)sizeof cgroup->paths[folder] || mkdir(path, 0700) < 0) return path[0] = 0;
  snprintf(procs, sizeof procs, "%s/cgroup.procs", path);
  if ((cgroup->procs[folder] = open(procs, O_WRONLY | O_CLOEXEC)) >= 0) return 1;
  rmdir(path);
  return path[0] = 0;
}

static struct cgroup no_cgroup(void) {
  struct cgroup none = {0};
  for (int i = 0; i < CGROUP_FOLDERS; i++) none.procs[i] = -1;
  return none;
}

void cgroup_create(struct cgroup *cgroup, const struct cgroup_support *support, const struct request *request) {
  static unsigned count;
  *cgroup = no_cgroup();
  if (!(request->flags & FLAG_CGROUP) || !(support->features & CGROUP_USABLE)) return;
  const int wanted[CGROUP_FOLDERS] = {1, request->memory > 0, request->processes > 0, request->cpu_percent > 0, 1};
  count++;
  for (int i = 0; i < CGROUP_FOLDERS; i++)
    if (wanted[i] && support->base[i][0] != 0 && open_folder(cgroup, support, i, count)) cgroup->features |= CGROUP_USABLE;
  if (cgroup->paths[FOLDER_UNIFIED][0] != 0) cgroup->features |= support->features & CGROUP_KILL;
  uint64_t time[2];
  if (cgroup_cpu_time(cgroup, &time[0], &time[1])) cgroup->features |= CGROUP_CPU_TIME;
  if (request->memory > 0 && limit_memory(cgroup, request->memory)) cgroup->features |= CGROUP_MEMORY;
  if (request->processes > 0 && folder_of(cgroup, FOLDER_PIDS)[0] != 0 &&
      write_number(folder_of(cgroup, FOLDER_PIDS), "pids.max", request_task_limit(request)))
    cgroup->features |= CGROUP_PIDS;
  if (request->cpu_percent > 0 && limit_cpu(cgroup, request->cpu_percent)) cgroup->features |= CGROUP_CPU;
}

int cgroup_join(const int procs[CGROUP_FOLDERS]) {
  for (int i = 0; i < CGROUP_FOLDERS; i++)
    if (procs[i] >= 0 && write(procs[i], "0", 1) != 1) return -1;
  return 0;
}

int cgroup_kill(const struct cgroup *cgroup) {
  return (cgroup->features & CGROUP_KILL) && write_text(cgroup->paths[FOLDER_UNIFIED], "cgroup.kill", "1");
}

uint64_t cgroup_peak(const struct cgroup *cgroup) {
  uint64_t bytes = 0;
  if (!(cgroup->features & CGROUP_MEMORY)) return 0;
  if (cgroup->paths[FOLDER_MEMORY][0] != 0)
    return read_number(cgroup->paths[FOLDER_MEMORY], "memory.max_usage_in_bytes", NULL, &bytes) ? bytes : 0;
  return read_number(cgroup->paths[FOLDER_UNIFIED], "memory.peak", NULL, &bytes) ? bytes : 0;
}

int cgroup_cpu_time(const struct cgroup *cgroup, uint64_t *user_us, uint64_t *system_us) {
  const char *old = cgroup->paths[FOLDER_CPU_TIME], *new = cgroup->paths[FOLDER_UNIFIED];
  if (read_number(new, "cpu.stat", "user_usec", user_us) && read_number(new, "cpu.stat", "system_usec", system_us)) return 1;
  if (!read_number(old, "cpuacct.usage_user", NULL, user_us) || !read_number(old, "cpuacct.usage_sys", NULL, system_us))
    return 0;
  *user_us /= 1000;
  *system_us /= 1000;
  return 1;
}

struct cgroup_events cgroup_read_events(const struct cgroup *cgroup) {
  struct cgroup_events events = {0, 0};
  const char *old = cgroup->paths[FOLDER_MEMORY];
  if (cgroup->features & CGROUP_MEMORY)
    read_number(old[0] != 0 ? old : cgroup->paths[FOLDER_UNIFIED], old[0] != 0 ? "memory.oom_control" : "memory.events", "oom_kill",
                &events.memory_kills);
  if (cgroup->features & CGROUP_PIDS)
    read_number(folder_of(cgroup, FOLDER_PIDS), "pids.events", "max", &events.refused_forks);
  return events;
}

void cgroup_remove(struct cgroup *cgroup) {
  for (int i = 0; i < CGROUP_FOLDERS; i++) {
    if (cgroup->procs[i] >= 0) close(cgroup->procs[i]);
    if (cgroup->paths[i][0] != 0) rmdir(cgroup->paths[i]);
  }
  *cgroup = no_cgroup();
}
