// Which files of tests start no process: `npm test -- unit` runs these alone, and vitest runs many of them in one process.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './ready.js';

/** Where the unit tests are: next to the code, and those of command semantics. */
const UNIT_FOLDERS = ['src', 'test/understanding'];
/** A test that mentions none of these starts no process. */
const STARTS_PROCESSES =
  /node:child_process|createShell|KeeperRunner|NodeRunner|chooseRunner|resizeImage|\.\.\/(?:test|fuzz)\//;

export function unitTests() {
  const files = UNIT_FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, path)),
  );
  const alone = files.filter(
    (path) => /\.test\.[jt]s$/.test(path) && !STARTS_PROCESSES.test(readFileSync(join(root, path), 'utf8')),
  );
  return [...alone, 'test/architecture.test.ts'];
}
