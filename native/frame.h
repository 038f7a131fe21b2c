// Frames between host, keeper and supervisors, all numbers little-endian:
//   u32 size of what follows, u8 type, u32 task, payload
// Payloads are defined next to frame.c: request.c (START), report.c (everything outbound).

#ifndef HARDSHELL_FRAME_H
#define HARDSHELL_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROTOCOL_VERSION 4
#define FRAME_HEADER 9u
/** A START carries argv and environment, which the kernel itself limits to about 2 MB. */
#define MAX_FRAME (4u << 20)
/** Every other frame. */
#define MAX_SMALL_FRAME (256u << 10)

enum inbound {
  IN_START = 1,
  IN_KILL = 2,
  IN_STDIN = 3,
  IN_STDIN_END = 4,
  IN_CREDIT = 5,
  IN_DETACH = 6,
  /** Answered with PONG: by the keeper, or, with a task, by the supervisor of that task. */
  IN_PING = 7,
  /** The host has the listeners of a task, or does not want them: u8, 0 = it has. */
  IN_LISTENING = 8,
  /** The process that is the proxy of a background task: u32 PID, u64 when it began, as in /proc. It ends with the task. */
  IN_PROXY = 9,
};

/** First byte of KILL; then u32: the grace period in ms, or the signal for the group. */
enum kill_mode { KILL_TREE = 0, KILL_SIGNAL = 1 };

enum outbound {
  OUT_HELLO = 129,
  OUT_STARTED = 130,
  OUT_CHUNK = 131,
  OUT_RESOURCE = 132,
  OUT_VIOLATION = 133,
  OUT_STDIN = 134,
  OUT_EXIT = 135,
  OUT_ERROR = 136,
  OUT_PONG = 137,
  /** Supervisor to keeper only: a task is over. u8: 1 = nothing is left of it, another may come. */
  OUT_DONE = 138,
  OUT_REFUSAL = 139,
  OUT_OBSERVED = 140,
  OUT_UNDONE = 141,
  OUT_EXPOSED = 142,
  OUT_TRACED = 143,
  OUT_STAGED = 144,
};

struct buffer {
  uint8_t *data;
  size_t start, end, capacity;
};

struct frame {
  uint8_t type;
  uint32_t task;
  const uint8_t *payload;
  uint32_t size;
  /** The frame with its header, to be forwarded unchanged. */
  const uint8_t *raw;
  size_t raw_size;
};

enum frame_result { FRAME_MALFORMED = -1, FRAME_INCOMPLETE = 0, FRAME_COMPLETE = 1 };

size_t buffer_size(const struct buffer *buffer);
/** Space for `more` bytes at the end; ends the process if there is no memory. */
void buffer_reserve(struct buffer *buffer, size_t more);
void buffer_append(struct buffer *buffer, const void *bytes, size_t size);
void buffer_free(struct buffer *buffer);
/** One read; the result is that of read(2). */
ssize_t buffer_fill(struct buffer *buffer, int fd, size_t most);
/** Writes what the descriptor accepts; -1 if the other side is gone. */
int buffer_flush(struct buffer *buffer, int fd);

/** Takes the next frame; its pointers are valid until the buffer is used again. `inbound` says which types may come. */
enum frame_result frame_next(struct buffer *buffer, struct frame *frame, int is_inbound);

/** Whether the payload of a frame from the host has a size and values that its type allows. */
int frame_is_sound(const struct frame *frame);

size_t frame_begin(struct buffer *buffer, uint8_t type, uint32_t task);
void frame_end(struct buffer *buffer, size_t begun);
void put_u8(struct buffer *buffer, uint8_t value);
void put_u32(struct buffer *buffer, uint32_t value);
void put_u64(struct buffer *buffer, uint64_t value);
uint32_t get_u32(const uint8_t *at);
uint64_t get_u64(const uint8_t *at);

#endif
