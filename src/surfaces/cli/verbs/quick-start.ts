// Where the quick file begins: the same program as main.ts with the quick verbs alone.

import { start } from './program.ts';
import { QUICK_VERBS } from './quick.ts';

let hasDecided = false;

/** Whether this run went through what most runs go through: its compiled form is worth keeping then. */
export function isTypical(): boolean {
  return hasDecided;
}

export async function main(argv: readonly string[]): Promise<void> {
  await start(argv, QUICK_VERBS);
  hasDecided = !argv.includes('--help') && !argv.includes('-h');
}
