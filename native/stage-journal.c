// The journal: what lands, what people see of it, and what is held. Written once as a whole, before anything changes. Records end
// in NUL, fields are separated by tabs, a path comes last. A journal that is not complete is no journal.

#define _GNU_SOURCE
#include "stage.h"
#include "keeper.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "hardshell-stage 1"
#define MARKS_HEADER "hardshell-marks 1"

static const char *const KINDS[UNIT_KINDS] = {"new", "changed", "deleted", "replaced", "folder"};
static const char *const REASONS[HELD_REASONS] = {"protected", "conflict", "hidden", "link", "failed"};

static void put_text(struct buffer *buffer, const char *text) { buffer_append(buffer, text, strlen(text)); }

/** A record that ends in a path. */
static void put_record(struct buffer *buffer, const char *fields, const char *path) {
  put_text(buffer, fields);
  buffer_append(buffer, path, strlen(path) + 1);
}

static char letter_of(mode_t type) {
  return S_ISDIR(type) ? 'd' : S_ISLNK(type) ? 'l' : S_ISFIFO(type) ? 'p' : S_ISSOCK(type) ? 's' : 'f';
}

void journal_name(struct stage *stage, const char *what, mode_t type, uint64_t size, uint32_t root, const char *path) {
  char fields[128];
  snprintf(fields, sizeof fields, "name\t%s\t%c\t%" PRIu64 "\t%u\t", what, letter_of(type), S_ISDIR(type) ? 0 : size, root);
  put_record(&stage->names, fields, path);
  stage->name_count++;
}

void journal_held(struct stage *stage, enum held_why why, const char *detail, uint32_t root, const char *path) {
  char fields[512];
  snprintf(fields, sizeof fields, "held\t%s\t%.400s\t%u\t", REASONS[why], detail, root);
  put_record(&stage->held, fields, path);
  stage->held_count++;
}

const char *record_field(const char *record, int tabs) {
  for (; tabs > 0 && record != NULL; tabs--) record = strchr(record, '\t') == NULL ? NULL : strchr(record, '\t') + 1;
  return record;
}

int read_held(const char *text, struct held_record *record) {
  const char *why = record_field(text, 1), *root = record_field(text, 3);
  record->path = record_field(text, 4);
  if (record->path == NULL) return 0;
  record->root = (uint32_t)strtoul(root, NULL, 10);
  for (record->why = 0; record->why < HELD_REASONS; record->why++) {
    size_t length = strlen(REASONS[record->why]);
    if (strncmp(why, REASONS[record->why], length) == 0 && why[length] == '\t') return 1;
  }
  return 0;
}

void forget_names_below(struct stage *stage, uint32_t root, const char *path) {
  struct buffer kept = {0};
  size_t length = strlen(path);
  const char *at = (const char *)stage->names.data, *end = at + stage->names.end;
  for (; at < end; at += strlen(at) + 1) {
    const char *name = record_field(at, 5);
    int is_below = (uint32_t)strtoul(record_field(at, 4), NULL, 10) == root && strncmp(name, path, length) == 0 &&
                   (name[length] == 0 || name[length] == '/');
    if (is_below) stage->name_count--;
    else buffer_append(&kept, at, strlen(at) + 1);
  }
  buffer_free(&stage->names);
  stage->names = kept;
}

struct unit *journal_unit(struct stage *stage, enum unit_kind kind, uint32_t root, const char *path) {
  if (stage->unit_count == stage->unit_capacity) {
    stage->unit_capacity = stage->unit_capacity > 0 ? 2 * stage->unit_capacity : 64;
    stage->units = realloc(stage->units, stage->unit_capacity * sizeof *stage->units);
    if (stage->units == NULL) die("memory for units");
  }
  struct unit *unit = &stage->units[stage->unit_count++];
  *unit = (struct unit){.kind = kind, .root = root, .path = strdup(path)};
  if (unit->path == NULL) die("memory for a unit");
  return unit;
}

void journal_forget(struct stage *stage) {
  for (size_t i = 0; i < stage->unit_count; i++) free(stage->units[i].path);
  free(stage->units);
  buffer_free(&stage->names);
  buffer_free(&stage->held);
  stage->units = NULL;
  stage->unit_count = stage->unit_capacity = 0;
  stage->name_count = stage->held_count = 0;
}

static const char *print_id(const struct file_id *id, char text[64]) {
  if (id->inode == 0) return "-";
  snprintf(text, 64, "%" PRIu64 ":%" PRIu64, id->device, id->inode);
  return text;
}

static void print_more(const struct unit *unit, char text[160]) {
  if (unit->kind == UNIT_FOLDER)
    snprintf(text, 160, "%o:%lld.%09ld:%o:%lld.%09ld", unit->before.mode, (long long)unit->before.modified.tv_sec,
             unit->before.modified.tv_nsec, unit->after.mode, (long long)unit->after.modified.tv_sec, unit->after.modified.tv_nsec);
  else
    snprintf(text, 160, "%lld.%09ld:%lld.%09ld", (long long)unit->out_changed.tv_sec, unit->out_changed.tv_nsec,
             (long long)unit->out_modified.tv_sec, unit->out_modified.tv_nsec);
}

