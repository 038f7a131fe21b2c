// Command line → exit code, with every verb.

import { start } from './verbs/program.ts';
import { VERBS } from './verbs/table.ts';

/** Runs one command line and sets the process's exit code. */
export function main(argv: readonly string[]): Promise<void> {
  return start(argv, VERBS);
}
