// A process of ours that has been loaded and stands before the first instruction of its program, stopped by ptrace.

#ifndef HARDSHELL_ENTRY_H
#define HARDSHELL_ENTRY_H

#include <stddef.h>
#include <sys/types.h>

/** Room for the text that the last argument becomes, with its NUL. */
#define ENTRY_TEXT_BYTES 8192u

/** Whether this processor's registers are known here. */
int entry_is_supported(void);
/** Brings a traced child from its exec to its entry point; 0 when that cannot be had, and the child is of no more use.
 * Its last argument of `argc` must fill ENTRY_TEXT_BYTES. One child at a time. A `gate` that is not -1 holds a process that
 * nobody traces yet before its exec; it is used and closed. */
int entry_reach(pid_t child, int gate, size_t argc);
/** Whether somebody has sent it a signal, for whatever it took this process for. */
int entry_has_signals(void);
/** Puts `text` in the place of the last argument and lets the child run on its own; 0 as above: it has run nothing then. */
int entry_release(const char *text);

#endif
