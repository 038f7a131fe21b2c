// The gate's judge of one name: whether it lands, lands as a fresh copy, or is held. Names that control what runs outside are held
// unless they were allowed; git folders are judged by content, see stage-git.c.

#define _GNU_SOURCE
#include "keeper.h"
#include "stage-git.h"
#include "sweep.h"
#include <stdio.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum rule { RULE_NONE, RULE_GUARDED, RULE_HIDDEN, RULE_KEPT };

/** Paths with a rule, by their hash. */
struct ruled {
  const char *path;
  enum rule rule;
};

static struct ruled *rules;
static size_t rule_slots;

static const uint64_t HASH_BASIS = 0xcbf29ce484222325ull;

static uint64_t hash_byte(uint64_t hash, char byte) { return (hash ^ (uint8_t)byte) * 0x100000001b3ull; }

static struct ruled *find_slot(uint64_t hash, const char *path, size_t length) {
  size_t slot = hash & (rule_slots - 1);
  while (rules[slot].path != NULL && (strncmp(rules[slot].path, path, length) != 0 || rules[slot].path[length] != 0))
    slot = (slot + 1) & (rule_slots - 1);
  return &rules[slot];
}

static void add_rule(const char *path, enum rule rule) {
  uint64_t hash = HASH_BASIS;
  for (const char *at = path; *at != 0; at++) hash = hash_byte(hash, *at);
  struct ruled *slot = find_slot(hash, path, strlen(path));
  slot->path = path;
  if (rule > slot->rule) slot->rule = rule;
}

static enum rule rule_of(enum confine_kind kind) {
  switch (kind) {
    case ENTRY_GUARDED: return RULE_GUARDED;
    case ENTRY_MASK: return RULE_HIDDEN;
    case ENTRY_KEPT: return RULE_KEPT;
    default: return RULE_NONE;
  }
}

void judge_begin(const struct stage *stage) {
  const struct confinement *confinement = stage->confinement;
  size_t count = 1;
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    if (rule_of(entry->kind) == RULE_NONE) continue;
    const char *end = confine_is_list(entry->kind) ? entry->end : entry->path + 1;
    for (const char *path = entry->path; path < end; path = confine_next_path(path)) count++;
  }
  for (rule_slots = 64; rule_slots < 2 * count; rule_slots *= 2) continue;
  free(rules);
  if ((rules = calloc(rule_slots, sizeof *rules)) == NULL) die("memory for rules");
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    enum rule rule = rule_of(entry->kind);
    if (rule == RULE_NONE) continue;
    const char *end = confine_is_list(entry->kind) ? entry->end : entry->path + 1;
    for (const char *path = entry->path; path < end; path = confine_next_path(path)) add_rule(path, rule);
  }
  swept_names_begin(confinement);
}

/** The rule of the nearest path at or above. */
static enum rule find_rule(const char *path) {
  uint64_t hash = HASH_BASIS;
  enum rule rule = RULE_NONE;
  for (size_t i = 0;; i++) {
    if (i > 0 && (path[i] == '/' || path[i] == 0)) {
      enum rule here = find_slot(hash, path, i)->rule;
      if (here != RULE_NONE) rule = here;
    }
    if (path[i] == 0) return rule;
    hash = hash_byte(hash, path[i]);
  }
}

/** Whether a name below the root, at any depth, is one of those that control what runs; `name`: which one. */
static int has_taken_name(const struct stage *stage, const char *full, size_t root, const char **name) {
  char folder[8192];
  for (const char *slash = full + root; slash != NULL && slash[0] == '/'; slash = strchr(slash + 1, '/')) {
    size_t length = strcspn(slash + 1, "/");
    static char part[256];
    if (length >= sizeof part) continue;
    memcpy(part, slash + 1, length);
    part[length] = 0;
    memcpy(folder, full, (size_t)(slash - full));
    folder[slash - full] = 0;
    if (!is_taken_name(folder, part)) continue;
    *name = part;
    return !is_in_packages(stage->confinement, folder + root);
  }
  return 0;
}

