import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chooseRunner } from '../runner.ts';
import { locateKeeper } from './binary.ts';

let folder = '';
const cache = process.env.XDG_CACHE_HOME;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hardshell-binary-'));
  process.env.XDG_CACHE_HOME = join(folder, 'cache');
});
afterEach(() => {
  if (cache === undefined) delete process.env.XDG_CACHE_HOME;
  else process.env.XDG_CACHE_HOME = cache;
  rmSync(folder, { recursive: true, force: true });
});

function build(
  text: string,
  sha256 = createHash('sha256').update(text, 'latin1').digest('hex'),
  encoding: BufferEncoding = 'utf8',
): void {
  writeFileSync(join(folder, 'keeper'), text, encoding);
  writeFileSync(join(folder, 'keeper.json'), JSON.stringify({ sha256 }));
}

function locate(): string {
  const keeper = locateKeeper(folder);
  if (!keeper.isAvailable) throw new Error(keeper.reason);
  return keeper.program;
}

const PRINT = '#!/bin/sh\necho original\n';

test.runIf(process.platform === 'linux')('it runs from an unnamed copy, which stays as it was verified', () => {
  build(PRINT);
  const program = locate();
  expect(readFileSync(program, 'utf8')).toBe(PRINT);
  expect(statSync(program).nlink).toBe(0);
  expect(statSync(program).mode & 0o777).toBe(0o500);
  expect(locate()).toBe(program);
  // The file of the package is no longer used.
  writeFileSync(join(folder, 'keeper'), 'something else');
  expect(readFileSync(program, 'utf8')).toBe(PRINT);
  expect(locateKeeper(folder).isAvailable).toBe(false);
});

test.runIf(process.platform === 'linux')(
  'its file descriptor can be executed, and is not inherited by children',
  () => {
    build(readFileSync('/bin/ls', 'latin1'), undefined, 'latin1');
    const program = locate();
    const { stdout } = spawnSync(program, ['/proc/self/fd'], { encoding: 'utf8' });
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(['0', '1', '2']));
    expect(stdout.split('\n')).not.toContain(basename(program));
  },
);

test('without a built file, or with a different file, the Node runner is used and says why', () => {
  expect(chooseRunner({ nativeFolder: join(folder, 'none') })).toMatchObject({ kind: 'node' });
  build('a program', 'somebody else');
  const reason =
    process.platform === 'linux' ? expect.stringContaining('not the file that was built') : expect.any(String);
  expect(chooseRunner({ nativeFolder: folder })).toMatchObject({ kind: 'node', reason });
});
