// An index → whether git can use it safely. Git checks paths when it adds them, and trusts those that it reads: `git status`
// enters the submodule `../x`, and `git restore .` writes the file `.git/hooks/x`. Format: gitformat-index(5).

#define _GNU_SOURCE
#include "git-index.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

#define HEADER_BYTES 12
/** Before the object name: times, device, inode, mode, owners, size. */
#define STATUS_BYTES 40
#define MODE_AT 24
#define MAX_NAME 16384
#define LENGTH_MASK 0xfffu
#define IS_EXTENDED 0x4000u
/** Of the second flags: intent to add, and not in the work tree. Git refuses others. */
#define KNOWN_FLAGS 0x6000u

static uint32_t read32(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static unsigned read16(const uint8_t *at) { return (unsigned)at[0] << 8 | at[1]; }

/** Characters that HFS+ ignores in names. */
static const char *skip_ignored(const char *text) {
  for (const uint8_t *at = (const uint8_t *)text;; at += 3) {
    int is_mark = at[0] == 0xe2 && at[1] == 0x80 && ((at[2] >= 0x8c && at[2] <= 0x8f) || (at[2] >= 0xaa && at[2] <= 0xae));
    int is_shape = at[0] == 0xe2 && at[1] == 0x81 && at[2] >= 0xaa && at[2] <= 0xaf;
    if (!is_mark && !is_shape && !(at[0] == 0xef && at[1] == 0xbb && at[2] == 0xbf)) return (const char *)at;
  }
}

/** Whether some file system takes the first part of a path for this name: by its case, ignored characters, or its end. */
static int is_taken_for(const char *part, const char *name) {
  for (; *name != 0; name++, part++) {
    part = skip_ignored(part);
    if (tolower((unsigned char)*part) != *name) return 0;
  }
  part = skip_ignored(part);
  part += strspn(part, ". ");
  return *part == 0 || strchr("/\\:", *part) != NULL;
}

static int is_safe_part(const char *part, uint32_t mode) {
  size_t length = strcspn(part, "/");
  if (length == 0 || (length == 1 && part[0] == '.') || (length == 2 && part[0] == '.' && part[1] == '.')) return 0;
  if (is_taken_for(part, ".git") || is_taken_for(part, "git~1")) return 0;
  return mode != GIT_LINK || !is_taken_for(part, ".gitmodules");
}

int is_safe_git_path(const char *path, uint32_t mode) {
  for (const char *part = path;;) {
    if (!is_safe_part(part, mode)) return 0;
    for (const char *at = part; *at != 0 && *at != '/'; at++)
      if (*at == '\\' && (is_taken_for(at + 1, ".git") || is_taken_for(at + 1, "git~1"))) return 0;
    part += strcspn(part, "/");
    if (*part == 0) return mode != GIT_FOLDER;
    // A folder of a sparse index ends with a slash.
    if (*++part == 0) return mode == GIT_FOLDER;
  }
}

/** The entries, one after the other. */
struct entries {
  const uint8_t *bytes;
  /** Without the checksum. */
  size_t size, hash_size, at;
  unsigned version;
  char name[MAX_NAME];
  size_t length;
  unsigned stage;
  int has_nameless, has_folders;
  /** Of the entries so far, without the status of their files. */
  uint64_t digest;
};

/** As in version 4: the bytes that the name does not have in common with the last one. Returns the bytes read, or 0. */
static size_t read_number(const uint8_t *at, size_t room, size_t *number) {
  size_t count = 0;
  if (room == 0) return 0;
  for (*number = at[0] & 127u; at[count] & 128u;) {
    if (++count >= room || count > 3) return 0;
    *number = ((*number + 1) << 7) + (at[count] & 127u);
  }
  return count + 1;
}

static int is_known_mode(uint32_t mode) {
  return mode == GIT_FILE || mode == GIT_PROGRAM || mode == GIT_LINK || mode == GIT_SUBMODULE || mode == GIT_FOLDER;
}

/** Names are in order, as git searches them by halves. Entries of a split index without names come first. */
static int is_after(const char *last, size_t last_length, unsigned last_stage, const struct entries *entries) {
  size_t shorter = last_length < entries->length ? last_length : entries->length;
  int order = memcmp(last, entries->name, shorter);
  if (order != 0) return order < 0;
  return last_length == entries->length ? last_length == 0 || last_stage < entries->stage : last_length < entries->length;
}

static void digest_bytes(struct entries *entries, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) entries->digest = (entries->digest ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3ull;
}

/** `starts_block`: git may read this entry without the one before it. */
static int take_entry(struct entries *entries, int is_first, int starts_block) {
  static char last[MAX_NAME];
  size_t left = entries->size - entries->at, skipped = 0, last_length = entries->length, kept = 0;
  const uint8_t *start = entries->bytes + entries->at;
  size_t fixed = STATUS_BYTES + entries->hash_size + 2;
  if (left < fixed + 2) return 0;
  uint32_t mode = read32(start + MODE_AT);
  unsigned flags = read16(start + fixed - 2), last_stage = entries->stage;
  if (flags & IS_EXTENDED) {
    if (read16(start + fixed) & ~KNOWN_FLAGS) return 0;
    fixed += 2;
  }
  if (entries->version == 4) {
    size_t number = read_number(start + fixed, left - fixed, &skipped);
    if (number == 0 || skipped > last_length) return 0;
    fixed += number;
    kept = last_length - skipped;
    if (starts_block && kept > 0) return 0;
  }
  const uint8_t *end = memchr(start + fixed, 0, left - fixed);
  if (end == NULL || !is_known_mode(mode)) return 0;
  size_t added = (size_t)(end - (start + fixed)), length = kept + added;
  // A length that differs from the text would make git read something else.
  if (length >= MAX_NAME || (flags & LENGTH_MASK) != (length < LENGTH_MASK ? length : LENGTH_MASK)) return 0;
  memcpy(last, entries->name, last_length);
  memcpy(entries->name + kept, start + fixed, added + 1);
  entries->length = length;
  entries->stage = flags >> 12 & 3u;
  size_t used = entries->version == 4 ? fixed + added + 1 : (fixed + length + 8) & ~(size_t)7;
  if (used > left || (!is_first && !is_after(last, last_length, last_stage, entries))) return 0;
  entries->at += used;
  digest_bytes(entries, start + MODE_AT, 4);
  digest_bytes(entries, start + STATUS_BYTES, entries->hash_size + (flags & IS_EXTENDED ? 4 : 2));
  digest_bytes(entries, entries->name, length + 1);
  entries->has_nameless |= length == 0;
  entries->has_folders |= mode == GIT_FOLDER;
  return length == 0 || is_safe_git_path(entries->name, mode);
}

/** Offsets of entries with which git reads a large index in several threads (IEOT). */
struct blocks {
  const uint8_t *at;
  size_t count;
};

static int take_entries(struct entries *entries, uint32_t count, struct blocks blocks) {
  uint32_t in_block = 0;
  entries->at = HEADER_BYTES;
  entries->length = entries->stage = 0;
  entries->digest = 0xcbf29ce484222325ull;
  for (uint32_t i = 0; i < count; i++) {
    int starts_block = blocks.at != NULL && in_block == 0;
    if (starts_block) {
      if (blocks.count == 0 || read32(blocks.at) != entries->at || (in_block = read32(blocks.at + 4)) == 0) return 0;
      blocks.at += 8;
      blocks.count--;
    }
    if (!take_entry(entries, i == 0, starts_block)) return 0;
    in_block -= blocks.at != NULL;
  }
  return in_block == 0 && blocks.count == 0;
}

struct extensions {
  struct blocks blocks;
  int is_split, is_sparse;
};

static int is_zero(const uint8_t *bytes, size_t size) {
  while (size > 0 && bytes[size - 1] == 0) size--;
  return size == 0;
}

/** Skips a text that ends with NUL; NULL if there is none. */
static const uint8_t *skip_text(const uint8_t *at, const uint8_t *end) {
  const uint8_t *found = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
  return found == NULL ? NULL : found + 1;
}

static const uint8_t *skip_number(const uint8_t *at, const uint8_t *end, size_t *number) {
  size_t count = at < end ? read_number(at, (size_t)(end - at), number) : 0;
  return count == 0 ? NULL : at + count;
}

/** Folders with untracked files (UNTR), one name for each level: `git status` lists `../x`, and keeps in the index what it
 * finds there. The first one is the work tree itself. */
static int has_safe_folders(const uint8_t *at, size_t size, size_t hash_size) {
  const uint8_t *end = at + size;
  size_t length = 0, count = 0, files = 0, folders = 0;
  // Where it is valid, the settings of two lists of ignored files, the name of the others.
  if ((at = skip_number(at, end, &length)) == NULL || length > (size_t)(end - at)) return 0;
  at += length;
  size_t fixed = 2 * 36 + 4 + 2 * hash_size;
  if (fixed > (size_t)(end - at) || (at = skip_text(at + fixed, end)) == NULL) return 0;
  if (at == end) return 1;
  if ((at = skip_number(at, end, &count)) == NULL) return 0;
  for (size_t i = 0; i < count; i++) {
    if ((at = skip_number(at, end, &files)) == NULL || (at = skip_number(at, end, &folders)) == NULL) return 0;
    const char *name = (const char *)at;
    if ((at = skip_text(at, end)) == NULL) return 0;
    if (i == 0 ? name[0] != 0 : strchr(name, '/') != NULL || !is_safe_part(name, GIT_FILE)) return 0;
    for (; files > 0; files--)
      if ((at = skip_text(at, end)) == NULL) return 0;
  }
  return 1;
}

/** Unchecked, since they name nothing that git opens, runs or writes by them: TREE, REUC and FSMN. */
static int take_extension(struct extensions *found, const uint8_t *name, const uint8_t *bytes, size_t size, size_t hash_size) {
  if (memcmp(name, "link", 4) == 0) {
    found->is_split = size >= hash_size && !is_zero(bytes, hash_size);
    return size >= hash_size;
  }
  if (memcmp(name, "sdir", 4) == 0) return found->is_sparse = 1;
  if (memcmp(name, "IEOT", 4) == 0) {
    if (found->blocks.at != NULL || size < 12 || size % 8 != 4 || read32(bytes) != 1) return 0;
    found->blocks = (struct blocks){bytes + 4, (size - 4) / 8};
    return 1;
  }
  if (memcmp(name, "UNTR", 4) == 0) return has_safe_folders(bytes, size, hash_size);
  return name[0] >= 'A' && name[0] <= 'Z';
}

static int take_extensions(const struct entries *entries, struct extensions *found) {
  size_t size = 0, footer = 8 + 4 + entries->hash_size;
  for (size_t at = entries->at; at < entries->size; at += 8 + size) {
    if (entries->size - at < 8 || (size = read32(entries->bytes + at + 4)) > entries->size - at - 8) return 0;
    if (!take_extension(found, entries->bytes + at, entries->bytes + at + 8, size, entries->hash_size)) return 0;
  }
  // Git finds the first extension by the last bytes, whatever they belong to.
  if (entries->size < HEADER_BYTES + footer) return 1;
  const uint8_t *last = entries->bytes + entries->size - footer;
  return memcmp(last, "EOIE", 4) != 0 || read32(last + 8) == entries->at;
}

/** The digest of the entries is 0 if some of them are in another file. */
static int read_index(const uint8_t *bytes, size_t size, size_t hash_size, uint64_t *digest) {
  static struct entries entries;
  struct extensions found = {.blocks = {NULL, 0}};
  if (hash_size == 0 || size < HEADER_BYTES + hash_size || memcmp(bytes, "DIRC", 4) != 0) return 0;
  entries.bytes = bytes;
  entries.size = size - hash_size;
  entries.hash_size = hash_size;
  entries.version = read32(bytes + 4);
  entries.has_nameless = entries.has_folders = 0;
  if (entries.version < 2 || entries.version > 4) return 0;
  uint32_t count = read32(bytes + 8);
  if (!take_entries(&entries, count, found.blocks) || !take_extensions(&entries, &found)) return 0;
  if (entries.has_nameless && !found.is_split) return 0;
  if (entries.has_folders && !found.is_sparse) return 0;
  *digest = found.is_split ? 0 : entries.digest;
  return found.blocks.at == NULL || take_entries(&entries, count, found.blocks);
}

int is_safe_index(const uint8_t *bytes, size_t size, size_t hash_size) {
  uint64_t digest;
  return read_index(bytes, size, hash_size, &digest);
}

uint64_t digest_index(const uint8_t *bytes, size_t size) {
  uint64_t digest;
  return read_index(bytes, size, 20, &digest) || read_index(bytes, size, 32, &digest) ? digest : 0;
}

size_t find_hash_size(const char *config, size_t size) {
  static const char KEY[] = "objectformat";
  size_t length = sizeof KEY - 1, found = 0;
  for (size_t at = 0; at + length <= size; at++) {
    if (strncasecmp(config + at, KEY, length) != 0) continue;
    // Not in `compatObjectFormat`.
    if (at > 0 && (isalnum((unsigned char)config[at - 1]) || config[at - 1] == '-')) continue;
    char line[32];
    size_t end = at += length, used = 0;
    while (end < size && config[end] != '\n') end++;
    for (; at < end && used < sizeof line - 1; at++)
      if (strchr(" \t\r\"", config[at]) == NULL) line[used++] = config[at];
    line[used] = 0;
    size_t bytes = strcmp(line, "=sha1") == 0 ? 20 : strcmp(line, "=sha256") == 0 ? 32 : 0;
    if (bytes == 0 || (found != 0 && found != bytes)) return 0;
    found = bytes;
  }
  return found == 0 ? 20 : found;
}
