// The filter of system calls, walked instruction by instruction: what is listed is refused, and nothing else.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;

test('for every set of flags, each call is refused or allowed as the lists say', (context) => {
  if (!hasCompiler) return context.skip('there is no compiler');
  const folder = mkdtempSync(join(tmpdir(), 'hardshell-filter-'));
  try {
    const program = join(folder, 'filter-check');
    const source = fileURLToPath(new URL('./filter-check.c', import.meta.url));
    const flags = ['-std=c11', '-O1', '-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
    execFileSync('cc', [...flags, '-o', program, source]);
    expect(execFileSync(program, { encoding: 'utf8' })).toMatch(/^\d+ calls, at most \d+ instructions\n$/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
