// Spool files. PATH: bytes [0, head) as written, then a ring of `tail` bytes; until the ring wraps it is simply the output.
// PATH.map: the header below, then one bit per byte of PATH: 1 = stderr. It is mapped memory, so a reader in another
// process sees the current state at any time, even after this process is killed.

#define _GNU_SOURCE
#include "spool.h"
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAP_OFFSET 4096u
#define MAP_STEP (64u << 10)
/** A larger ring stays rotated; its reader reorders it. */
#define MAX_ROTATED (256u << 20)

/** How much of the ring is allocated on disk at once. */
#define RING_STEP (1u << 20)
/** Chunk size for reordering a ring: small enough to stay in the cache. */
#define MOVE_BYTES (128u << 10)
/** Less is not worth the detour. */
#define MIN_WINDOW 4096u

enum { HEADER_SPLIT = 1, HEADER_FINISHED = 2, HEADER_ROTATED = 4, HEADER_FAILED = 8 };

struct spool_header {
  char magic[8];
  uint64_t head, tail;
  /** `reached` runs ahead of `total` during a write: bytes more than `tail` behind it may be overwritten. */
  _Atomic uint64_t total, reached;
  uint64_t out, err;
  uint64_t flags;
  uint64_t line_at, line_size;
  uint64_t error;
};

void spool_init(struct spool *spool, const char *path, uint64_t head, uint64_t tail, int is_split) {
  *spool = (struct spool){.path = path, .head = head, .tail = tail, .is_split = is_split, .fd = -1, .map_fd = -1};
}

static int allocate(int fd, off_t at, off_t size) {
  int error = posix_fallocate(fd, at, size);
  if (error != EOPNOTSUPP && error != EINVAL) return error;
  static const char zeros[4096];
  for (off_t done = 0; done < size; done += (off_t)sizeof zeros)
    if (pwrite(fd, zeros, sizeof zeros, at + done) != (ssize_t)sizeof zeros) return errno ? errno : ENOSPC;
  return 0;
}

// Space is reserved before mapped memory is touched: a full disk must be an error here, not a SIGBUS.
static int reserve_map(struct spool *spool, uint64_t bytes) {
  while (spool->map_ready < bytes) {
    size_t step = spool->map_size - spool->map_ready;
    if (step > MAP_STEP) step = MAP_STEP;
    int error = allocate(spool->map_fd, (off_t)(MAP_OFFSET + spool->map_ready), (off_t)step);
    if (error != 0) return error;
    spool->map_ready += step;
  }
  return 0;
}

static int open_map(struct spool *spool) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s.map", spool->path) >= (int)sizeof path) return ENAMETOOLONG;
  spool->map_fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (spool->map_fd < 0) return errno;
  spool->map_size = spool->is_split ? (size_t)((spool->head + spool->tail) / 8) : 0;
  int error = allocate(spool->map_fd, 0, MAP_OFFSET);
  if (error != 0) return error;
  if (ftruncate(spool->map_fd, (off_t)(MAP_OFFSET + spool->map_size)) < 0) return errno;
  void *memory =
      mmap(NULL, MAP_OFFSET + spool->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, spool->map_fd, 0);
  if (memory == MAP_FAILED) return errno;
  spool->header = memory;
  spool->header->head = spool->head;
  spool->header->tail = spool->tail;
  spool->header->flags = spool->is_split ? HEADER_SPLIT : 0;
  memcpy(spool->header->magic, "HSSPOOL1", 8);
  return 0;
}

static void set_bits(uint8_t *map, uint64_t from, uint64_t size, int value) {
  uint64_t end = from + size;
  for (; from < end && from % 8 != 0; from++)
    map[from / 8] = (uint8_t)(value ? map[from / 8] | 1u << from % 8 : map[from / 8] & ~(1u << from % 8));
  if (end - from >= 8) memset(map + from / 8, value ? 0xff : 0, (size_t)((end - from) / 8));
  from += (end - from) / 8 * 8;
  for (; from < end; from++)
    map[from / 8] = (uint8_t)(value ? map[from / 8] | 1u << from % 8 : map[from / 8] & ~(1u << from % 8));
}

static int mark(struct spool *spool, enum stream stream, uint64_t at, size_t size) {
  if (!spool->is_split || (stream == STREAM_OUT && !spool->has_stderr)) return 0;
  int error = reserve_map(spool, (at + size + 7) / 8);
  if (error != 0) return error;
  spool->has_stderr = 1;
  set_bits((uint8_t *)spool->header + MAP_OFFSET, at, size, stream == STREAM_ERR);
  return 0;
}

