// cgroup v2, if this user may use it: exact kills and hard limits. Missing features are reported, never assumed.

#ifndef HARDSHELL_CGROUP_H
#define HARDSHELL_CGROUP_H

#include "request.h"
#include <stdint.h>

enum cgroup_feature { CGROUP_USABLE = 1, CGROUP_KILL = 2, CGROUP_MEMORY = 4, CGROUP_PIDS = 8, CGROUP_CPU = 16 };

struct cgroup_support {
  uint32_t features;
  /** Folder of this keeper, below which each task gets its own on request. */
  char base[512];
};

struct cgroup {
  uint32_t features;
  char path[640];
  /** For the child, which adds itself before it becomes the command; -1 without a cgroup. */
  int procs;
};

void cgroup_detect(struct cgroup_support *support);
void cgroup_forget(const struct cgroup_support *support);
void cgroup_create(struct cgroup *cgroup, const struct cgroup_support *support, const struct request *request);
int cgroup_kill(const struct cgroup *cgroup);
/** Peak memory in bytes, 0 if it is not counted. */
uint64_t cgroup_peak(const struct cgroup *cgroup);
void cgroup_remove(struct cgroup *cgroup);

#endif
