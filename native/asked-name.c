// A program that resolves names itself connects to the name server first, and is refused before it says what it asks. The C
// library has built its question by then: it is searched for on the caller's stack, above the stack pointer, the nearest first.

#define _GNU_SOURCE
#include "asked-name.h"
#include "keeper.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACK_BYTES (32u << 10)
#define PAGE_BYTES 4096u
/** RFC 1035, 4.1.1 and 4.1.2. */
#define HEADER_BYTES 12u
#define CLASS_INTERNET 1
#define RECURSION_WANTED 1
#define AUTHENTIC_DATA 0x20

/** The last but one number of /proc/PID/syscall; 0 if it is not known. */
static uint64_t stack_pointer(const struct notice *notice) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%u/syscall", notice->pid);
  if (read_text(path, text, sizeof text) <= 0) return 0;
  char *last = strrchr(text, ' ');
  if (last == NULL) return 0;
  *last = 0;
  char *at = strrchr(text, ' ');
  return at == NULL ? 0 : strtoull(at + 1, NULL, 16);
}

static size_t read_stack(const struct notice *notice, uint8_t *bytes) {
  uint64_t from = stack_pointer(notice);
  size_t count = 0;
  while (from != 0 && count < STACK_BYTES) {
    size_t part = PAGE_BYTES - (size_t)((from + count) % PAGE_BYTES);
    if (part > STACK_BYTES - count) part = STACK_BYTES - count;
    if (notice_read(notice, from + count, bytes + count, part) != 0) break;
    count += part;
  }
  return count;
}

/** A question without answers. */
static int is_question(const uint8_t *header) {
  static const uint8_t COUNTS[] = {0, 1, 0, 0, 0, 0, 0};
  return header[2] == RECURSION_WANTED && (header[3] & ~AUTHENTIC_DATA) == 0 && memcmp(header + 4, COUNTS, sizeof COUNTS) == 0 &&
         header[11] <= 1;
}

/** The labels of a question as a name; 0 if these are none. */
static int take_name(const uint8_t *at, const uint8_t *end, char *name, size_t size) {
  size_t length = 0;
  while (at < end && *at != 0) {
    size_t label = *at++;
    if (label > 63 || label >= (size_t)(end - at) || length + label + 2 > size) return 0;
    if (length > 0) name[length++] = '.';
    for (size_t i = 0; i < label; i++, at++) {
      if (!isalnum(*at) && *at != '-' && *at != '_') return 0;
      name[length++] = (char)*at;
    }
  }
  name[length] = 0;
  // The root, the type and the class.
  return length > 0 && end - at >= 5 && at[1] == 0 && at[3] == 0 && at[4] == CLASS_INTERNET;
}

int asked_name(const struct notice *notice, char *name, size_t size) {
  static uint8_t bytes[STACK_BYTES];
  size_t count = read_stack(notice, bytes);
  for (size_t at = 0; at + HEADER_BYTES < count; at++)
    if (is_question(bytes + at) && take_name(bytes + at + HEADER_BYTES, bytes + count, name, size)) return 1;
  return 0;
}
