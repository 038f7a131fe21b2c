// cgroups, if this user may use them: limits held by the kernel for a whole tree, its processor time and peak memory, and
// exact kills. Version 2, and for controllers that it lacks, version 1. Missing features are reported, never assumed.

#ifndef HARDSHELL_CGROUP_H
#define HARDSHELL_CGROUP_H

#include "request.h"
#include <stdint.h>

/** Part of the protocol. */
enum cgroup_feature {
  CGROUP_USABLE = 1,
  CGROUP_KILL = 2,
  CGROUP_MEMORY = 4,
  CGROUP_PIDS = 8,
  CGROUP_CPU = 16,
  CGROUP_CPU_TIME = 32,
};

/** The unified hierarchy, and those of version 1, which may be one folder for several. */
enum cgroup_folder { FOLDER_UNIFIED, FOLDER_MEMORY, FOLDER_PIDS, FOLDER_CPU, FOLDER_CPU_TIME, CGROUP_FOLDERS };

struct cgroup_support {
  uint32_t features;
  /** Where a task gets its own folder on request: for version 2 a folder of this keeper, for version 1 its own cgroup.
   * Empty = not used. */
  char base[CGROUP_FOLDERS][512];
};

struct cgroup {
  uint32_t features;
  /** Empty = none. */
  char paths[CGROUP_FOLDERS][640];
  /** For the child, which adds itself before it becomes the command; -1 = none. */
  int procs[CGROUP_FOLDERS];
};

/** What the kernel has refused so far because of the limits. */
struct cgroup_events {
  uint64_t memory_kills, refused_forks;
};

void cgroup_detect(struct cgroup_support *support);
void cgroup_forget(const struct cgroup_support *support);
void cgroup_create(struct cgroup *cgroup, const struct cgroup_support *support, const struct request *request);
/** In the child; 0, or -1 with errno. Only system calls. */
int cgroup_join(const int procs[CGROUP_FOLDERS]);
int cgroup_kill(const struct cgroup *cgroup);
/** Peak memory in bytes, 0 if it is not counted. */
uint64_t cgroup_peak(const struct cgroup *cgroup);
/** Processor time of all processes that were ever in it; whether it is counted. */
int cgroup_cpu_time(const struct cgroup *cgroup, uint64_t *user_us, uint64_t *system_us);
struct cgroup_events cgroup_read_events(const struct cgroup *cgroup);
void cgroup_remove(struct cgroup *cgroup);

#endif
