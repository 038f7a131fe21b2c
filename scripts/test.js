// `npm test [-- path …]`: prepares the clone if needed, then runs the whole suite, or the files that the arguments name.
// `npm test -- unit [path …]`: only the tests that start no process, in less than a minute.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ready, root } from './ready.js';

/** Where the unit tests are: next to the code, and those of command semantics. */
const UNIT_FOLDERS = ['src', 'test/understanding'];
/** A test that mentions none of these starts no process. */
const STARTS_PROCESSES =
  /node:child_process|createShell|KeeperRunner|NodeRunner|chooseRunner|resizeImage|\.\.\/(?:test|fuzz)\//;

function unitTests() {
  const files = UNIT_FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, path)),
  );
  const alone = files.filter(
    (path) => /\.test\.[jt]s$/.test(path) && !STARTS_PROCESSES.test(readFileSync(join(root, path), 'utf8')),
  );
  return [...alone, 'test/architecture.test.ts'];
}

ready();
const [first, ...rest] = process.argv.slice(2);
const named = first === 'unit' ? [...unitTests(), ...rest] : process.argv.slice(2);
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', ...named], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
