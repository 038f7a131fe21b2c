// The output of one task on disk: the first bytes, then a ring with the last ones. See spool.c for the files.

#ifndef HARDSHELL_SPOOL_H
#define HARDSHELL_SPOOL_H

#include <stddef.h>
#include <stdint.h>

/** Shorter output needs no file: the live frames, which are never delayed below this size, were all of it. */
#define INLINE_BYTES (64u << 10)
#define MAX_SEGMENTS 256

enum stream { STREAM_OUT = 0, STREAM_ERR = 1 };

struct spool {
  const char *path;
  uint64_t head, tail;
  /** Bytes that the command wrote, both streams, kept or not. */
  uint64_t total, streams[2];
  int is_split, is_open, fd, has_stderr;
  /** errno of the failed write; nothing is kept after that. */
  int error;
  uint8_t *pending;
  struct segment {
    uint32_t size;
    uint8_t stream;
  } segments[MAX_SEGMENTS];
  size_t segment_count;
  struct spool_header *header;
  size_t map_size, map_ready;
  int map_fd;
  /** The ring as memory, for reading into it directly, and how much of it is allocated on disk. */
  uint8_t *mapping, *ring;
  size_t mapping_size;
  uint64_t ring_ready;
};

void spool_init(struct spool *spool, const char *path, uint64_t head, uint64_t tail, int is_split);
/** Creates the files now; 0 or an errno. */
int spool_open(struct spool *spool);
/** Takes bytes; 0, or the errno of the first failure. */
int spool_write(struct spool *spool, enum stream stream, const uint8_t *bytes, size_t size);
/** Space in the ring for the next bytes, or NULL if they must be written: read into it, then commit. */
uint8_t *spool_window(struct spool *spool, size_t want, size_t *room);
int spool_commit(struct spool *spool, enum stream stream, size_t size);
/** Reorders a wrapped ring, so that the file can be read from top to bottom, and appends a line, if any. */
void spool_finish(struct spool *spool, const char *line, size_t size);
void spool_close(struct spool *spool);
uint64_t spool_head_kept(const struct spool *spool);
uint64_t spool_tail_kept(const struct spool *spool);

#endif
