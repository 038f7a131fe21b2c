// The confinement field of a START → struct confinement:
//   u8 version, u32 flags, u32 optional steps, then entries of u8 kind, u16 size, bytes
// A path ends in NUL, which its size counts; a bind holds two; a port is a u16. Refuses everything else.

#define _GNU_SOURCE
#include "confine.h"
#include "frame.h"
#include "request.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFINE_VERSION 1
#define HEADER 9u
#define ENTRY_HEADER 3u

int confine_is_list(enum confine_kind kind) {
  return kind == ENTRY_UNSEEN || kind == ENTRY_SWEEP_TAKEN || kind == ENTRY_SWEEP_PACKAGES || kind == ENTRY_SWEEP_UNSEARCHED ||
         kind == ENTRY_COVERED || kind == ENTRY_SETTING_NAMES || kind == ENTRY_GUARDED;
}

static int needs_namespaces(enum confine_kind kind) {
  return kind == ENTRY_READ_ONLY || kind == ENTRY_MASK || kind == ENTRY_EMPTY || kind == ENTRY_BIND || kind == ENTRY_OVERLAY ||
         kind == ENTRY_COVERED || kind == ENTRY_STAGE;
}

const char *confine_next_path(const char *path) { return path + strlen(path) + 1; }

int confine_is_below(const char *path, const char *folder) {
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && path[length] == '/';
}

struct confine_entry *confine_overlay_of(const struct confinement *confinement, const char *path) {
  for (size_t i = 0; i < confinement->count; i++) {
    struct confine_entry *entry = &confinement->entries[i];
    if (entry->kind == ENTRY_OVERLAY && confine_is_below(path, entry->path)) return entry;
  }
  return NULL;
}

// Absolute and without `.`, `..` or empty parts: the text compared here must be the path that the kernel walks.
static int is_plain_path(const char *path) {
  if (path[0] != '/') return 0;
  if (path[1] == 0) return 1;
  for (const char *part = path; *part == '/';) {
    part++;
    size_t length = strcspn(part, "/");
    if (length == 0 || (length == 1 && part[0] == '.') || (length == 2 && part[0] == '.' && part[1] == '.')) return 0;
    part += length;
  }
  return strlen(path) <= MAX_PATH_TEXT;
}

static const char *take_path(uint8_t **at, const uint8_t *end) {
  uint8_t *stop = memchr(*at, 0, (size_t)(end - *at));
  const char *path = (const char *)*at;
  if (stop == NULL || !is_plain_path(path)) return NULL;
  *at = stop + 1;
  return path;
}

// The flag that a port of this kind needs; 0 if it is not a port.
static uint32_t flags_of_port(enum confine_kind kind) {
  switch (kind) {
    case ENTRY_CONNECT_PORT: return CONFINE_LISTED_CONNECT | CONFINE_BROKERED;
    case ENTRY_BIND_PORT: return CONFINE_LISTED_BIND | CONFINE_BROKERED;
    case ENTRY_LISTEN:
    case ENTRY_HOST_PORT:
    case ENTRY_PUBLISH: return CONFINE_OWN_NETWORK;
    default: return 0;
  }
}

static int take_entry(struct confine_entry *entry, uint32_t flags, uint8_t *at, size_t size) {
  uint8_t *end = at + size;
  entry->fd = -1;
  if (entry->kind < ENTRY_WRITE || entry->kind >= ENTRY_KINDS) return 0;
  if (needs_namespaces(entry->kind) && !(flags & CONFINE_IN_NAMESPACES)) return 0;
  if ((entry->kind == ENTRY_READ || entry->kind == ENTRY_LIST) && !(flags & CONFINE_LISTED_READ)) return 0;
  if (entry->kind == ENTRY_UNIX && !(flags & CONFINE_LISTED_UNIX)) return 0;
  int is_judged = (flags & (CONFINE_JUDGE_SETTINGS | CONFINE_STAGED)) != 0;
  if ((entry->kind == ENTRY_SETTINGS || entry->kind == ENTRY_SETTING_NAMES) && !is_judged) return 0;
  if ((entry->kind == ENTRY_STAGE || entry->kind == ENTRY_GUARDED) && !(flags & CONFINE_STAGED)) return 0;
  uint32_t needed = flags_of_port(entry->kind);
  if (needed != 0) {
    if (size != 2 || !(flags & needed)) return 0;
    entry->port = (uint16_t)(at[0] | at[1] << 8);
    return entry->port != 0 || !(needed & CONFINE_OWN_NETWORK);
  }
  if ((entry->path = take_path(&at, end)) == NULL) return 0;
  if (confine_is_list(entry->kind)) {
    while (at < end)
      if (take_path(&at, end) == NULL) return 0;
    entry->end = (const char *)end;
  }
  if ((entry->kind == ENTRY_BIND || entry->kind == ENTRY_STAGE) && (entry->from = take_path(&at, end)) == NULL) return 0;
  return at == end;
}

