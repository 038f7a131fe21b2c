// START payload → request: fields of u16 tag, u32 size, bytes; texts end in NUL, which their size counts.
// Refuses unknown tags, wrong sizes, NULs inside texts, and values out of range: a faulty host must be told.

#define _GNU_SOURCE
#include "request.h"
#include "confine.h"
#include "frame.h"
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum tag {
  TAG_FLAGS = 1,
  TAG_TIMEOUT_MS = 2,
  TAG_GRACE_MS = 3,
  TAG_ARGUMENT = 4,
  TAG_ENVIRONMENT = 5,
  TAG_CWD = 6,
  TAG_PROGRAM = 7,
  TAG_SPOOL = 8,
  TAG_HEAD_BYTES = 9,
  TAG_TAIL_BYTES = 10,
  TAG_CREDIT = 11,
  TAG_RLIMIT = 12,
  TAG_INPUT = 13,
  TAG_OUTPUT_LIMIT = 14,
  TAG_CPU_PERCENT = 15,
  TAG_MEMORY = 16,
  TAG_PROCESSES = 17,
  TAG_RECORD = 18,
  TAG_LEFTOVERS = 19,
  TAG_INTERVAL_MS = 20,
  TAG_UMASK = 21,
  TAG_RECORD_FIELDS = 22,
  TAG_LINGER_MS = 23,
  TAG_CONFINEMENT = 24,
  TAG_WORLD = 25,
  TAG_ROOM = 26,
};

#define FIELD_HEADER 6u
#define MAX_ROOM_NAME 128u
#define DAY_MS 86400000ull
#define MAX_KEPT (16ull << 30)

// The order is part of the protocol.
static const int RESOURCES[] = {
    RLIMIT_AS, RLIMIT_DATA, RLIMIT_CPU, RLIMIT_NPROC, RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_CORE, RLIMIT_STACK,
};
#define RESOURCE_COUNT (sizeof RESOURCES / sizeof *RESOURCES)

struct field {
  unsigned tag;
  uint8_t *at;
  size_t size;
};

static int next_field(uint8_t **at, const uint8_t *end, struct field *field) {
  if ((size_t)(end - *at) < FIELD_HEADER) return 0;
  field->tag = (unsigned)((*at)[0] | (*at)[1] << 8);
  field->size = get_u32(*at + 2);
  field->at = *at + FIELD_HEADER;
  if (field->size > (size_t)(end - field->at)) return 0;
  *at = field->at + field->size;
  return 1;
}

static const char *as_text(const struct field *field, size_t most) {
  if (field->size < 2 || field->size > most + 1) return NULL;
  if (memchr(field->at, 0, field->size) != field->at + field->size - 1) return NULL;
  return (const char *)field->at;
}

static const char *as_path(const struct field *field) {
  const char *text = as_text(field, MAX_PATH_TEXT);
  return text != NULL && text[0] == '/' ? text : NULL;
}

static int as_u32(const struct field *field, uint32_t least, uint32_t most, uint32_t *value) {
  if (field->size != 4) return 0;
  *value = get_u32(field->at);
  return *value >= least && *value <= most;
}

static int as_u64(const struct field *field, uint64_t most, uint64_t *value) {
  if (field->size != 8) return 0;
  *value = get_u64(field->at);
  return *value <= most;
}

static int add_rlimit(struct request *request, const struct field *field) {
  if (field->size != 9 || field->at[0] >= RESOURCE_COUNT || request->rlimit_count == MAX_RLIMITS) return 0;
  request->rlimits[request->rlimit_count++] =
      (struct request_limit){RESOURCES[field->at[0]], get_u64(field->at + 1)};
  return 1;
}

// An argument may be empty, any other text must not.
static int add_argument(struct request *request, const struct field *field) {
  if (field->size < 1 || field->size > MAX_TEXT) return 0;
  if (memchr(field->at, 0, field->size) != field->at + field->size - 1) return 0;
  request->argv[request->argc++] = (char *)field->at;
  return 1;
}

static int add_variable(struct request *request, const struct field *field) {
  const char *text = as_text(field, MAX_TEXT - 1);
  if (text == NULL || text[0] == '=' || strchr(text, '=') == NULL) return 0;
  request->env[request->envc++] = (char *)field->at;
  return 1;
}

