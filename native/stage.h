// A stage: the folder of one command whose changes to its writable folders are collected by overlays. The gate looks at them
// when the command has ended, and lands them by renames that can be undone. See docs/staging.md for the files of a stage.

#ifndef HARDSHELL_STAGE_H
#define HARDSHELL_STAGE_H

#include "confine.h"
#include "frame.h"
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

/** Exit codes of a verb; part of the protocol. */
enum stage_exit { STAGE_DONE = 0, STAGE_REFUSED = 1, STAGE_TROUBLE = 2, STAGE_BUSY = 3 };

/** Part of the protocol: words in the journal, in this order. */
enum unit_kind { UNIT_NEW, UNIT_CHANGED, UNIT_DELETED, UNIT_REPLACED, UNIT_FOLDER, UNIT_KINDS };
enum held_why { HELD_PROTECTED, HELD_CONFLICT, HELD_HIDDEN, HELD_LINK, HELD_FAILED, HELD_REASONS };

/** A file or folder by its identity; `inode` 0 = none. */
struct file_id {
  uint64_t device, inode;
};

struct folder_look {
  mode_t mode;
  struct timespec modified;
};

/** One thing that lands by one rename, or the attributes of a folder. */
struct unit {
  enum unit_kind kind;
  uint32_t root;
  /** What lands, and what it replaces. */
  struct file_id in, out;
  /** Of what it replaces, when the unit was planned. */
  struct timespec out_changed, out_modified;
  /** Of a folder. */
  struct folder_look before, after;
  char *path;
};

/** What a unit left in the root, or put back there: without a change since then, it can be moved again. */
struct unit_mark {
  int is_skipped;
  struct file_id id;
  struct timespec changed;
  /** What was taken out of the root for it, or the folder: its time of change before, and in its place in the stage. */
  struct file_id taken;
  struct timespec before, inside;
  /** Of an index of git: what a refresh does not change. Otherwise 0. */
  uint64_t digest;
};

/** An object that was put back, unchanged: its time of change before it was taken, and now. Part of the file `moves`. */
struct stage_move {
  struct file_id id;
  struct timespec before, after;
};

struct stage_root {
  const char *path;
  /** The root, its folder in the stage, and the folders in that. */
  int fd, folder, upper, undo;
};

struct stage {
  /** `lock` is -1 if another process has it. `store`: the folder of all stages. */
  int fd, lock, store;
  char *path;
  uint8_t *bytes;
  struct confinement *confinement;
  struct stage_root *roots;
  size_t root_count;
  struct timespec begun;
  struct stage_move *moves;
  size_t move_count;
  struct unit *units;
  size_t unit_count, unit_capacity;
  /** Records of the journal. */
  struct buffer names, held;
  uint32_t name_count, held_count;
};

// stage-place.c
/** Opens the folder of a stage and locks it: STAGE_DONE, STAGE_BUSY, or STAGE_TROUBLE after a message on stderr. */
enum stage_exit stage_open(struct stage *stage, const char *path);
/** The same with a lock that this process has already. */
enum stage_exit stage_open_locked(struct stage *stage, const char *path, int lock);
/** Its confinement and roots. Waits until no other stage is landing or being undone: what it judges stays as it is. */
enum stage_exit stage_load(struct stage *stage);
void stage_close(struct stage *stage);
/** Replaces a small file of the stage as a whole; 0 or an errno. */
int stage_write(const struct stage *stage, const char *name, const void *bytes, size_t size);
/** The same in two steps: after a power cut, a published file is there, and complete, if any later rename is. */
int stage_draft(const struct stage *stage, const char *name, const void *bytes, size_t size);
int stage_publish(const struct stage *stage, const char *name);
/** For files that were written before. */
void stage_start_writing(const struct stage *stage, const char *name);
int stage_wait_written(const struct stage *stage, const char *name);
/** A whole file of the stage, NUL-ended; NULL with errno. */
char *stage_read(const struct stage *stage, const char *name, size_t *size);
/** Takes a time with a file of the stage, creating it; 0 or an errno. */
int stage_take_time(const struct stage *stage, const char *name, struct timespec *time);
int stage_set_state(const struct stage *stage, const char *state);
/** A message about a stage on stderr. */
enum stage_exit stage_trouble(const char *what, int error);
/** Removes the folder of a stage with everything in it. */
int stage_remove(struct stage *stage);
/** Removes what a stage holds; its records stay. */
int stage_empty(struct stage *stage);
/** A user namespace of our own: modes of files do not stop us. 0 or an errno. */
int stage_gain_access(void);