int journal_write(const struct stage *stage, const char *state) {
  static const char *const NEEDED[] = {"meta.json", "confinement"};
  struct buffer journal = {0};
  char fields[512], in[64], out[64], more[160];
  buffer_append(&journal, HEADER, sizeof HEADER);
  for (size_t i = 0; i < stage->root_count; i++) {
    snprintf(fields, sizeof fields, "root\t%zu\t", i);
    put_record(&journal, fields, stage->roots[i].path);
  }
  for (size_t i = 0; i < stage->unit_count; i++) {
    const struct unit *unit = &stage->units[i];
    print_more(unit, more);
    snprintf(fields, sizeof fields, "unit\t%zu\t%s\t%u\t%s\t%s\t%s\t", i, KINDS[unit->kind], unit->root, print_id(&unit->in, in),
             print_id(&unit->out, out), more);
    put_record(&journal, fields, unit->path);
  }
  buffer_append(&journal, stage->names.data, stage->names.end);
  buffer_append(&journal, stage->held.data, stage->held.end);
  snprintf(fields, sizeof fields, "end\t%zu\t%u\t%u", stage->unit_count, stage->name_count, stage->held_count);
  put_record(&journal, fields, "");
  for (size_t i = 0; i < sizeof NEEDED / sizeof *NEEDED; i++) stage_start_writing(stage, NEEDED[i]);
  int error = stage_draft(stage, "journal", journal.data, journal.end);
  if (error == 0) error = stage_draft(stage, "state", state, strlen(state));
  for (size_t i = 0; i < sizeof NEEDED / sizeof *NEEDED && error == 0; i++) error = stage_wait_written(stage, NEEDED[i]);
  if (error == 0) error = stage_publish(stage, "journal");
  if (error == 0) error = stage_publish(stage, "state");
  buffer_free(&journal);
  return error;
}

/** Below a root, and without `.`, `..` and empty parts. "." is the root itself, which only a folder unit may be. */
static int is_path_below(const char *path, enum unit_kind kind) {
  if (strcmp(path, ".") == 0) return kind == UNIT_FOLDER;
  for (const char *part = path;; part++) {
    size_t length = strcspn(part, "/");
    if (length == 0 || (length <= 2 && strspn(part, ".") == length)) return 0;
    part += length;
    if (*part == 0) return 1;
  }
}

static int read_id(const char *text, struct file_id *id) {
  *id = (struct file_id){0, 0};
  return strcmp(text, "-") == 0 || sscanf(text, "%" SCNu64 ":%" SCNu64, &id->device, &id->inode) == 2;
}

static int read_more(const char *text, struct unit *unit) {
  long long a, b;
  if (unit->kind == UNIT_FOLDER) {
    if (sscanf(text, "%o:%lld.%9ld:%o:%lld.%9ld", &unit->before.mode, &a, &unit->before.modified.tv_nsec, &unit->after.mode, &b,
               &unit->after.modified.tv_nsec) != 6)
      return 0;
    unit->before.modified.tv_sec = a;
    unit->after.modified.tv_sec = b;
    return unit->before.mode <= 07777 && unit->after.mode <= 07777;
  }
  if (sscanf(text, "%lld.%9ld:%lld.%9ld", &a, &unit->out_changed.tv_nsec, &b, &unit->out_modified.tv_nsec) != 4) return 0;
  unit->out_changed.tv_sec = a;
  unit->out_modified.tv_sec = b;
  return 1;
}

static int read_unit(struct stage *stage, char *record) {
  char *fields[7], *rest = record;
  for (size_t i = 0; i < 7; i++)
    if ((fields[i] = strsep(&rest, "\t")) == NULL) return 0;
  int kind = 0;
  while (kind < UNIT_KINDS && strcmp(fields[2], KINDS[kind]) != 0) kind++;
  unsigned long root = strtoul(fields[3], NULL, 10);
  if (rest == NULL || kind == UNIT_KINDS || root >= stage->root_count || !is_path_below(rest, kind)) return 0;
  if (strtoul(fields[1], NULL, 10) != stage->unit_count) return 0;
  struct unit *unit = journal_unit(stage, kind, (uint32_t)root, rest);
  if (!read_id(fields[4], &unit->in) || !read_id(fields[5], &unit->out) || !read_more(fields[6], unit)) return 0;
  int has_in = kind == UNIT_NEW || kind == UNIT_CHANGED || kind == UNIT_REPLACED;
  return (unit->in.inode != 0) == has_in && (unit->out.inode != 0) == (kind != UNIT_NEW);
}