static int take_field(struct request *request, const struct field *field) {
  uint32_t number;
  switch ((enum tag)field->tag) {
    case TAG_FLAGS: return as_u32(field, 0, FLAG_ALL, &request->flags);
    case TAG_TIMEOUT_MS: return as_u64(field, 365 * DAY_MS, &request->timeout_ms);
    case TAG_GRACE_MS: return as_u32(field, 0, 600000, &request->grace_ms);
    case TAG_LINGER_MS: return as_u32(field, 0, 600000, &request->linger_ms);
    case TAG_INTERVAL_MS: return as_u32(field, 0, 3600000, &request->interval_ms) && request->interval_ms != 1;
    case TAG_ARGUMENT: return add_argument(request, field);
    case TAG_ENVIRONMENT: return add_variable(request, field);
    case TAG_CWD: return (request->cwd = as_path(field)) != NULL;
    case TAG_WORLD: return (request->world = as_path(field)) != NULL;
    case TAG_ROOM: return (request->room = as_text(field, MAX_ROOM_NAME)) != NULL;
    case TAG_PROGRAM: return (request->program = as_text(field, MAX_PATH_TEXT)) != NULL;
    // Space for the suffixes of related files.
    case TAG_SPOOL: return field->size < MAX_PATH_TEXT - 16 && (request->spool = as_path(field)) != NULL;
    case TAG_RECORD: return field->size < MAX_PATH_TEXT - 32 && (request->record = as_path(field)) != NULL;
    case TAG_RECORD_FIELDS: return (request->record_fields = as_text(field, MAX_TEXT * 2)) != NULL;
    // The stream map has one bit per byte: head and tail must each fill whole bytes of it.
    case TAG_HEAD_BYTES: return as_u64(field, MAX_KEPT, &request->head_bytes) && request->head_bytes % 8 == 0;
    case TAG_TAIL_BYTES: return as_u64(field, MAX_KEPT, &request->tail_bytes) && request->tail_bytes % 8 == 0;
    case TAG_OUTPUT_LIMIT: return as_u64(field, UINT64_MAX, &request->output_limit);
    case TAG_MEMORY: return as_u64(field, UINT64_MAX, &request->memory);
    case TAG_CREDIT: return as_u32(field, 0, 1u << 30, &request->credit);
    case TAG_CPU_PERCENT: return as_u32(field, 0, 1000000, &request->cpu_percent);
    case TAG_PROCESSES: return as_u32(field, 0, 4194304, &request->processes);
    case TAG_UMASK: return as_u32(field, 0, 0777, &request->umask);
    case TAG_RLIMIT: return add_rlimit(request, field);
    case TAG_CONFINEMENT: return confine_parse(&request->confinement, field->at, field->size) == NULL;
    case TAG_INPUT:
      request->input = field->at;
      request->input_size = field->size;
      return 1;
    case TAG_LEFTOVERS:
      if (!as_u32(field, 0, LEFTOVERS_LEAVE, &number)) return 0;
      request->leftovers = (uint8_t)number;
      return 1;
  }
  return 0;
}

// Fields are counted first, so that one block can hold the bytes and both lists.
const char *request_parse(struct request *request, const uint8_t *payload, size_t size) {
  *request = (struct request){.grace_ms = 1000, .linger_ms = 250, .umask = UMASK_INHERITED, .head_bytes = 48u << 20,
                              .tail_bytes = 16u << 20};
  size_t arguments = 0, variables = 0;
  struct field field;
  for (uint8_t *at = (uint8_t *)(uintptr_t)payload, *end = at + size; at < end;) {
    if (!next_field(&at, end, &field)) return "a field is truncated";
    arguments += field.tag == TAG_ARGUMENT;
    variables += field.tag == TAG_ENVIRONMENT;
  }
  size_t lists = (arguments + variables + 2) * sizeof(char *);
  request->memory_block = calloc(1, lists + size + 1);
  if (request->memory_block == NULL) return "out of memory";
  request->argv = (char **)(void *)request->memory_block;
  request->env = request->argv + arguments + 1;
  uint8_t *bytes = request->memory_block + lists;
  if (size > 0) memcpy(bytes, payload, size);
  request->payload = bytes;
  request->payload_size = size;
  for (uint8_t *at = bytes, *end = bytes + size; at < end;)
    if (!next_field(&at, end, &field) || !take_field(request, &field)) return "a field is unknown or out of range";
  if (request->program == NULL || request->argc == 0 || request->cwd == NULL)
    return "a program, its arguments and a folder are required";
  if ((request->flags & FLAG_BACKGROUND) && request->spool == NULL) return "a background task needs an output file";
  if (request->record_fields != NULL && request->record == NULL) return "record fields need a record";
  return NULL;
}

int request_is_background(const uint8_t *payload, size_t size) {
  struct field field;
  uint8_t *at = (uint8_t *)(uintptr_t)payload;
  return next_field(&at, payload + size, &field) && field.tag == TAG_FLAGS && field.size == 4 &&
         (get_u32(field.at) & FLAG_BACKGROUND);
}

const char *request_world(const uint8_t *payload, size_t size) {
  struct field field;
  for (uint8_t *at = (uint8_t *)(uintptr_t)payload; next_field(&at, payload + size, &field);)
    if (field.tag == TAG_WORLD) return as_path(&field);
  return NULL;
}

void request_free(struct request *request) {
  confine_free(request->confinement);
  free(request->memory_block);
  *request = (struct request){0};
}
