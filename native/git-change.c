// The settings of a repository before and after a change → whether only settings differ that run nothing. Every other line
// must stay as it is, in its order and its section: unusual syntax is never interpreted, only compared.

#define _GNU_SOURCE
#include "sweep.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/** Reads one text line by line. */
struct reader {
  const struct settings_text *text, *before;
  const struct setting_names *names;
  const char *folder;
  size_t at;
  char section[MAX_SECTION];
  /** The last line that began a section. */
  struct settings_text header;
  /** The repository is a partial clone already. */
  int is_partial;
  /** The last line ended with a backslash, which may join the next one to it. */
  int continues;
};

static int is_named(const struct setting_names *names, const char *key) {
  for (const char *name = names->begin; name < names->end; name += strlen(name) + 1) {
    size_t length = strlen(name + 1);
    if (strncmp(key, name + 1, length) == 0 && (key[length] == 0 || key[length] == '.')) return 1;
  }
  return 0;
}

/** Whether the address of this remote must stay: of a partial clone, git fetches missing objects with every command. A remote
 * that the settings did not mention before can be added. */
static int is_fixed_address(const struct reader *reader, const char *key) {
  const struct settings_text *header = &reader->header, *before = reader->before;
  if (!reader->is_partial || strcmp(key, "remote.*.url") != 0) return 0;
  const char *begin = memchr(header->bytes, '"', header->size);
  const char *end = begin == NULL ? NULL : memchr(begin + 1, '"', header->size - (size_t)(begin + 1 - header->bytes));
  if (end == NULL) return 1;
  size_t length = (size_t)(end - begin - 1);
  return length == 0 || memmem(before->bytes, before->size, begin + 1, length) != NULL;
}

/** Whether a line is of a kind that may change. */
static int is_free(struct reader *reader, const struct settings_text *bytes) {
  char line[MAX_SETTING_LINE], key[MAX_KEY];
  size_t size = bytes->size;
  int is_plain = size < sizeof line && !reader->continues;
  reader->continues = size > 0 && bytes->bytes[size - 1] == '\\';
  memcpy(line, bytes->bytes, size < sizeof line ? size : sizeof line - 1);
  line[size < sizeof line ? size : sizeof line - 1] = 0;
  for (size_t i = 0; i < size && is_plain; i++)
    is_plain = ((unsigned char)line[i] >= ' ' || line[i] == '\t') && line[i] != 127 && line[i] != '\\';
  size_t at = skip_blanks(line, 0);
  if (line[at] == '[') {
    int is_header = is_plain && take_header(line + at, reader->section);
    // What follows an unusual one is in no section that is known.
    if (!is_header) reader->section[0] = 0;
    reader->header = *bytes;
    return is_header;
  }
  if (!is_plain) return 0;
  if (line[at] == 0 || line[at] == '#' || line[at] == ';') return 1;
  if (!is_inert_setting(line + at, reader->section, reader->folder, key)) return 0;
  // Of another object format, every file of the repository would be another one.
  if (is_partial_setting(key) || strcmp(key, "extensions.objectformat") == 0 || is_fixed_address(reader, key)) return 0;
  return is_named(reader->names, key);
}

/** The next line that must not change, without its end; 0 if there is none. */
static int next_fixed(struct reader *reader, struct settings_text *line) {
  while (reader->at < reader->text->size) {
    const char *begin = reader->text->bytes + reader->at;
    size_t left = reader->text->size - reader->at;
    const char *end = memchr(begin, '\n', left);
    size_t length = end == NULL ? left : (size_t)(end - begin);
    reader->at += length + 1;
    if (length > 0 && begin[length - 1] == '\r') length--;
    *line = (struct settings_text){begin, length};
    if (!is_free(reader, line)) return 1;
  }
  return 0;
}

static int is_same(const struct settings_text *a, const struct settings_text *b) {
  return a->size == b->size && (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

// `[remote "x"]` and `url = y` → `remote.x.url`, for people.
static void name_setting(const struct reader *reader, const struct settings_text *line, char *which, size_t room) {
  size_t length = 0;
  const struct settings_text *header = &reader->header;
  for (size_t i = 0; i < header->size && header->bytes[i] != ']' && length + 2 < room; i++) {
    char character = header->bytes[i];
    if (character == ' ') which[length++] = '.';
    else if (isgraph((unsigned char)character) && strchr("[\"\\", character) == NULL) which[length++] = character;
  }
  if (line->bytes != header->bytes && length + 1 < room) which[length++] = '.';
  for (size_t i = 0; line->bytes != header->bytes && i < line->size && length + 1 < room; i++) {
    unsigned char character = (unsigned char)line->bytes[i];
    if (isalnum(character) || character == '-') which[length++] = (char)character;
    else if (length > 0 && which[length - 1] != '.') break;
  }
  which[length] = 0;
}

int is_inert_change(const struct settings_text *before, const struct settings_text *after, const char *folder,
                    const struct setting_names *names, char *which, size_t room) {
  int is_partial = has_partial_text(before->bytes, before->size);
  struct reader old = {.text = before, .before = before, .names = names, .folder = folder, .is_partial = is_partial};
  struct reader new = {.text = after, .before = before, .names = names, .folder = folder, .is_partial = is_partial};
  for (;;) {
    struct settings_text a, b;
    int has_old = next_fixed(&old, &a), has_new = next_fixed(&new, &b);
    if (!has_old && !has_new) return 1;
    if (has_old && has_new && is_same(&a, &b) && is_same(&old.header, &new.header)) continue;
    int is_removed = has_old && memmem(after->bytes, after->size, a.bytes, a.size) == NULL;
    if (has_new && !is_removed) name_setting(&new, &b, which, room);
    else name_setting(&old, &a, which, room);
    return 0;
  }
}