static int write_at(int fd, const uint8_t *bytes, size_t size, uint64_t at) {
  while (size > 0) {
    ssize_t count = pwrite(fd, bytes, size, (off_t)at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : ENOSPC;
    bytes += count;
    size -= (size_t)count;
    at += (uint64_t)count;
  }
  return 0;
}

static int fail(struct spool *spool, int error) {
  spool->error = error;
  if (spool->header != NULL) {
    spool->header->error = (uint64_t)error;
    spool->header->flags |= HEADER_FAILED;
  }
  return error;
}

// `at` counts all bytes of the task; the caller adds them to the total afterwards.
static int place(struct spool *spool, uint64_t at, enum stream stream, const uint8_t *bytes, size_t size) {
  atomic_store(&spool->header->reached, at + size);
  while (size > 0) {
    uint64_t offset = at, room = spool->head > at ? spool->head - at : 0;
    if (room == 0) {
      if (spool->tail == 0) return 0;
      offset = spool->head + (at - spool->head) % spool->tail;
      room = spool->head + spool->tail - offset;
    }
    size_t part = size < room ? size : (size_t)room;
    int error = write_at(spool->fd, bytes, part, offset);
    if (error == 0) error = mark(spool, stream, offset, part);
    if (error != 0) return error;
    bytes += part;
    size -= part;
    at += part;
  }
  return 0;
}

static void publish(struct spool *spool) {
  if (spool->header == NULL) return;
  spool->header->out = spool->streams[STREAM_OUT];
  spool->header->err = spool->streams[STREAM_ERR];
  atomic_store(&spool->header->total, spool->total);
}

int spool_open(struct spool *spool) {
  if (spool->is_open || spool->path == NULL) return 0;
  spool->fd = open(spool->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (spool->fd < 0) return fail(spool, errno);
  int error = open_map(spool);
  if (error != 0) return fail(spool, error);
  spool->is_open = 1;
  uint64_t at = 0;
  for (size_t i = 0; i < spool->segment_count && error == 0; i++) {
    const struct segment *segment = &spool->segments[i];
    error = place(spool, at, segment->stream, spool->pending + at, segment->size);
    at += segment->size;
  }
  publish(spool);
  return error == 0 ? 0 : fail(spool, error);
}

static int hold(struct spool *spool, enum stream stream, const uint8_t *bytes, size_t size) {
  struct segment *last = spool->segment_count > 0 ? &spool->segments[spool->segment_count - 1] : NULL;
  if (spool->total + size > INLINE_BYTES) return 0;
  if (last == NULL || last->stream != stream) {
    if (spool->segment_count == MAX_SEGMENTS) return 0;
    last = &spool->segments[spool->segment_count++];
    *last = (struct segment){0, (uint8_t)stream};
  }
  if (spool->pending == NULL) spool->pending = malloc(INLINE_BYTES);
  if (spool->pending == NULL) return 0;
  memcpy(spool->pending + spool->total, bytes, size);
  last->size += (uint32_t)size;
  return 1;
}

int spool_write(struct spool *spool, enum stream stream, const uint8_t *bytes, size_t size) {
  int error = spool->error;
  if (error == 0 && !spool->is_open && !hold(spool, stream, bytes, size)) error = spool_open(spool);
  if (error == 0 && spool->is_open) {
    error = place(spool, spool->total, stream, bytes, size);
    if (error != 0) fail(spool, error);
  }
  // After a failure the counts still say what the command wrote; the header keeps what is really stored.
  spool->total += size;
  spool->streams[stream] += size;
  if (error == 0) publish(spool);
  return error;
}

static int reserve_ring(struct spool *spool, uint64_t size) {
  if (spool->ring == NULL) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), skip = spool->head % page;
    spool->mapping_size = (size_t)(spool->tail + skip);
    void *memory = mmap(NULL, spool->mapping_size, PROT_READ | PROT_WRITE, MAP_SHARED, spool->fd, (off_t)(spool->head - skip));
    if (memory == MAP_FAILED) return errno;
    spool->mapping = memory;
    spool->ring = spool->mapping + skip;
  }
  while (spool->ring_ready < size) {
    uint64_t step = spool->tail - spool->ring_ready;
    if (step > RING_STEP) step = RING_STEP;
    int error = allocate(spool->fd, (off_t)(spool->head + spool->ring_ready), (off_t)step);
    if (error != 0) return error;
    spool->ring_ready += step;
  }
  return 0;
}

uint8_t *spool_window(struct spool *spool, size_t want, size_t *room) {
  if (!spool->is_open || spool->error != 0 || spool->tail < MIN_WINDOW) return NULL;
  // The first time around is written: a new page of a file costs far more by a fault than by a write.
  if (spool->total < spool->head + spool->tail) return NULL;
  uint64_t at = (spool->total - spool->head) % spool->tail;
  uint64_t size = spool->tail - at < want ? spool->tail - at : want;
  if (size < MIN_WINDOW) return NULL;
  // The write that follows instead hits the same full disk, and reports it.
  if (reserve_ring(spool, at + size) != 0) return NULL;
  atomic_store(&spool->header->reached, spool->total + size);
  *room = (size_t)size;
  return spool->ring + at;
}

