// Signals: their names and numbers (Linux), and what it usually means when one ends a command.

const SIGNALS: readonly (readonly [name: string, number: number, meaning: string])[] = [
  ['SIGHUP', 1, 'Its terminal or session went away (SIGHUP).'],
  ['SIGINT', 2, 'It was interrupted, as by Ctrl-C (SIGINT).'],
  ['SIGQUIT', 3, 'It was told to quit, as by Ctrl-\\ (SIGQUIT).'],
  ['SIGILL', 4, 'It ran an instruction that the processor does not know (SIGILL).'],
  ['SIGTRAP', 5, 'It hit a breakpoint or trap (SIGTRAP).'],
  ['SIGABRT', 6, 'It stopped itself because of a failed check (SIGABRT).'],
  ['SIGBUS', 7, 'It used memory that is not there (SIGBUS).'],
  ['SIGFPE', 8, 'It made an arithmetic error, such as a division by zero (SIGFPE).'],
  ['SIGKILL', 9, 'It was killed (SIGKILL): by someone, or because there was too little memory.'],
  ['SIGUSR1', 10, 'It was ended by the signal SIGUSR1.'],
  ['SIGSEGV', 11, 'It crashed: it used memory that is not its own (segmentation fault, SIGSEGV).'],
  ['SIGUSR2', 12, 'It was ended by the signal SIGUSR2.'],
  ['SIGPIPE', 13, 'Its reader had seen enough and closed the pipe (SIGPIPE); under `| head` that is usual.'],
  ['SIGALRM', 14, 'Its own alarm rang (SIGALRM).'],
  ['SIGTERM', 15, 'It was asked to end (SIGTERM).'],
  ['SIGXCPU', 24, 'It used more processor time than allowed (SIGXCPU).'],
  ['SIGXFSZ', 25, 'It wrote a larger file than allowed (SIGXFSZ).'],
  ['SIGSYS', 31, 'It made a system call that is not allowed (SIGSYS).'],
];

/** The signal that a shell reports as 128 + its number; `null` when the code is none of those. */
export function signalOfExitCode(exitCode: number): string | null {
  return SIGNALS.find(([, number]) => number === exitCode - 128)?.[0] ?? null;
}

export function explainSignal(signal: string): string {
  return SIGNALS.find(([name]) => name === signal)?.[2] ?? `It was ended by the signal ${signal}.`;
}
