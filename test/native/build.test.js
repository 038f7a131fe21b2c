// Building the keeper: with a compiler, without one, and the message of the built program when started by hand.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildNative } from '../../scripts/build-native.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hardshell-build-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('without a compiler nothing is built, and that is said as such', () => {
  const path = process.env.PATH;
  process.env.PATH = folder;
  try {
    const built = buildNative(join(folder, 'none'));
    expect(built).toMatchObject({ ok: false, isMissing: true });
    expect(existsSync(join(folder, 'none/keeper'))).toBe(false);
  } finally {
    process.env.PATH = path;
  }
});

test('the built program has the recorded hash, needs no host by accident, and names itself', (context) => {
  const built = buildNative(join(folder, 'built'));
  if (!built.ok) {
    expect(built.isMissing).toBe(true);
    return context.skip(built.reason);
  }
  const { sha256, compiler } = JSON.parse(readFileSync(join(folder, 'built/keeper.json'), 'utf8'));
  expect(sha256).toBe(createHash('sha256').update(readFileSync(built.path)).digest('hex'));
  expect(compiler).toBe(built.compiler);
  const run = spawnSync(built.path, { stdio: ['ignore', 'pipe', 'pipe', 'ignore'], encoding: 'utf8' });
  expect([run.status, run.stderr]).toEqual([
    64,
    'hardshell keeper: this program is started by hardshell, not by hand\n',
  ]);
  // A static program has no path of a loader that another machine may lack.
  if (compiler === 'musl-gcc') expect(readFileSync(built.path).includes('ld-musl')).toBe(false);
});
