// Which processes the end of a command may reach: children of its supervisor, by their PIDs, and no others.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;

test.skipIf(!hasCompiler)('children are killed by their numbers, also where the list of them is cut off', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hardshell-tree-'));
  try {
    const program = join(folder, 'tree-check');
    const source = fileURLToPath(new URL('./tree-check.c', import.meta.url));
    const flags = ['-std=c11', '-O1', '-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
    execFileSync('cc', [...flags, '-o', program, source]);
    expect(execFileSync(program, { encoding: 'utf8', timeout: 20_000 })).toBe('fine\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
