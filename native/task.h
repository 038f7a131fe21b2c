// One task inside its supervisor: from START to EXIT.

#ifndef HARDSHELL_TASK_H
#define HARDSHELL_TASK_H

#include "cgroup.h"
#include "frame.h"
#include "request.h"
#include "spawn.h"
#include "spool.h"
#include "tree.h"
#include <sys/resource.h>

/** Why we ended a command; part of the protocol and of the record. */
enum cause {
  CAUSE_NONE = 0,
  CAUSE_TIMEOUT = 1,
  CAUSE_CANCELLED = 2,
  CAUSE_HOST_GONE = 3,
  CAUSE_OUTPUT = 4,
  CAUSE_MEMORY = 5,
  CAUSE_CPU = 6,
  CAUSE_PROCESSES = 7,
  CAUSE_DISK = 8,
  CAUSE_STOPPED = 9,
  CAUSE_EXPOSED = 10,
  CAUSE_CPU_TIME = 11,
};

enum error_code { ERROR_REQUEST = 1, ERROR_START = 2, ERROR_SPOOL = 3, ERROR_SUPERVISOR = 4, ERROR_INIT = 5 };

/** Part of the protocol. */
enum memory_measure { MEMORY_OF_LARGEST = 0, MEMORY_SAMPLED = 1, MEMORY_BY_CGROUP = 2 };

/** The state of the tree. */
enum phase { PHASE_RUNNING, PHASE_LINGERING, PHASE_TERMINATING, PHASE_KILLING, PHASE_GONE };

/** What was no longer hidden or protected; part of the protocol. See exposure.c. */
enum exposed { EXPOSED_HIDDEN = 0, EXPOSED_PROTECTED = 1, EXPOSED_APPEARED = 2, EXPOSED_UNKNOWN = 3 };

/** Reported for one task. */
#define MAX_REFUSALS 100
/** Processes that are named if they could not be ended; the others are counted. */
#define MAX_UNENDED 10

/** Part of the protocol. `empty`: nothing has changed. `running`: they are in the stage until a verb lands or drops them. */
enum staged_state { STAGED_EMPTY = 0, STAGED_RUNNING = 1, STAGED_HELD = 2, STAGED_LANDED = 3, STAGED_FAILED = 4 };

struct staged_result {
  enum staged_state state;
  /** Units that landed, names that are held, and names that changed. */
  uint32_t landed, held, names;
};

struct spent {
  uint64_t user_us, system_us, peak_rss;
};

/** What was seen of the living tree; see measure.c. */
struct samples {
  uint32_t count, cost_us, processes, peak_processes;
  /** Between two of them, and the longest time without one. */
  uint32_t every_ms, longest_gap_ms;
  uint64_t at_us, report_at_ms, window_at_us, window_cpu_us, reported_cpu_us, reported_at_us;
  /** Processor time so far: of the living and the ended. */
  uint64_t user_us, system_us;
  uint64_t memory, peak_memory, io[2];
  unsigned cpu_strikes;
};

struct task {
  uint32_t id;
  struct request request;
  struct spawned command;
  struct cgroup cgroup;
  struct spool spool;
  struct tree tree;
  /** `link` is -1 once the keeper is gone; `lane` is where our frames go, which may be the link. */
  int link, lane;
  struct buffer out;
  /** Bytes for stdin that the pipe has not accepted yet. */
  struct buffer input;
  int input_ends;
  uint32_t credit;
  int is_background, is_over_output;

  uint64_t started_us, started_wall_ms;
  /** Points in time in ms; 0 = none. */
  uint64_t timeout_at, phase_at, sample_at, give_up_at;
  enum phase phase;
  enum cause cause;
  int is_leader_gone, is_init_gone, status, was_left, is_reported;
  /** Another process killed the first process of the namespaces, and the command with it: how it would have ended is unknown. */
  int is_init_lost;
  /** Its room ends, with everything in it: when the first process there is gone, nothing is left. */
  int is_room_ending;
  /** There may be more children to reap than were reaped. */
  int has_dead;
  unsigned quick_rounds;
  /** Children that end leave nothing to reap. */
  int lets_vanish;
  size_t leftovers_killed;
  /** Processes that were killed and are still there, by their numbers outside; see `give_up`. */
  uint32_t unended_count, unended[MAX_UNENDED];
  /** Of processes that have ended, as their reapers know it: ours, or the init of its namespaces. */
  struct spent spent;
  /** When the init of its namespaces is killed if it has not ended by then; 0 = it was not told to. */
  uint64_t init_until;
  /** The init was killed before it had reaped everything inside: what it reported is incomplete. */
  int is_cut_off;
  /** What the init counted for us. */
  int has_io_inside;
  uint64_t io_inside[2];
  /** Processes and threads that were started; 0 if it is not known. */
  uint32_t started_count;

