// `npm test [-- path …]`: prepares the clone if needed, then runs the whole suite, or the files that the arguments name.
// `npm test -- unit [path …]`: only the tests that start no process, in less than a minute.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ready, root } from './ready.js';
import { unitTests } from './unit-tests.js';

ready();
const [first, ...rest] = process.argv.slice(2);
const named = first === 'unit' ? [...unitTests(), ...rest] : process.argv.slice(2);
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', ...named], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
