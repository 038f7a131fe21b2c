// Where the file of the server begins: the same program as main.ts with `mcp` alone, in one file that is kept compiled.
// A client is greeted at once; its first list of tools needs the whole engine, which would be loaded from 400 files.

import { start, type Verbs } from './program.ts';

const VERBS: Verbs = { mcp: async () => (await import('../mcp/register.ts')).registerMcp };

let hasServed = false;

/** Whether a client was served: help compiles little that the next start needs. */
export function isTypical(): boolean {
  return hasServed;
}

export async function main(argv: readonly string[]): Promise<void> {
  await start(argv, VERBS);
  hasServed = !argv.includes('--help') && !argv.includes('-h');
}
