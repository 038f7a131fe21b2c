// Signals to us → the end of the command: the first asks the whole process tree to end; the second does not wait.

import { constants } from 'node:os';
import { process } from '../../process.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Interrupts {
  readonly signal: AbortSignal;
  /** 130 after Ctrl-C; null if there was no signal. */
  exitCode(): number | null;
  /** Ends the command because its output has no reader any more; the code becomes our exit code. */
  abandon(exitCode: number): void;
  abandoned(): number | null;
  onSecond: () => void;
  close(): void;
}

export function listenForInterrupts(): Interrupts {
  const controller = new AbortController();
  let count = 0;
  let exitCode: number | null = null;
  let abandoned: number | null = null;
  const before = process.listeners('SIGINT') as NodeJS.SignalsListener[];
  // The handler of main would exit at once, and not report how the command ended.
  for (const listener of before) process.removeListener('SIGINT', listener);
  const onSignal = (name: NodeJS.Signals): void => {
    count += 1;
    exitCode ??= 128 + constants.signals[name];
    if (count === 1) controller.abort();
    else if (count === 2) interrupts.onSecond();
    // The runner ends commands that have lost their host.
    else process.exit(exitCode);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  const interrupts: Interrupts = {
    signal: controller.signal,
    exitCode: () => exitCode,
    abandon(code) {
      abandoned ??= code;
      controller.abort();
    },
    abandoned: () => abandoned,
    onSecond: () => {},
    close() {
      for (const name of SIGNALS) process.removeListener(name, onSignal);
      for (const listener of before) process.on('SIGINT', listener);
    },
  };
  return interrupts;
}
