// The record of a task on disk, one JSON object, replaced by rename; and the last line of its output file.
// The host writes nothing here after the start: the record must be correct long after the host is gone.

#define _GNU_SOURCE
#include "keeper.h"
#include "task.h"
#include "undo.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const CAUSES[] = {
    "none", "timeout", "cancelled", "host-gone", "output-limit", "memory-limit", "cpu-limit", "process-limit", "disk", "stopped",
    "exposed", "cpu-time-limit",
};

static const char *const EXPOSURES[] = {
    "was replaced outside and no longer hidden",
    "was replaced outside and no longer protected",
    "appeared outside and was not hidden",
    "could not be watched",
};

static void add(struct buffer *buffer, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  buffer_append(buffer, text, size < (int)sizeof text ? (size_t)size : sizeof text - 1);
}

/** What `exposedHow` says; in the words of src/run/port.ts. */
static const char *const EXPOSURE_KINDS[] = {"hidden", "protected", "appeared", "unwatched"};

/** Names that the record lists; the others are counted. */
#define MAX_NAMED 5

static void add_string(struct buffer *json, const char *text) {
  add(json, "\"");
  for (; *text != 0; text++)
    if ((unsigned char)*text < 0x20 || *text == '"' || *text == '\\') add(json, "\\u%04x", (unsigned char)*text);
    else buffer_append(json, text, 1);
  add(json, "\"");
}

void record_undone(struct task *task, enum undone what, const char *path, const char *moved) {
  struct buffer *json = &task->undone_names;
  if (task->undone > MAX_NAMED) return;
  add(json, "%s{\"path\":", buffer_size(json) == 0 ? "" : ",");
  add_string(json, path);
  add(json, ",\"movedTo\":");
  if (*moved == 0) add(json, "null");
  else add_string(json, moved);
  add(json, ",\"isLeft\":%s}", what == UNDONE_LEFT ? "true" : "false");
}

static void describe(struct buffer *json, const struct task *task) {
  char boot[64] = "";
  read_text("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
  boot[strcspn(boot, "\n")] = 0;
  add(json, "{");
  if (task->request.record_fields != NULL) {
    buffer_append(json, task->request.record_fields, strlen(task->request.record_fields));
    add(json, ",");
  }
  add(json, "\"state\":\"%s\",\"pid\":%d,\"pgid\":%d,\"supervisor\":%d,\"supervisorStart\":%" PRIu64 ",\"bootId\":\"%s\"",
      task->is_leader_gone ? "finished" : "running", spawned_command(&task->command), spawned_command(&task->command), getpid(),
      own_start(), boot);
  add(json, ",\"startedAt\":%" PRIu64, task->started_wall_ms);
  if (task->is_leader_gone) {
    int is_signal = WIFSIGNALED(task->status);
    add(json, ",\"finishedAt\":%" PRIu64 ",\"%s\":%d,\"cause\":\"%s\"", wall_ms(), is_signal ? "signal" : "exitCode",
        is_signal ? WTERMSIG(task->status) : WEXITSTATUS(task->status),
        task->is_init_lost ? "sandbox-killed" : CAUSES[task->cause]);
    add(json, ",\"stdoutBytes\":%" PRIu64 ",\"stderrBytes\":%" PRIu64 ",\"headBytes\":%" PRIu64 ",\"tailBytes\":%" PRIu64,
        task->spool.streams[STREAM_OUT], task->spool.streams[STREAM_ERR], spool_head_kept(&task->spool),
        spool_tail_kept(&task->spool));
    if (task->unended_count > 0) {
      add(json, ",\"unended\":%" PRIu32 ",\"unendedPids\":[", task->unended_count);
      for (uint32_t i = 0; i < task->unended_count && i < MAX_UNENDED; i++) add(json, "%s%" PRIu32, i == 0 ? "" : ",", task->unended[i]);
      add(json, "]");
    }
    if (task->spool.error != 0) add(json, ",\"spoolError\":%d", task->spool.error);
    if (task->exposed != NULL) {
      add(json, ",\"exposedHow\":\"%s\",\"exposed\":", EXPOSURE_KINDS[task->exposed_how]);
      add_string(json, task->exposed);
    }
    add(json, ",\"refused\":%" PRIu32 ",\"undone\":%" PRIu32 ",\"undoneNames\":[", task->refusal_count + task->refusals_untold,
        task->undone);
    buffer_append(json, task->undone_names.data + task->undone_names.start, buffer_size(&task->undone_names));
    add(json, "]");
  }
  add(json, "}\n");
}

void record_write(struct task *task) {
  char draft[4128];
  if (task->request.record == NULL) return;
  snprintf(draft, sizeof draft, "%s.%d.new", task->request.record, getpid());
  int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return;
  struct buffer json = {0};
  describe(&json, task);
  size_t size = buffer_size(&json);
  // An incomplete record never replaces the last one.
  int is_whole = write(fd, json.data + json.start, size) == (ssize_t)size && fsync(fd) == 0;
  buffer_free(&json);
  close(fd);
  if (!is_whole || rename(draft, task->request.record) < 0) unlink(draft);
}

size_t record_line(const struct task *task, char *line, size_t size) {
  double seconds = (double)(now_us() - task->started_us) / 1e6;
  char how[64], why[320] = "", kept[128] = "", undone[64] = "", unended[64] = "";
  if (WIFSIGNALED(task->status)) snprintf(how, sizeof how, "ended by signal %d", WTERMSIG(task->status));
  else snprintf(how, sizeof how, "exit code %d", WEXITSTATUS(task->status));
  if (task->cause == CAUSE_EXPOSED && task->exposed != NULL)
    snprintf(why, sizeof why, " (%s %s)", task->exposed, EXPOSURES[task->exposed_how]);
  else if (task->is_init_lost) snprintf(why, sizeof why, " (the first process of the sandbox was killed from outside)");
  else if (task->cause != CAUSE_NONE) snprintf(why, sizeof why, " (%s)", CAUSES[task->cause]);
  uint64_t head = spool_head_kept(&task->spool), tail = spool_tail_kept(&task->spool);
  if (head + tail < task->spool.total)
    snprintf(kept, sizeof kept, ", kept the first %" PRIu64 " and the last %" PRIu64 " of %" PRIu64 " bytes", head, tail,
             task->spool.total);
  if (task->undone > 0) snprintf(undone, sizeof undone, ", protected names removed: %" PRIu32, task->undone);
  if (task->unended_count > 0) snprintf(unended, sizeof unended, ", processes that could not be ended: %" PRIu32, task->unended_count);
  int written = snprintf(line, size, "[hardshell] finished: %s%s after %.1f s%s%s%s\n", how, why, seconds, kept, undone, unended);
  return written < (int)size ? (size_t)written : size - 1;
}
