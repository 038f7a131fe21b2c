// One of our processes that has been loaded and is stopped by ptrace before the first instruction of its program.

#ifndef HARDSHELL_ENTRY_H
#define HARDSHELL_ENTRY_H

#include <stddef.h>
#include <sys/types.h>

/** Space for the text that replaces the last argument, with its NUL. */
#define ENTRY_TEXT_BYTES 8192u

/** Whether this CPU's registers are supported. */
int entry_is_supported(void);
/** The text that a waiting shell is loaded with: spaces, which are no command either. */
void entry_fill(char text[ENTRY_TEXT_BYTES]);
/** Brings a traced child from its exec to its entry point; 0 if that is not possible, and the child is then useless.
 * Its last argument of `argc` must fill ENTRY_TEXT_BYTES. One child at a time. A `gate` other than -1 blocks a process that
 * is not yet traced before its exec; it is used and closed. */
int entry_reach(pid_t child, int gate, size_t argc);
/** Whether it has received a stray signal. */
int entry_has_signals(void);
/** Replaces the last argument with `text` and lets the child run; 0 as above: it has run nothing then. */
int entry_release(const char *text);

#endif