static struct judgement hold(enum held_why why, const char *detail) { return (struct judgement){JUDGED_HELD, why, detail}; }

/** What may not change, but is in a tree that is replaced: it lands if it is the same as before. */
static struct judgement keep_same(const struct name_view *view, enum held_why why, const char *detail) {
  int is_same = view->up != NULL && view->lo != NULL && view->difference <= DIFFERENT_TIMES;
  if (!is_same) return hold(why, detail);
  return (struct judgement){S_ISREG(view->up->st_mode) ? JUDGED_COPIED : JUDGED_LANDS, why, ""};
}

/** Where commands write and no gate looks. */
static int is_unjudged_place(const struct stage *stage, const char *place) {
  const struct confinement *confinement = stage->confinement;
  for (size_t i = 0; i < stage->root_count; i++)
    if (is_at_or_below(place, stage->roots[i].path)) return 0;
  for (size_t i = 0; i < confinement->count; i++) {
    const struct confine_entry *entry = &confinement->entries[i];
    const char *writable = entry->kind == ENTRY_WRITE ? entry->path : entry->kind == ENTRY_BIND ? entry->from : NULL;
    if (writable != NULL && is_at_or_below(place, writable)) return 1;
  }
  return 0;
}

static int is_above_guarded(const char *full) {
  for (size_t i = 0; i < rule_slots; i++)
    if (rules[i].path != NULL && rules[i].rule == RULE_GUARDED && confine_is_below(rules[i].path, full)) return 1;
  return 0;
}

/** A new link must not lead git, or programs that look for settings, to files that are not judged. */
static int is_bad_link(const struct name_view *view, const char *full) {
  char target[PATH_MAX], above[8192], place[8192], real[PATH_MAX];
  if (is_in_repository(view) || is_above_taken_name(view->name) || is_above_guarded(full)) return 1;
  ssize_t size = readlinkat(view->upper, view->name, target, sizeof target);
  if (size < 0 || (size_t)size == sizeof target) return 1;
  target[size] = 0;
  if (leads_to_process(target)) return 1;
  snprintf(above, sizeof above, "%.*s", (int)(strrchr(full, '/') - full), full);
  strcpy(place, "?");
  // The folder above everything has no text.
  if (!resolve_text(above, target, (size_t)size, place, sizeof place) && place[0] != 0) return 1;
  return is_unjudged_place(view->stage, place) || (realpath(place, real) != NULL && is_unjudged_place(view->stage, real));
}

struct judgement judge_name(const struct name_view *view) {
  char full[8192];
  const char *root = view->stage->roots[view->root].path, *name = "";
  int is_root = strcmp(view->path, ".") == 0;
  int is_top = strcmp(root, "/") == 0;
  int length = snprintf(full, sizeof full, "%s%s%s", is_top ? "" : root, is_root ? "" : "/", is_root ? "" : view->path);
  if (length < 0 || (size_t)length >= sizeof full) return hold(HELD_FAILED, "the path is too long");
  enum rule rule = find_rule(full);
  if (rule == RULE_HIDDEN) return hold(HELD_HIDDEN, "");
  if (rule == RULE_KEPT) return (struct judgement){JUDGED_LANDS, 0, ""};
  if (rule == RULE_GUARDED && is_listed_settings(view->stage, full)) return judge_git(view, full);
  if (rule == RULE_GUARDED) return keep_same(view, HELD_PROTECTED, "");
  if (has_taken_name(view->stage, full, is_top ? 0 : strlen(root), &name)) return keep_same(view, HELD_PROTECTED, name);
  int is_changed = view->up == NULL || view->lo == NULL || view->difference > DIFFERENT_TIMES;
  struct judgement judgement = judge_git(view, full);
  // What has not changed is as it was before the command, and only must not be what it still has open.
  if (!is_changed && judgement.what != JUDGED_LANDS) return keep_same(view, judgement.why, judgement.detail);
  int is_new_link = is_changed && view->up != NULL && S_ISLNK(view->up->st_mode);
  if (judgement.what == JUDGED_LANDS && is_new_link && is_bad_link(view, full)) return hold(HELD_LINK, "");
  return judgement;
}
