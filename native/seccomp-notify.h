// A question of a filter: the system call of a thread that waits for an answer. What is read of its memory or through its
// entry in /proc may be used only after `notice_is_current` has said that it is still the one that asked.

#ifndef HARDSHELL_SECCOMP_NOTIFY_H
#define HARDSHELL_SECCOMP_NOTIFY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** As the kernel writes it. */
struct notice {
  uint64_t id;
  uint32_t pid, flags;
  int32_t number;
  uint32_t machine;
  uint64_t address, arguments[6];
};

/** Makes answers quicker where the kernel can. */
void notice_begin(int notify_fd);
/** 1 when there is one, 0 when it is gone already, -1 when nobody can ask any more. */
int notice_take(int notify_fd, struct notice *notice);
int notice_is_current(int notify_fd, const struct notice *notice);
/** `error` 0: the call has worked. */
void notice_answer(int notify_fd, const struct notice *notice, int error);
/** The kernel does the call as if nobody had been asked: never an answer about what is read from memory. */
void notice_let_pass(int notify_fd, const struct notice *notice);

/** 0 or an errno. */
int notice_read(const struct notice *notice, uint64_t address, void *bytes, size_t size);
/** A text of at most `size` bytes with its NUL, which may end at the end of what is mapped; its length, or -1 with errno. */
ssize_t notice_read_text(const struct notice *notice, uint64_t address, char *text, size_t size);
/** The caller's descriptor as one of ours; -1 with errno. */
int notice_descriptor(const struct notice *notice, int number);
/** O_PATH as the caller would open it, links followed, from its root; -1 with errno. */
int notice_open_path(const struct notice *notice, const char *path);
/** `path` made absolute by the caller's folder, or by that of its descriptor (AT_FDCWD: its folder); 0 or an errno. */
int notice_absolute(const struct notice *notice, int folder, const char *path, char *text, size_t size);

#endif
