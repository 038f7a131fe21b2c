// A seccomp notification: the system call of a thread that waits for an answer. Data read from its memory or through its
// entry in /proc may be used only after `notice_is_current` has confirmed that it is still the same caller.

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

/** Makes answers faster if the kernel supports it. */
void notice_begin(int notify_fd);
/** 1 if there is one, 0 if it is already gone, -1 if no process can notify any more. */
int notice_take(int notify_fd, struct notice *notice);
int notice_is_current(int notify_fd, const struct notice *notice);
/** `error` 0: the call has succeeded. */
void notice_answer(int notify_fd, const struct notice *notice, int error);
/** The kernel performs the call as if there were no filter: never for a decision based on memory contents. */
void notice_let_pass(int notify_fd, const struct notice *notice);

/** Whether the memory of a process may be read at all; 0 or an errno. */
int notice_can_read(pid_t pid);
/** 0 or an errno. */
int notice_read(const struct notice *notice, uint64_t address, void *bytes, size_t size);
/** A text of at most `size` bytes with its NUL, which may end at the end of the mapping; its length, or -1 with errno. */
ssize_t notice_read_text(const struct notice *notice, uint64_t address, char *text, size_t size);
/** The caller's descriptor, duplicated; -1 with errno. */
int notice_descriptor(const struct notice *notice, int number);
/** O_PATH as the caller would open it, links followed, from its root; -1 with errno. */
int notice_open_path(const struct notice *notice, const char *path);
/** `path` made absolute by the caller's folder, or by that of its descriptor (AT_FDCWD: its folder); 0 or an errno. */
int notice_absolute(const struct notice *notice, int folder, const char *path, char *text, size_t size);

#endif
