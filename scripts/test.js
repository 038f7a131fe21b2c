// `npm test [-- path …]`: prepares the clone when needed, then runs the whole suite, or what the arguments name.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ready, root } from './ready.js';

ready();
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
