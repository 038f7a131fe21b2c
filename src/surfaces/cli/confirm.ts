// A yes or no on the terminal, before something is changed.

import { createInterface } from 'node:readline/promises';
import { EXIT } from './failure.ts';
import { process } from './process.ts';

/** Anything but a yes is a no; Ctrl-C ends the program. */
export async function confirm(question: string): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await reader.question(`${question} [y/N] `)).trim());
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    process.stderr.write('\nhardshell: Nothing was changed.\n');
    process.exit(EXIT.interrupted);
  } finally {
    reader.close();
  }
}
