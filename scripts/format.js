// `npm run format`: formats everything and applies the safe fixes of the linter.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ready, root } from './ready.js';

ready({ build: false });
const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
const { status } = spawnSync(process.execPath, [biome, 'check', '--write', '.'], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
