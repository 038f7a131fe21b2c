// Landlock by itself: from ABI 9 on it refuses socket files of processes outside; before, only the filter and the supervisor do.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;
const { EACCES } = constants.errno;

test('from Landlock 9 on, socket files of processes outside are refused, and own ones work', (context) => {
  if (!hasCompiler) return context.skip('there is no compiler');
  const folder = mkdtempSync(join(tmpdir(), 'hardshell-landlock-'));
  try {
    const program = join(folder, 'landlock-check');
    const source = fileURLToPath(new URL('./landlock-check.c', import.meta.url));
    execFileSync('cc', ['-std=c11', '-O1', '-g', '-o', program, source]);
    const [first, ...lines] = execFileSync(program, [folder], { encoding: 'utf8' }).trim().split('\n');
    const abi = Number(first.replace('abi ', ''));
    const [held, refused] = abi >= 9 ? [1, EACCES] : [0, 0];
    expect(lines).toEqual([
      `confined: held ${held}, host ${refused}, datagram ${refused}, own 0`,
      'all sockets allowed: held 0, host 0, datagram 0, own 0',
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