static int is_root_record(const struct stage *stage, const char *record) {
  char *end;
  unsigned long number = strtoul(record + 5, &end, 10);
  return *end == '\t' && number < stage->root_count && strcmp(end + 1, stage->roots[number].path) == 0;
}

/** Whether all records are sound; the last one counts the others. */
static int read_records(struct stage *stage, char *text, size_t size) {
  size_t roots = 0, units;
  uint32_t names, held;
  if (size < sizeof HEADER || memcmp(text, HEADER, sizeof HEADER) != 0 || text[size - 1] != 0) return 0;
  for (char *at = text + sizeof HEADER; at < text + size;) {
    char *next = at + strlen(at) + 1;
    if (strncmp(at, "unit\t", 5) == 0) {
      if (!read_unit(stage, at)) return 0;
    } else if (strncmp(at, "root\t", 5) == 0) {
      if (!is_root_record(stage, at)) return 0;
      roots++;
    } else if (strncmp(at, "name\t", 5) == 0) stage->name_count++;
    else if (strncmp(at, "held\t", 5) == 0) stage->held_count++;
    else
      return sscanf(at, "end\t%zu\t%u\t%u", &units, &names, &held) == 3 && next == text + size && units == stage->unit_count &&
             names == stage->name_count && held == stage->held_count && roots == stage->root_count;
    at = next;
  }
  return 0;
}

enum stage_exit journal_read(struct stage *stage) {
  size_t size;
  char *text = stage_read(stage, "journal", &size);
  journal_forget(stage);
  if (text == NULL) return stage_trouble("journal", errno);
  int is_sound = read_records(stage, text, size);
  free(text);
  return is_sound ? STAGE_DONE : stage_trouble("the journal is damaged", 0);
}

int marks_write(const struct stage *stage, const char *name, const struct unit_mark *marks) {
  struct buffer text = {0};
  char record[320], id[64], taken[64];
  buffer_append(&text, MARKS_HEADER, sizeof MARKS_HEADER);
  for (size_t i = 0; i < stage->unit_count; i++) {
    const struct unit_mark *mark = &marks[i];
    snprintf(record, sizeof record, "%s\t%zu\t%s\t%lld.%09ld\t%s\t%lld.%09ld\t%lld.%09ld\t%" PRIx64, mark->is_skipped ? "skip" : "unit", i,
             print_id(&mark->id, id), (long long)mark->changed.tv_sec, mark->changed.tv_nsec, print_id(&mark->taken, taken),
             (long long)mark->before.tv_sec, mark->before.tv_nsec, (long long)mark->inside.tv_sec, mark->inside.tv_nsec,
             mark->digest);
    put_record(&text, record, "");
  }
  put_record(&text, "end", "");
  struct timespec time;
  int error = stage_draft(stage, name, text.data, text.end);
  if (error == 0) error = stage_draft(stage, "state", name, strlen(name));
  if (error == 0) error = stage_publish(stage, name);
  if (error == 0) error = stage_take_time(stage, name, &time);
  if (error == 0) error = stage_publish(stage, "state");
  buffer_free(&text);
  return error;
}

static int read_mark(const char *record, size_t number, struct unit_mark *mark) {
  char kind[8], id[64], taken[64];
  size_t named;
  long long changed, before, inside;
  if (sscanf(record, "%7s\t%zu\t%63s\t%lld.%9ld\t%63s\t%lld.%9ld\t%lld.%9ld\t%" SCNx64, kind, &named, id, &changed, &mark->changed.tv_nsec,
             taken, &before, &mark->before.tv_nsec, &inside, &mark->inside.tv_nsec, &mark->digest) != 11)
    return 0;
  mark->changed.tv_sec = changed;
  mark->before.tv_sec = before;
  mark->inside.tv_sec = inside;
  mark->is_skipped = strcmp(kind, "skip") == 0;
  return named == number && (mark->is_skipped || strcmp(kind, "unit") == 0) && read_id(id, &mark->id) && read_id(taken, &mark->taken);
}

struct unit_mark *marks_read(const struct stage *stage, const char *name) {
  size_t size, count = 0;
  char *text = stage_read(stage, name, &size);
  struct unit_mark *marks = calloc(stage->unit_count + 1, sizeof *marks);
  int is_sound = text != NULL && marks != NULL && size > sizeof MARKS_HEADER && text[size - 1] == 0 &&
                 memcmp(text, MARKS_HEADER, sizeof MARKS_HEADER) == 0;
  const char *at = is_sound ? text + sizeof MARKS_HEADER : NULL;
  for (; is_sound && count < stage->unit_count; at += strlen(at) + 1, count++)
    is_sound = at < text + size && read_mark(at, count, &marks[count]);
  is_sound = is_sound && at < text + size && strcmp(at, "end") == 0;
  free(text);
  if (is_sound) return marks;
  free(marks);
  return NULL;
}
