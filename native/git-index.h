// What git reads from an index without checking it.

#ifndef HARDSHELL_GIT_INDEX_H
#define HARDSHELL_GIT_INDEX_H

#include <stddef.h>
#include <stdint.h>

/** Whether git can use this index, and every path in it stays in the work tree and out of `.git`. `hash_size`: find_hash_size. */
int is_safe_index(const uint8_t *bytes, size_t size, size_t hash_size);
/** The entries of an index without the status of their files, which git refreshes at any time; 0 if it cannot be told. */
uint64_t digest_index(const uint8_t *bytes, size_t size);
/** Whether git would add this path to an index itself (`verify_path` of git): `mode` as in an index. */
int is_safe_git_path(const char *path, uint32_t mode);
/** The settings of a repository → the bytes of its object names: 20, 32, or 0 if that is unclear. */
size_t find_hash_size(const char *config, size_t size);

// judge-index.c
/** About a million files. */
#define MAX_INDEX_BYTES (128u << 20)
/** Whether a file of this name in a git folder is an index, or a part of one. */
int is_index_name(const char *name);

/** The modes of git. */
enum { GIT_FILE = 0100644, GIT_PROGRAM = 0100755, GIT_LINK = 0120000, GIT_SUBMODULE = 0160000, GIT_FOLDER = 0040000 };

#endif