// stage-files.c
int is_same_file(const struct file_id *id, const struct stat *status);
struct file_id file_id_of(const struct stat *status);
int is_same_time(const struct timespec *a, const struct timespec *b);
/** Whether `a` is not before `b`. */
int is_since_time(const struct timespec *a, const struct timespec *b);
int is_whiteout(const struct stat *status);
/** A folder below `fd`, by a path without links; "" = itself. -1 with errno. */
int open_below(int fd, const char *path);
/** The folder that contains the last name of a path, and that name. */
int open_parent(int fd, const char *path, const char **name);
/** 0 if it exists. Never follows a link. */
int look_at(int folder, const char *name, struct stat *status);
/** Whether anything in a tree has changed since then; what cannot be read counts as changed. */
int is_tree_changed(const struct stage *stage, int folder, const char *name, const struct timespec *since);
/** Removes a name and everything below; 0 or an errno. */
int remove_tree(int folder, const char *name);
/** Names in a folder, sorted: `count` strings and one block of memory for all. NULL with errno. */
char **list_names(int folder, size_t *count);
/** Gives a file a time that is later than that of every change before, and not later than that of any change after. */
int take_time(int fd, struct timespec *time);
int rename_new(int from, const char *name, int to, const char *as);

// stage-attributes.c
enum overlay_mark { OVERLAY_OPAQUE = 1, OVERLAY_ORIGIN = 2 };
/** What the overlay has noted on a file or folder of the upper layer; -1 with errno. */
int read_overlay_marks(int folder, const char *name);
/** Removes the notes of the overlay, and whiteouts in folders, from a tree whose top has this status; 0 or an errno. */
int strip_overlay_marks(int folder, const char *name, const struct stat *status);
/** Whether two files have the same extended attributes, apart from those of the overlay. */
int has_same_attributes(int folder, const char *name, int other_folder, const char *other_name);
/** Whether two files of the same size have the same content. */
int has_same_content(int folder, const char *name, int other_folder, const char *other_name);

// stage-plan.c
/** Compares the upper layers with the roots: units, names, what is held. `lands`: also prepares the layers for landing. */
enum stage_exit stage_plan(struct stage *stage, int lands);

// stage-journal.c
void journal_name(struct stage *stage, const char *what, mode_t type, uint64_t size, uint32_t root, const char *path);
void journal_held(struct stage *stage, enum held_why why, const char *detail, uint32_t root, const char *path);
/** The field of a record after so many tabs; NULL if it has fewer. */
const char *record_field(const char *record, int tabs);
/** A record of what is held; its path points into the record. */
struct held_record {
  enum held_why why;
  uint32_t root;
  const char *path;
};
/** Whether the record is sound. */
int read_held(const char *text, struct held_record *record);
/** Removes names at and below a path. */
void forget_names_below(struct stage *stage, uint32_t root, const char *path);
struct unit *journal_unit(struct stage *stage, enum unit_kind kind, uint32_t root, const char *path);
/** Then the stage has this state: what recovery needs is written out before. */
int journal_write(const struct stage *stage, const char *state);
/** Refuses a journal that is incomplete, of other roots, or with paths that leave them. */
enum stage_exit journal_read(struct stage *stage);
void journal_forget(struct stage *stage);
/** Marks of all units, as a file of the stage; its name is the state that the stage has then. */
int marks_write(const struct stage *stage, const char *name, const struct unit_mark *marks);
/** NULL if there are none. */
struct unit_mark *marks_read(const struct stage *stage, const char *name);

