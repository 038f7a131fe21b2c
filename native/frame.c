// Buffers and frames. Refuses impossible sizes and types; the meaning of a payload is checked where it is used.

#define _GNU_SOURCE
#include "frame.h"
#include "keeper.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t buffer_size(const struct buffer *buffer) { return buffer->end - buffer->start; }

void buffer_reserve(struct buffer *buffer, size_t more) {
  if (buffer->start == buffer->end) buffer->start = buffer->end = 0;
  if (buffer->capacity - buffer->end >= more) return;
  size_t size = buffer_size(buffer);
  if (buffer->start > 0) {
    memmove(buffer->data, buffer->data + buffer->start, size);
    buffer->start = 0;
    buffer->end = size;
  }
  if (buffer->capacity - size >= more) return;
  size_t capacity = buffer->capacity ? buffer->capacity : 1024;
  while (capacity - size < more) capacity *= 2;
  uint8_t *data = realloc(buffer->data, capacity);
  if (data == NULL) die("memory");
  buffer->data = data;
  buffer->capacity = capacity;
}

void buffer_append(struct buffer *buffer, const void *bytes, size_t size) {
  if (size == 0) return;
  buffer_reserve(buffer, size);
  memcpy(buffer->data + buffer->end, bytes, size);
  buffer->end += size;
}

void buffer_free(struct buffer *buffer) {
  free(buffer->data);
  *buffer = (struct buffer){0};
}

ssize_t buffer_fill(struct buffer *buffer, int fd, size_t most) {
  buffer_reserve(buffer, most);
  ssize_t count;
  do count = read(fd, buffer->data + buffer->end, most);
  while (count < 0 && errno == EINTR);
  if (count > 0) buffer->end += (size_t)count;
  return count;
}

int buffer_flush(struct buffer *buffer, int fd) {
  while (buffer->start < buffer->end) {
    ssize_t count = write(fd, buffer->data + buffer->start, buffer_size(buffer));
    if (count > 0) buffer->start += (size_t)count;
    else if (count < 0 && errno == EINTR) continue;
    else if (count < 0 && errno == EAGAIN) return 0;
    else return -1;
  }
  return 0;
}

static int is_known(uint8_t type, int is_inbound) {
  return is_inbound ? type >= IN_START && type <= IN_PROXY : type >= OUT_HELLO && type <= OUT_STAGED;
}

int frame_is_sound(const struct frame *frame) {
  if (frame->task == 0 && frame->type != IN_PING) return 0;
  switch ((enum inbound)frame->type) {
    case IN_START: return 1;
    case IN_KILL:
      if (frame->size != 5 || frame->payload[0] > KILL_SIGNAL) return 0;
      uint32_t value = get_u32(frame->payload + 1);
      return frame->payload[0] == KILL_SIGNAL ? value >= 1 && value <= 64 : value <= 600000;
    case IN_STDIN: return frame->size > 0;
    case IN_CREDIT: return frame->size == 4 && get_u32(frame->payload) <= 1u << 30;
    case IN_STDIN_END:
    case IN_DETACH: return frame->size == 0;
    case IN_PING: return frame->size <= 64;
    case IN_LISTENING: return frame->size == 1;
    case IN_PROXY: return frame->size == 12 && get_u32(frame->payload) > 1 && get_u32(frame->payload) <= INT32_MAX;
  }
  return 0;
}

enum frame_result frame_next(struct buffer *buffer, struct frame *frame, int is_inbound) {
  size_t available = buffer_size(buffer);
  const uint8_t *at = buffer->data + buffer->start;
  if (available < FRAME_HEADER) return FRAME_INCOMPLETE;
  uint32_t size = get_u32(at);
  // Checked before the body arrives: a wrong size must not make us wait for, or buffer, megabytes.
  if (size < FRAME_HEADER - 4 || size > (at[4] == IN_START ? MAX_FRAME : MAX_SMALL_FRAME)) return FRAME_MALFORMED;
  if (!is_known(at[4], is_inbound)) return FRAME_MALFORMED;
  if (available < size + 4u) return FRAME_INCOMPLETE;
  *frame = (struct frame){
      .type = at[4],
      .task = get_u32(at + 5),
      .payload = at + FRAME_HEADER,
      .size = size - (FRAME_HEADER - 4),
      .raw = at,
      .raw_size = size + 4u,
  };
  buffer->start += frame->raw_size;
  return FRAME_COMPLETE;
}

size_t frame_begin(struct buffer *buffer, uint8_t type, uint32_t task) {
  buffer_reserve(buffer, FRAME_HEADER);
  size_t begun = buffer_size(buffer);
  put_u32(buffer, 0);
  put_u8(buffer, type);
  put_u32(buffer, task);
  return begun;
}

void frame_end(struct buffer *buffer, size_t begun) {
  uint32_t size = (uint32_t)(buffer_size(buffer) - begun - 4);
  uint8_t *at = buffer->data + buffer->start + begun;
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(size >> (8 * i));
}

void put_u8(struct buffer *buffer, uint8_t value) { buffer_append(buffer, &value, 1); }

static void put_number(struct buffer *buffer, uint64_t value, int bytes) {
  uint8_t text[8];
  for (int i = 0; i < bytes; i++) text[i] = (uint8_t)(value >> (8 * i));
  buffer_append(buffer, text, (size_t)bytes);
}

void put_u32(struct buffer *buffer, uint32_t value) { put_number(buffer, value, 4); }
void put_u64(struct buffer *buffer, uint64_t value) { put_number(buffer, value, 8); }

static uint64_t get_number(const uint8_t *at, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++) value |= (uint64_t)at[i] << (8 * i);
  return value;
}

uint32_t get_u32(const uint8_t *at) { return (uint32_t)get_number(at, 4); }
uint64_t get_u64(const uint8_t *at) { return get_number(at, 8); }