/** Whether something is mounted over an overlay, above a name in it: the overlay would not hide the name. */
static int is_overmounted(const struct confinement *confinement, const struct confine_entry *overlay, const char *path) {
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    int is_laid = confine_is_writable(entry->kind) || entry->kind == ENTRY_READ_ONLY || entry->kind == ENTRY_EMPTY ||
                  entry->kind == ENTRY_BIND || entry->kind == ENTRY_DEVICE;
    if (is_laid && confine_is_below(entry->path, overlay->path) &&
        (strcmp(path, entry->path) == 0 || confine_is_below(path, entry->path)))
      return 1;
  }
  return 0;
}

// Each name must be in exactly one overlay: one that is in none would stay visible.
static int are_sound_overlays(const struct confinement *confinement) {
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (entry->kind == ENTRY_OVERLAY && (entry->path[1] == 0 || confine_overlay_of(confinement, entry->path) != NULL)) return 0;
    if (entry->kind != ENTRY_COVERED) continue;
    for (const char *path = entry->path; path < entry->end; path = confine_next_path(path)) {
      const struct confine_entry *overlay = confine_overlay_of(confinement, path);
      if (overlay == NULL || is_overmounted(confinement, overlay, path)) return 0;
    }
  }
  return 1;
}

// One stage, with a folder for each root, numbered in their order. Changes of one root must not be seen through another.
static int are_sound_stages(const struct confinement *confinement) {
  char number[32];
  size_t count = 0, length = 0;
  const char *stage = NULL;
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (entry->kind != ENTRY_STAGE) continue;
    const char *slash = strrchr(entry->from, '/');
    if (stage == NULL) {
      stage = entry->from;
      length = (size_t)(slash - stage);
    }
    snprintf(number, sizeof number, "/%zu", count++);
    if (length == 0 || (size_t)(slash - entry->from) != length) return 0;
    if (strncmp(entry->from, stage, length) != 0 || strcmp(slash, number) != 0) return 0;
    for (size_t k = 0; k < confinement->count; k++) {
      const struct confine_entry *other = &confinement->entries[k];
      if (k == i || other->kind != ENTRY_STAGE) continue;
      if (strcmp(other->path, entry->path) == 0 || confine_is_below(other->path, entry->path)) return 0;
    }
  }
  return (count > 0) == ((confinement->flags & CONFINE_STAGED) != 0);
}

static size_t count_entries(const uint8_t *at, const uint8_t *end) {
  size_t count = 0;
  for (; at < end; count++) {
    if ((size_t)(end - at) < ENTRY_HEADER) return MAX_CONFINE_ENTRIES + 1;
    size_t size = (size_t)(at[1] | at[2] << 8);
    if (size > (size_t)(end - at) - ENTRY_HEADER) return MAX_CONFINE_ENTRIES + 1;
    at += ENTRY_HEADER + size;
  }
  return count;
}

