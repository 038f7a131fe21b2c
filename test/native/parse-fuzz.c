// parse-fuzz SEED COUNT: throws frames at the keeper's parsers, half of them nearly right. Runs nothing.
// Built with sanitizers; also checks the guarantees of a parsed request.

#define _GNU_SOURCE
#include "../../native/confine.h"
#include "../../native/frame.h"
#include "../../native/keeper.h"
#include "../../native/request.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t state;
static unsigned long sound, refused, confined;

void die(const char *what) {
  fprintf(stderr, "%s\n", what);
  _exit(70);
}

static uint32_t next_random(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(state >> 16);
}

static uint32_t below(uint32_t limit) { return next_random() % limit; }

static void put_field(struct buffer *out, unsigned tag, const void *bytes, size_t size) {
  put_u8(out, (uint8_t)tag);
  put_u8(out, (uint8_t)(tag >> 8));
  put_u32(out, (uint32_t)size);
  buffer_append(out, bytes, size);
}

// Sizes that fields expect come often; so do texts that end in NUL.
static void put_random_field(struct buffer *out) {
  static const size_t SIZES[] = {0, 1, 2, 4, 8, 9, 5, 100, 4095, 4096, 131072, 131073};
  static uint8_t bytes[131073];
  size_t size = below(3) ? SIZES[below(9)] : below(40) ? SIZES[below(10)] : SIZES[below(12)];
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(below(4) ? 'a' + below(26) : below(8) ? '=' : below(256));
  if (size > 0 && below(2)) bytes[0] = '/';
  if (size > 0 && below(3)) bytes[size - 1] = 0;
  if (size >= 4 && below(2)) memset(bytes + 1, 0, size - 1);
  put_field(out, below(26), bytes, size);
}

// Mostly right: a version, flags, optional steps, entries of every kind.
static void put_confinement(struct buffer *out) {
  static const char *const PATHS[] = {"/", "/a", "/a/b", "/a/0", "/a/../b", "/a//b", "a", "/a/", "/.", ""};
  struct buffer field = {0};
  put_u8(&field, below(20) ? 1 : (uint8_t)below(256));
  put_u32(&field, below(8) ? 512u | below(512) | CONFINE_IN_NAMESPACES | (below(3) ? 0 : below(16) << 10) | (below(16) ? 0 : CONFINE_STAGED) : below(32768));
  put_u32(&field, below(4) ? 0 : below(1u << 19));
  for (uint32_t count = below(4); count > 0; count--) {
    uint8_t kind = (uint8_t)below(below(8) ? 17 : ENTRY_KINDS);
    const char *path = PATHS[below(below(3) ? 4 : 10)];
    size_t size = strlen(path) + 1;
    int is_port = (kind >= ENTRY_CONNECT_PORT && kind <= ENTRY_PUBLISH) || kind == ENTRY_HOST_PORT;
    size_t total = is_port ? 2 : kind == ENTRY_BIND || kind == ENTRY_STAGE ? 2 * size : size;
    if (below(30) == 0) total += below(3);
    put_u8(&field, kind);
    put_u8(&field, (uint8_t)total);
    put_u8(&field, (uint8_t)(total >> 8));
    for (size_t i = 0; i < total; i++) put_u8(&field, is_port || i >= 2 * size ? (uint8_t)below(256) : (uint8_t)path[i % size]);
  }
  put_field(out, 24, field.data, buffer_size(&field));
  buffer_free(&field);
}

// `..` as a separate part; a name may start with it.
static int goes_up(const char *path) {
  for (const char *at = path; (at = strstr(at, "/..")) != NULL; at++)
    if (at[3] == '/' || at[3] == 0) return 1;
  return 0;
}

static void check_confinement(const struct confinement *confinement) {
  if (confinement->flags & ~(uint32_t)CONFINE_FLAG_ALL || confinement->optional >> CONFINE_STEPS) die("flags out of range");
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    int is_port = (entry->kind >= ENTRY_CONNECT_PORT && entry->kind <= ENTRY_PUBLISH) || entry->kind == ENTRY_HOST_PORT;
    if (entry->kind < ENTRY_WRITE || entry->kind >= ENTRY_KINDS || (entry->path == NULL) != is_port) die("a wrong entry was taken");
    if (!is_port && (entry->path[0] != '/' || goes_up(entry->path) || strstr(entry->path, "//"))) die("a wrong path was taken");
    if ((entry->kind == ENTRY_BIND || entry->kind == ENTRY_STAGE) != (entry->from != NULL)) die("a bind without its source");
    if (confine_is_list(entry->kind) != (entry->end != NULL)) die("a list without its end");
    for (const char *path = entry->path; entry->end != NULL && path < entry->end; path += strlen(path) + 1)
      if (path[0] != '/' || goes_up(path) || strstr(path, "//")) die("a wrong path was taken in a list");
  }
}

static void put_start(struct buffer *out) {
  if (below(3) == 0) put_confinement(out);
  if (below(8)) put_field(out, 7, "/bin/true", 10);
  if (below(8)) put_field(out, 6, "/tmp", 5);
  if (below(8)) put_field(out, 4, "true", 5);
  for (uint32_t count = below(6); count > 0; count--) put_random_field(out);
}

static void check_texts(char **list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strlen(list[i]) > MAX_TEXT) die("a text is too long");
  if (list[count] != NULL) die("a list does not end");
}

static void parse_request(const struct frame *frame) {
  struct request request;
  if (request_parse(&request, frame->payload, frame->size) == NULL) {
    sound++;
    check_texts(request.argv, request.argc);
    check_texts(request.env, request.envc);
    if (request.program == NULL || request.cwd[0] != '/' || request.flags > FLAG_ALL || request.head_bytes % 8 != 0)
      die("a request that must be refused was taken");
    if (request.confinement != NULL) {
      confined++;
      check_confinement(request.confinement);
    }
    if (request.spool != NULL && strlen(request.spool) >= MAX_PATH_TEXT) die("a path is too long");
  } else {
    refused++;
  }
  request_free(&request);
}

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  state = strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15u + 1;
  struct buffer out = {0};
  for (unsigned long i = strtoul(argv[2], NULL, 10); i > 0; i--) {
    struct frame frame;
    out.start = out.end = 0;
    size_t begun = frame_begin(&out, (uint8_t)(below(4) ? IN_START : below(256)), below(3));
    put_start(&out);
    frame_end(&out, begun);
    for (uint32_t flips = below(3) ? 0 : below(4); flips > 0; flips--)
      out.data[below(below(2) ? (uint32_t)out.end : 64 < out.end ? 64 : (uint32_t)out.end)] ^= (uint8_t)(1u << below(8));
    if (below(16) == 0) out.end = below((uint32_t)out.end + 1);
    // An exact copy, so that a read behind its end is seen.
    struct buffer copy = {malloc(out.end ? out.end : 1), 0, out.end, out.end};
    if (copy.data == NULL) die("memory");
    memcpy(copy.data, out.data, out.end);
    while (frame_next(&copy, &frame, 1) == FRAME_COMPLETE)
      if (frame_is_sound(&frame) && frame.type == IN_START) parse_request(&frame);
    free(copy.data);
  }
  buffer_free(&out);
  printf("%lu sound, %lu refused, %lu confined\n", sound, refused, confined);
  return 0;
}