  /** By their subject, so that each is reported once; and how many there were beyond these. */
  uint64_t refusals[MAX_REFUSALS];
  uint32_t refusal_count, refusals_untold, observed_untold;
  /** Observations are sent in batches, so that the host is not woken for each; `seen_at`: when, 0 = none pending. */
  struct buffer seen;
  uint64_t seen_at;

  /** Where protected names that appear are reported, or -1; see undo.c. */
  int undo_fd;
  /** Points into the request; NULL = everything is enforced as planned. */
  const char *exposed;
  enum exposed exposed_how;
  /** When the writable folders are searched again; 0 = never. */
  uint64_t sweep_at;
  /** How many names were found where none may be. */
  uint32_t undone, undone_untold;
  /** The first of them, as JSON; see record.c. */
  struct buffer undone_names;

  struct samples samples;
};

// report.c
void report_started(struct task *task);
size_t report_room(const struct task *task);
void report_chunk(struct task *task, enum stream stream, uint64_t offset, const uint8_t *bytes, size_t size);
void report_pong(struct task *task);
void report_input(struct task *task, uint32_t taken, int is_closed);
void report_resource(struct task *task, uint32_t cpu_percent);
void report_violation(struct task *task, enum cause which, uint64_t limit, uint64_t seen);
/** A refused operation of the command; `what` is an enum refused. */
void report_refusal(struct task *task, int what, int error, const char *target);
/** Whether there was space for it; `what` is an enum observed. */
int report_observed(struct task *task, int what, const char *target);
/** What was found under a name that had to stay absent, and where it is now; empty = nowhere. */
/** FNV-1a, continued from `hash`. */
uint64_t hash_text(uint64_t hash, const char *text);
void report_undone(struct task *task, int what, const char *path, const char *moved);
/** A file that is no longer hidden or protected. */
void report_exposed(struct task *task, enum exposed how, const char *path);
/** A process of another command that traces one of this one: its PID there, or 0 if it is outside, and its name. */
void report_traced(struct task *task, uint32_t pid, const char *name);
/** What became of staged changes. */
void report_staged(struct task *task, const struct staged_result *result);
/** Sends pending frames, if it is time or there are enough. */
void report_seen(struct task *task, int is_last);
void report_exit(struct task *task);
/** Reads and writes of children so far belong to ended tasks. */
void report_settle_io(void);
/** Bytes that reaped children of this task have read and written; none if its init reaps them. */
void report_reaped_io(const struct task *task, uint64_t io[2]);
void report_error(struct buffer *out, uint32_t task, enum error_code code, int step, int error, const char *text);

// record.c
void record_write(struct task *task);
size_t record_line(const struct task *task, char *line, size_t size);

// terminate.c
/** Starts to end the tree; the first cause counts. */
void end_task(struct task *task, enum cause cause, uint32_t grace_ms);
/** Called when a deadline has passed or a child has ended. */
void advance_ending(struct task *task);
void reap(struct task *task);
/** Processes were killed and do not end: notes which. */
void give_up(struct task *task);
/** The init of a task's namespaces has reported how the command ended, or is gone. */
void hear_end(struct task *task);
/** The room of the task, which was ending, is gone. */
void hear_room_end(struct task *task);
/** Until the namespaces of an ended task are gone; 0 if there is nothing to wait for. */
int wait_for_init(struct task *task);
/** To the command and the processes that it started, without waiting. */
void signal_command(struct task *task, int signal);

// measure.c
/** When the task has started: plans the first sample, if any are needed. */
void measure_begin(struct task *task);
/** When it is time: measures the tree, and enforces the limits that the kernel does not hold. */
void measure_sample(struct task *task);
/** Before processes are killed whose usage their reaper may not learn. */
void measure_before_kill(struct task *task);
/** When the tree is gone: what the kernel has refused meanwhile also counts. */
void measure_end(struct task *task);
/** Processor time of the whole tree. */
struct spent measure_spent(const struct task *task);
/** Peak memory of the whole tree, and how it was measured. */
uint64_t measure_peak(const struct task *task, enum memory_measure *how);

#endif