int spool_commit(struct spool *spool, enum stream stream, size_t size) {
  uint64_t at = spool->head + (spool->total - spool->head) % spool->tail;
  int error = mark(spool, stream, at, size);
  spool->total += size;
  spool->streams[stream] += size;
  atomic_store(&spool->header->reached, spool->total);
  if (error != 0) return fail(spool, error);
  publish(spool);
  return 0;
}

static void rotate_bits(uint8_t *map, uint64_t bits, uint64_t start) {
  uint8_t *turned = calloc(1, (size_t)(bits / 8));
  if (turned == NULL) return;
  for (uint64_t i = 0; i < bits; i++) {
    uint64_t from = (start + i) % bits;
    if (map[from / 8] >> from % 8 & 1) turned[i / 8] = (uint8_t)(turned[i / 8] | 1u << i % 8);
  }
  memcpy(map, turned, (size_t)(bits / 8));
  free(turned);
}

static int read_at(int fd, uint8_t *bytes, size_t size, uint64_t at) {
  while (size > 0) {
    ssize_t count = pread(fd, bytes, size, (off_t)at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : EIO;
    bytes += count;
    size -= (size_t)count;
    at += (uint64_t)count;
  }
  return 0;
}

// Chunk by chunk, from the side that the rest moves away from: no byte is overwritten before it was read.
static int move_within(int fd, uint64_t from, uint64_t to, uint64_t size) {
  static uint8_t piece[MOVE_BYTES];
  for (uint64_t done = 0; done < size;) {
    size_t part = size - done < MOVE_BYTES ? (size_t)(size - done) : MOVE_BYTES;
    uint64_t at = to < from ? done : size - done - part;
    int error = read_at(fd, piece, part, from + at);
    if (error == 0) error = write_at(fd, piece, part, to + at);
    if (error != 0) return error;
    done += part;
  }
  return 0;
}

// The shorter part is buffered while the longer one moves: memory that was never touched is slow.
static void rotate(struct spool *spool) {
  uint64_t start = (spool->total - spool->head) % spool->tail, rest = spool->tail - start;
  if (spool->tail > MAX_ROTATED) return;
  int is_start_shorter = start <= rest;
  size_t size = (size_t)(is_start_shorter ? start : rest);
  uint8_t *aside = malloc(size > 0 ? size : 1);
  if (aside == NULL) return;
  uint64_t head = spool->head;
  int error = read_at(spool->fd, aside, size, is_start_shorter ? head : head + start);
  if (error == 0 && start > 0)
    error = is_start_shorter ? move_within(spool->fd, head + start, head, rest)
                             : move_within(spool->fd, head, head + rest, start);
  if (error == 0) error = write_at(spool->fd, aside, size, is_start_shorter ? head + rest : head);
  if (error == 0) {
    if (spool->has_stderr && start > 0)
      rotate_bits((uint8_t *)spool->header + MAP_OFFSET + spool->head / 8, spool->tail, start);
    spool->header->flags |= HEADER_ROTATED;
  }
  free(aside);
}

void spool_finish(struct spool *spool, const char *line, size_t size) {
  if (!spool->is_open) return;
  struct stat info;
  uint64_t kept = spool_head_kept(spool) + spool_tail_kept(spool);
  if (spool->error == 0 && spool->tail > 0 && spool->total > spool->head + spool->tail) rotate(spool);
  // Space that was reserved and not used is not output.
  if (spool->ring_ready > 0 && spool->error == 0 && ftruncate(spool->fd, (off_t)kept) < 0) spool->error = errno;
  // After a failed write only the end of the file is known.
  uint64_t at = spool->error != 0 && fstat(spool->fd, &info) == 0 ? (uint64_t)info.st_size : kept;
  char last = '\n';
  if (size > 0 && at > 0 && pread(spool->fd, &last, 1, (off_t)at - 1) == 1 && last != '\n' &&
      write_at(spool->fd, (const uint8_t *)"\n", 1, at) == 0)
    at += 1;
  if (size > 0 && write_at(spool->fd, (const uint8_t *)line, size, at) == 0) {
    spool->header->line_at = at;
    spool->header->line_size = size;
  }
  spool->header->flags |= HEADER_FINISHED;
}

void spool_close(struct spool *spool) {
  if (spool->mapping != NULL) munmap(spool->mapping, spool->mapping_size);
  if (spool->header != NULL) munmap(spool->header, MAP_OFFSET + spool->map_size);
  if (spool->fd >= 0) close(spool->fd);
  if (spool->map_fd >= 0) close(spool->map_fd);
  free(spool->pending);
  spool_init(spool, NULL, 0, 0, 0);
}

uint64_t spool_head_kept(const struct spool *spool) {
  return spool->total < spool->head ? spool->total : spool->head;
}

uint64_t spool_tail_kept(const struct spool *spool) {
  uint64_t rest = spool->total - spool_head_kept(spool);
  return rest < spool->tail ? rest : spool->tail;
}
