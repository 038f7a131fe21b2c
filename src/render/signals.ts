// Signals: names and numbers (Linux), and what it usually means if one ends a command.

const SIGNALS: readonly (readonly [name: string, number: number, meaning: string])[] = [
  ['SIGHUP', 1, 'Its terminal or session went away (SIGHUP).'],
  ['SIGINT', 2, 'It was interrupted, as by Ctrl-C (SIGINT).'],
  ['SIGQUIT', 3, 'It was asked to quit, as by Ctrl-\\ (SIGQUIT).'],
  ['SIGILL', 4, 'Illegal instruction (SIGILL).'],
  ['SIGTRAP', 5, 'It hit a breakpoint or trap (SIGTRAP).'],
  ['SIGABRT', 6, 'It aborted itself, usually because of a failed check (SIGABRT).'],
  ['SIGBUS', 7, 'It accessed invalid memory (bus error, SIGBUS).'],
  ['SIGFPE', 8, 'It made an arithmetic error, such as a division by zero (SIGFPE).'],
  ['SIGKILL', 9, 'It was killed (SIGKILL): by another process, or because memory ran out.'],
  ['SIGUSR1', 10, 'It was ended by the signal SIGUSR1.'],
  ['SIGSEGV', 11, 'It crashed: it accessed invalid memory (segmentation fault, SIGSEGV).'],
  ['SIGUSR2', 12, 'It was ended by the signal SIGUSR2.'],
  ['SIGPIPE', 13, 'The reader closed the pipe (SIGPIPE), as is usual with `| head`.'],
  ['SIGALRM', 14, 'Its own alarm rang (SIGALRM).'],
  ['SIGTERM', 15, 'It was terminated (SIGTERM).'],
  ['SIGXCPU', 24, 'It used more processor time than allowed (SIGXCPU).'],
  ['SIGXFSZ', 25, 'It wrote a larger file than allowed (SIGXFSZ).'],
  ['SIGSYS', 31, 'It made a system call that is not allowed (SIGSYS).'],
];

/** The signal that a shell reports as 128 + its number; `null` for any other code. */
export function signalOfExitCode(exitCode: number): string | null {
  return SIGNALS.find(([, number]) => number === exitCode - 128)?.[0] ?? null;
}

export function explainSignal(signal: string): string {
  return SIGNALS.find(([name]) => name === signal)?.[2] ?? `It was ended by the signal ${signal}.`;
}