static int are_sound_flags(uint32_t flags, uint32_t optional) {
  uint32_t inside = CONFINE_OWN_NETWORK | CONFINE_OWN_TERMINALS | CONFINE_STAGED;
  // A partial mount tree is no confinement: these are enforced or nothing runs.
  uint32_t firm = 1u << CONFINE_NONE | 1u << CONFINE_NAMESPACES | 1u << CONFINE_IDENTITY | 1u << CONFINE_MOUNTS |
                  1u << CONFINE_LISTENERS | 1u << CONFINE_BROKER | 1u << CONFINE_SOCKETS | 1u << CONFINE_STAGE;
  uint32_t networks = CONFINE_OWN_NETWORK | CONFINE_NO_INET | CONFINE_LISTED_CONNECT | CONFINE_LISTED_BIND;
  uint32_t unused = 1u << 18;
  if (flags & ~(uint32_t)CONFINE_FLAG_ALL || optional >> CONFINE_STEPS || optional & (firm | unused)) return 0;
  if ((flags & inside) && !(flags & CONFINE_IN_NAMESPACES)) return 0;
  if ((flags & CONFINE_BROKERED) && (flags & networks)) return 0;
  // The supervisor changes settings in the folders themselves.
  if ((flags & CONFINE_STAGED) && (flags & CONFINE_JUDGE_SETTINGS)) return 0;
  if ((flags & CONFINE_HOLD_CHANGES) && !(flags & CONFINE_STAGED)) return 0;
  if ((flags & CONFINE_IN_WORLD) && (!(flags & CONFINE_OWN_NETWORK) || (flags & CONFINE_NO_INET))) return 0;
  // Without the filter there would be no notifications.
  uint32_t asking = CONFINE_BROKERED | CONFINE_LISTED_UNIX | CONFINE_OWN_UNIX | CONFINE_IN_WORLD;
  if ((flags & asking) && (optional & 1u << CONFINE_SYSTEM_CALLS)) return 0;
  if ((flags & (CONFINE_LISTED_UNIX | CONFINE_OWN_UNIX)) && !(flags & CONFINE_PAIRS_ONLY)) return 0;
  if ((flags & CONFINE_OWN_UNIX) && !(flags & CONFINE_OWN_NETWORK)) return 0;
  return !(flags & CONFINE_LISTED_READ) || (flags & CONFINE_FILES_LISTED);
}

const char *confine_parse(struct confinement **result, uint8_t *bytes, size_t size) {
  static const char *const WRONG = "the confinement is unknown or out of range";
  if (*result != NULL || size < HEADER || bytes[0] != CONFINE_VERSION) return WRONG;
  uint32_t flags = get_u32(bytes + 1), optional = get_u32(bytes + 5);
  size_t count = count_entries(bytes + HEADER, bytes + size);
  if (!are_sound_flags(flags, optional) || count > MAX_CONFINE_ENTRIES) return WRONG;
  struct confinement *confinement = calloc(1, sizeof *confinement + count * sizeof(struct confine_entry));
  if (confinement == NULL) return "out of memory";
  *result = confinement;
  confinement->bytes = bytes;
  confinement->size = size;
  confinement->flags = flags;
  confinement->optional = optional;
  confinement->entries = (struct confine_entry *)(void *)(confinement + 1);
  confinement->count = count;
  uint8_t *at = bytes + HEADER;
  for (size_t i = 0; i < count; i++) {
    size_t length = (size_t)(at[1] | at[2] << 8);
    confinement->entries[i].kind = (enum confine_kind)at[0];
    if (!take_entry(&confinement->entries[i], flags, at + ENTRY_HEADER, length)) return WRONG;
    at += ENTRY_HEADER + length;
  }
  size_t listeners = confine_count(confinement, ENTRY_LISTEN) + confine_count(confinement, ENTRY_HOST_PORT);
  return listeners <= MAX_LISTENERS && confine_count(confinement, ENTRY_PUBLISH) <= MAX_LISTENERS && are_sound_overlays(confinement) &&
                 are_sound_stages(confinement)
             ? NULL : WRONG;
}

int confine_is_writable(enum confine_kind kind) { return kind == ENTRY_WRITE || kind == ENTRY_STAGE; }

int confine_is_laid(enum confine_kind kind) { return (kind >= ENTRY_WRITE && kind <= ENTRY_BIND) || kind == ENTRY_STAGE; }

int confine_is_listener(enum confine_kind kind) { return kind == ENTRY_LISTEN || kind == ENTRY_HOST_PORT; }

size_t confine_count(const struct confinement *confinement, enum confine_kind kind) {
  size_t count = 0;
  for (size_t i = 0; i < confinement->count; i++) count += confinement->entries[i].kind == kind;
  return count;
}

const char *confine_step_name(int step) {
  static const char *const NAMES[CONFINE_STEPS] = {
      "",       "namespaces", "identity", "mounts",       "proc",  "terminals", "loopback",    "capabilities", "no-new-privileges",
      "files",  "refer",      "truncate", "device-ioctl", "ports", "scope",     "system-calls", "listeners",    "broker",
      "sockets", "overlays",   "socket-files", "stage",
  };
  return step > 0 && step < CONFINE_STEPS && NAMES[step] != NULL ? NAMES[step] : "";
}

void confine_free(struct confinement *confinement) { free(confinement); }
