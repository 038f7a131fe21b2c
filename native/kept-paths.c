// The entries of a confinement that decide whether a path can be changed, by their paths: a project with many repositories has
// thousands of them, and every name in it is looked up.

#define _GNU_SOURCE
#include "keeper.h"
#include "sweep.h"
#include <stdlib.h>
#include <string.h>

struct kept {
  const char *path;
  size_t length;
  /** Of the last entry with this path, which overrides the others. */
  enum confine_kind kind;
  /** One of them is. */
  int is_read_only;
};

/** Open addressing, at most half full. The paths are those of the request. */
static struct kept *slots;
static size_t slot_count;

#define HASH_START 0xcbf29ce484222325ull
static uint64_t hash_on(uint64_t hash, char byte) { return (hash ^ (uint8_t)byte) * 0x100000001b3ull; }

static struct kept *slot_of(uint64_t hash, const char *path, size_t length) {
  size_t at = (size_t)(hash ^ hash >> 32) & (slot_count - 1);
  while (slots[at].path != NULL && (slots[at].length != length || memcmp(slots[at].path, path, length) != 0)) at = (at + 1) & (slot_count - 1);
  return &slots[at];
}

static int decides(const struct confine_entry *entry) {
  return entry->kind == ENTRY_WRITE || entry->kind == ENTRY_READ_ONLY || entry->kind == ENTRY_KEPT;
}

static void add(const struct confine_entry *entry) {
  uint64_t hash = HASH_START;
  size_t length = 0;
  for (; entry->path[length] != 0; length++) hash = hash_on(hash, entry->path[length]);
  struct kept *slot = slot_of(hash, entry->path, length);
  int was_read_only = slot->path != NULL && slot->is_read_only;
  *slot = (struct kept){entry->path, length, entry->kind, was_read_only || entry->kind == ENTRY_READ_ONLY};
}

void kept_paths_begin(const struct confinement *confinement) {
  size_t count = 0;
  for (size_t i = 0; i < confinement->count; i++) count += (size_t)decides(&confinement->entries[i]);
  free(slots);
  for (slot_count = 16; slot_count < 2 * count; slot_count *= 2) continue;
  if ((slots = calloc(slot_count, sizeof *slots)) == NULL) die("memory for paths");
  for (size_t i = 0; i < confinement->count; i++)
    if (decides(&confinement->entries[i])) add(&confinement->entries[i]);
}

/** Of the nearest entry at or above a path. */
static enum confine_kind nearest_kind(const char *path) {
  enum confine_kind kind = ENTRY_WRITE;
  uint64_t hash = HASH_START;
  for (size_t length = 0;; length++) {
    // `/` is above every path, and the only one that ends in a slash.
    int is_end = length > 0 && (path[length] == 0 || path[length] == '/' || length == 1);
    const struct kept *found = is_end ? slot_of(hash, path, length) : NULL;
    if (found != NULL && found->path != NULL) kind = found->kind;
    if (path[length] == 0) return kind;
    hash = hash_on(hash, path[length]);
  }
}

int sweep_is_kept(const char *path) { return nearest_kind(path) != ENTRY_WRITE; }

int sweep_is_read_only(const char *path) {
  uint64_t hash = HASH_START;
  size_t length = 0;
  for (; path[length] != 0; length++) hash = hash_on(hash, path[length]);
  const struct kept *found = slot_of(hash, path, length);
  return found->path != NULL && found->is_read_only;
}
