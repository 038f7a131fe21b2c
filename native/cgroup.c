// Finds the cgroup v2 folder of this process and tries to create one below it; a controller counts only if it is already
// delegated there. Nothing above our own folder is ever changed.

#define _GNU_SOURCE
#include "cgroup.h"
#include "keeper.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_text(const char *folder, const char *name, const char *text) {
  char path[768];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return 0;
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t size = (ssize_t)strlen(text);
  int is_done = write(fd, text, (size_t)size) == size;
  close(fd);
  return is_done;
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

static int find_mount(char *mount, size_t size) {
  FILE *file = fopen("/proc/self/mountinfo", "re");
  char line[4096], point[512];
  int is_found = 0;
  while (file != NULL && !is_found && fgets(line, sizeof line, file) != NULL)
    if (strstr(line, " - cgroup2 ") != NULL && sscanf(line, "%*s %*s %*s %*s %511s", point) == 1)
      is_found = snprintf(mount, size, "%s", point) < (int)size;
  if (file != NULL) fclose(file);
  return is_found;
}

static int find_own(char *path, size_t size) {
  FILE *file = fopen("/proc/self/cgroup", "re");
  char line[1024];
  int is_found = 0;
  while (file != NULL && !is_found && fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, "0::/", 4) != 0) continue;
    line[strcspn(line, "\n")] = 0;
    is_found = snprintf(path, size, "%s", line + 3) < (int)size;
  }
  if (file != NULL) fclose(file);
  return is_found;
}

void cgroup_detect(struct cgroup_support *support) {
  char mount[512], own[512];
  *support = (struct cgroup_support){0};
  if (!find_mount(mount, sizeof mount) || !find_own(own, sizeof own)) return;
  if (strcmp(own, "/") == 0) own[0] = 0;
  if (snprintf(support->base, sizeof support->base, "%s%s/hardshell-%d", mount, own, getpid()) >=
          (int)sizeof support->base ||
      mkdir(support->base, 0700) < 0) {
    support->base[0] = 0;
    return;
  }
  // Inside our own folder a controller can be enabled for the tasks, if the parent folder delegates it.
  uint32_t features = CGROUP_USABLE;
  if (write_text(support->base, "cgroup.subtree_control", "+memory")) features |= CGROUP_MEMORY;
  if (write_text(support->base, "cgroup.subtree_control", "+pids")) features |= CGROUP_PIDS;
  if (write_text(support->base, "cgroup.subtree_control", "+cpu")) features |= CGROUP_CPU;
  if (has_file(support->base, "cgroup.kill")) features |= CGROUP_KILL;
  support->features = features;
}

void cgroup_forget(const struct cgroup_support *support) {
  if (support->base[0] != 0) rmdir(support->base);
}

void cgroup_create(struct cgroup *cgroup, const struct cgroup_support *support, const struct request *request) {
  static unsigned count;
  *cgroup = (struct cgroup){.procs = -1};
  if (!(request->flags & FLAG_CGROUP) || !(support->features & CGROUP_USABLE)) return;
  if (snprintf(cgroup->path, sizeof cgroup->path, "%s/%d-%u", support->base, getpid(), count++) >=
          (int)sizeof cgroup->path ||
      mkdir(cgroup->path, 0700) < 0) {
    cgroup->path[0] = 0;
    return;
  }
  char procs[768];
  snprintf(procs, sizeof procs, "%s/cgroup.procs", cgroup->path);
  cgroup->procs = open(procs, O_WRONLY | O_CLOEXEC);
  if (cgroup->procs < 0) {
    cgroup_remove(cgroup);
    return;
  }
  cgroup->features = CGROUP_USABLE | (support->features & CGROUP_KILL);
  if (request->memory > 0 && write_number(cgroup->path, "memory.max", request->memory)) {
    write_text(cgroup->path, "memory.swap.max", "0");
    cgroup->features |= CGROUP_MEMORY;
  }
  if (request->processes > 0 && write_number(cgroup->path, "pids.max", request->processes))
    cgroup->features |= CGROUP_PIDS;
  if (request->cpu_percent > 0) {
    char text[64];
    snprintf(text, sizeof text, "%u 100000", request->cpu_percent * 1000u);
    if (write_text(cgroup->path, "cpu.max", text)) cgroup->features |= CGROUP_CPU;
  }
}

int cgroup_kill(const struct cgroup *cgroup) {
  return (cgroup->features & CGROUP_KILL) && write_text(cgroup->path, "cgroup.kill", "1");
}

uint64_t cgroup_peak(const struct cgroup *cgroup) {
  char path[768], text[64];
  if (!(cgroup->features & CGROUP_MEMORY)) return 0;
  snprintf(path, sizeof path, "%s/memory.peak", cgroup->path);
  return read_text(path, text, sizeof text) > 0 ? strtoull(text, NULL, 10) : 0;
}

void cgroup_remove(struct cgroup *cgroup) {
  if (cgroup->procs >= 0) close(cgroup->procs);
  if (cgroup->path[0] != 0) rmdir(cgroup->path);
  *cgroup = (struct cgroup){.procs = -1};
}
