// START: the host's request. Every field is checked for size and range before it is used.

#ifndef HARDSHELL_REQUEST_H
#define HARDSHELL_REQUEST_H

#include <stddef.h>
#include <stdint.h>

enum request_flag {
  /** Two pipes and a map of which stream wrote each byte; otherwise one pipe for both, in exact order. */
  FLAG_SPLIT = 1,
  /** Continues when the host is gone. */
  FLAG_BACKGROUND = 2,
  /** The command waits for the live consumer. */
  FLAG_PACE = 4,
  /** The spool file exists from the start, even when it stays empty. */
  FLAG_EAGER = 8,
  /** stdin stays open for later STDIN frames. */
  FLAG_STDIN_OPEN = 16,
  FLAG_CGROUP = 32,
  FLAG_ALL = 63,
};

enum leftovers { LEFTOVERS_KILL = 0, LEFTOVERS_WAIT = 1, LEFTOVERS_LEAVE = 2 };

#define UMASK_INHERITED UINT32_MAX

enum { MAX_RLIMITS = 16, MAX_TEXT = 128 * 1024, MAX_PATH_TEXT = 4095 };

struct request_limit {
  int resource;
  uint64_t value;
};

struct confinement;

struct request {
  uint32_t flags;
  uint64_t timeout_ms;
  uint32_t grace_ms, linger_ms, interval_ms;
  const char *program, *cwd, *spool, *record, *record_fields;
  /** Where the process listens that keeps its world; NULL = it has none. */
  const char *world;
  /** A name for rights that only the host knows: commands with the same one may share a room. NULL = it has none. */
  const char *room;
  char **argv, **env;
  size_t argc, envc;
  uint64_t head_bytes, tail_bytes, output_limit;
  uint32_t credit;
  struct request_limit rlimits[MAX_RLIMITS];
  size_t rlimit_count;
  const uint8_t *input;
  size_t input_size;
  uint32_t cpu_percent, processes;
  uint64_t memory;
  /** The host's own unless given. */
  uint32_t umask;
  uint8_t leftovers;
  /** NULL = none. */
  struct confinement *confinement;
  /** The fields as received. */
  const uint8_t *payload;
  size_t payload_size;
  /** Owns everything that the pointers above point to. */
  uint8_t *memory_block;
};

/** The kernel cannot tell threads from processes: its limit is this many times that of processes, which is polled. */
#define THREADS_PER_PROCESS 64u

static inline uint32_t request_task_limit(const struct request *request) {
  return request->processes <= 4194304u / THREADS_PER_PROCESS ? request->processes * THREADS_PER_PROCESS : 4194304u;
}

/** NULL if the request is valid, otherwise the error. Free it in both cases. */
const char *request_parse(struct request *request, const uint8_t *payload, size_t size);
/** For the keeper, which parses nothing: reads the flags, which must come first. */
int request_is_background(const uint8_t *payload, size_t size);
/** For the keeper as well: the path of the world, or NULL. */
const char *request_world(const uint8_t *payload, size_t size);
void request_free(struct request *request);

#endif