// stage-places.c
/** Where the parts of a unit are now. */
struct unit_places {
  int real, upper;
  const char *name;
  /** Its name in `undo` and `aside`. */
  char number[32];
  struct stat now, ready, kept;
  int has_now, has_ready, has_kept;
};
/** The folder that contains a unit, in its root or in the upper layer, and its name there. Stays open: not to be closed. */
int root_folder_of(const struct stage *stage, const struct unit *unit, const char **name);
int upper_folder_of(const struct stage *stage, const struct unit *unit, const char **name);
/** Closes what these two have left open. */
void close_unit_folders(void);
/** 0 or an errno. Its folders stay open until the next unit. */
int find_unit_places(const struct stage *stage, size_t which, struct unit_places *places);
/** Whether a file is an index with the same entries as at the mark. */
int is_refreshed_index(const struct unit_places *places, const struct unit_mark *mark);
/** What is in the root now. */
void take_unit_mark(const struct stage *stage, const struct unit *unit, struct unit_mark *mark);
/** Gives a folder of the root this mode and time; 0 or an errno. */
int set_folder(const struct stage *stage, const struct unit *unit, const struct folder_look *look);

/**
 * What stands in the way of a unit: nothing; an index that git has only refreshed, which moves in its place; something newer in the
 * root; that it, or the folder that contains it, is gone; or
 * that it would complete a repository that was not judged as a whole.
 */
enum unit_conflict { UNIT_FREE, UNIT_REFRESHED, UNIT_NEWER, UNIT_STUCK, UNIT_BARRED };

// stage-moves.c
enum moved_to { MOVED_TO_UNDO, MOVED_TO_UPPER };
void moves_load(struct stage *stage);
/** Whether an object is as it was at that time of change. */
int is_unchanged_since(const struct stage *stage, const struct stat *status, const struct timespec *mark);
/** Whether others have changed it at that time or later. */
int is_changed_since(const struct stage *stage, const struct stat *status, const struct timespec *since);
/** Before a verb moves anything; `earlier` are the marks of the verb before, which put into `from` what comes back now. */
void moves_begin(const struct stage *stage, enum moved_to from, struct unit_mark *earlier, struct unit_mark *marks);
/** After it: notes what was put back unchanged. 0 or an errno. */
int moves_end(const struct stage *stage, enum moved_to to, const struct unit_mark *earlier, struct unit_mark *marks);

// stage-mixed.c
/** Marks units that would complete a repository of parts that were not judged together; 0 or an errno. */
int find_mixed_repositories(const struct stage *stage, const struct unit_mark *marks, uint8_t *conflicts);

// stage-land.c
enum landing { LAND_FIRST, LAND_RECOVER, LAND_FORCED };
/** For each unit; `marks` is what they were put back as, or NULL. The result is freed by the caller; NULL = no memory. */
uint8_t *find_land_conflicts(const struct stage *stage, enum landing how, const struct unit_mark *marks);
/** Removes the notes of the overlay from what lands for the first time. */
void strip_units(const struct stage *stage, uint8_t *conflicts);
/**
 * Lands the others; if forced, also those with something newer in the way, which then is in `undo`. `undone`: marks of the undo,
 * or NULL. 0 or an errno.
 */
int land_units(const struct stage *stage, enum landing how, struct unit_mark *undone, const uint8_t *conflicts);

// stage-undo.c
uint8_t *find_undo_conflicts(const struct stage *stage, const struct unit_mark *marks);
/** Puts everything back; something newer is moved to `aside`. Units that are stuck are left. 0 or an errno. */
int undo_units(const struct stage *stage, struct unit_mark *marks, const uint8_t *conflicts);

// stage-verbs.c
/** hardshell-keeper stage VERB STAGE [--force] */
int stage_main(int argc, char **argv);
/** After all processes of a command are gone: plans, then lands or holds. `state`: as in the file, or "empty". */
enum stage_exit stage_finish(struct stage *stage, int holds, const char **state);

#endif
