// Command line → exit code, with every verb. bin/hardshell.js starts it, from the bundle that scripts/bundle.js makes.

import type { Ending } from './ending.ts';
import { start } from './program.ts';
import { VERBS } from './verbs/table.ts';

/** Runs one command line and sets the process's exit code. */
export function main(argv: readonly string[]): Promise<Ending> {
  return start(argv, VERBS);
}
