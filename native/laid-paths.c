// Sorted once, then found by halves: the parents of a path one after the other, a mount by its place.

#define _GNU_SOURCE
#include "laid-paths.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_entries(const void *a, const void *b) {
  const struct confine_entry *left = *(const struct confine_entry *const *)a, *right = *(const struct confine_entry *const *)b;
  int order = strcmp(left->path, right->path);
  return order != 0 ? order : left < right ? -1 : left > right;
}

int laid_begin(struct laid_paths *laid, const struct confinement *confinement) {
  laid->count = 0;
  laid->entries = malloc((confinement->count + 1) * sizeof *laid->entries);
  if (laid->entries == NULL) return 0;
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (confine_is_laid(entry->kind)) laid->entries[laid->count++] = entry;
  }
  qsort(laid->entries, laid->count, sizeof *laid->entries, compare_entries);
  return 1;
}

/** The last one at this place. */
static const struct confine_entry *laid_at(const struct laid_paths *laid, const char *path) {
  size_t low = 0, high = laid->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(laid->entries[middle]->path, path) <= 0) low = middle + 1;
    else high = middle;
  }
  return low > 0 && strcmp(laid->entries[low - 1]->path, path) == 0 ? laid->entries[low - 1] : NULL;
}

const struct confine_entry *laid_above(const struct laid_paths *laid, const char *path) {
  char folder[4096];
  size_t length = strlen(path);
  if (length >= sizeof folder) return NULL;
  memcpy(folder, path, length + 1);
  for (char *slash; (slash = strrchr(folder, '/')) != NULL && slash > folder;) {
    *slash = 0;
    const struct confine_entry *found = laid_at(laid, folder);
    if (found != NULL) return found;
  }
  return NULL;
}

void laid_end(struct laid_paths *laid) { free(laid->entries); }

static int compare_places(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/** The fifth field of a line; NULL if there is none. */
static char *place_in(char *line) {
  for (int i = 0; i < 4 && line != NULL; i++) {
    line = strchr(line, ' ');
    if (line != NULL) line++;
  }
  return line;
}

int mount_places_begin(struct mount_places *table, char *text) {
  size_t lines = 1;
  for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) lines++;
  *table = (struct mount_places){.text = text, .places = malloc(lines * sizeof *table->places), .overlays = malloc(lines * sizeof *table->overlays)};
  if (table->places == NULL || table->overlays == NULL) return 0;
  for (char *line = text, *end; line != NULL && *line != 0; line = end) {
    end = strchr(line, '\n');
    if (end != NULL) *end++ = 0;
    char *place = place_in(line);
    if (place == NULL) continue;
    int is_overlay = strstr(place, " - overlay " OVERLAY_SOURCE " ") != NULL;
    place[strcspn(place, " ")] = 0;
    table->places[table->count++] = place;
    if (is_overlay) table->overlays[table->overlay_count++] = place;
  }
  qsort(table->places, table->count, sizeof *table->places, compare_places);
  qsort(table->overlays, table->overlay_count, sizeof *table->overlays, compare_places);
  return 1;
}

// As mountinfo writes it.
static void escape(const char *path, char *text, size_t size) {
  size_t at = 0;
  for (; *path != 0 && at + 5 < size; path++)
    if (strchr(" \t\n\\", *path) != NULL) at += (size_t)snprintf(text + at, size - at, "\\%03o", (unsigned char)*path);
    else text[at++] = *path;
  text[at] = 0;
}

static int has_place(const char **places, size_t count, const char *path) {
  char text[4 * 4096 + 1];
  const char *wanted = text;
  escape(path, text, sizeof text);
  return bsearch(&wanted, places, count, sizeof *places, compare_places) != NULL;
}

int is_mount_place(const struct mount_places *table, const char *path) { return has_place(table->places, table->count, path); }

int is_overlay_place(const struct mount_places *table, const char *path) {
  return has_place(table->overlays, table->overlay_count, path);
}

void mount_places_end(struct mount_places *table) {
  free(table->places);
  free(table->overlays);
  free(table->text);
}
