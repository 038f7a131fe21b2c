// Names that the plan sends for the sweep: those removed if new, and the folders with other rules.

#define _GNU_SOURCE
#include "keeper.h"
#include "sweep.h"
#include <stdlib.h>
#include <string.h>

/** The first characters of removed names: nearly every other name starts with another one. */
static uint8_t is_first[256];
/** These names, from the lists: a confinement may have thousands of other entries. They point into the request. */
static const char **taken;
static size_t taken_count, taken_capacity;

/** The next name of the lists of one kind, with its slash; NULL at the end. Starts with NULL. */
static const char *next_name(const struct confinement *confinement, enum confine_kind kind, const char *name) {
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (entry->kind != kind) continue;
    if (name == NULL) return entry->path;
    if (name < entry->path || name >= entry->end) continue;
    name += strlen(name) + 1;
    if (name < entry->end) return name;
    name = NULL;
  }
  return NULL;
}

/** Whether a part of the path is one of these names. */
static int is_in_any(const struct confinement *confinement, enum confine_kind kind, const char *path) {
  for (const char *part = path; *(part += strspn(part, "/")) != 0; part += strcspn(part, "/"))
    for (const char *name = NULL; (name = next_name(confinement, kind, name)) != NULL;)
      if (strlen(name + 1) == strcspn(part, "/") && strncmp(part, name + 1, strlen(name + 1)) == 0) return 1;
  return 0;
}

int is_in_packages(const struct confinement *confinement, const char *path) {
  return is_in_any(confinement, ENTRY_SWEEP_PACKAGES, path);
}

int sweep_is_searched(const struct task *task, const char *path) {
  return !is_in_any(task->request.confinement, ENTRY_SWEEP_UNSEARCHED, path);
}

void swept_names_begin(const struct confinement *confinement) {
  memset(is_first, 0, sizeof is_first);
  taken_count = 0;
  for (const char *name = NULL; (name = next_name(confinement, ENTRY_SWEEP_TAKEN, name)) != NULL;) {
    if (taken_count == taken_capacity) {
      taken_capacity = taken_capacity > 0 ? 2 * taken_capacity : 64;
      if ((taken = realloc(taken, taken_capacity * sizeof *taken)) == NULL) die("memory for names");
    }
    is_first[(uint8_t)strrchr(name, '/')[1]] = 1;
    taken[taken_count++] = name;
  }
}

int is_above_taken_name(const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < taken_count; i++)
    if (strncmp(taken[i] + 1, name, length) == 0 && taken[i][1 + length] == '/') return 1;
  return 0;
}

int is_taken_name(const char *folder, const char *name) {
  if (!is_first[(uint8_t)name[0]]) return 0;
  const char *above = strrchr(folder, '/');
  for (size_t i = 0; i < taken_count; i++) {
    const char *last = strrchr(taken[i], '/');
    size_t length = (size_t)(last - taken[i]);
    if (strcmp(name, last + 1) == 0 && (length == 0 || (strlen(above) == length && strncmp(above, taken[i], length) == 0))) return 1;
  }
  return 0;
}
