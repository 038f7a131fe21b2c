import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

function build(text: string, sha256 = createHash('sha256').update(text).digest('hex')): void {
  writeFileSync(join(folder, 'keeper'), text);
  writeFileSync(join(folder, 'keeper.json'), JSON.stringify({ sha256 }));
}

function locate(): string {
  const keeper = locateKeeper(folder);
  if (!keeper.isAvailable) throw new Error(keeper.reason);
  return keeper.path;
}

test.runIf(process.platform === 'linux')('it runs from a private copy that only its owner can reach', () => {
  build('a program');
  const path = locate();
  expect(readFileSync(path, 'utf8')).toBe('a program');
  expect(path.startsWith(folder)).toBe(true);
  expect(statSync(join(folder, 'cache/hardshell')).mode & 0o777).toBe(0o700);
  expect(statSync(path).mode & 0o777).toBe(0o500);
  expect(locate()).toBe(path);
});

test.runIf(process.platform === 'linux')('a copy that was tampered with is replaced', () => {
  build('a program');
  const path = locate();
  chmodSync(path, 0o700);
  writeFileSync(path, 'something else');
  expect(locate()).toBe(path);
  expect(readFileSync(path, 'utf8')).toBe('a program');
});

test('without a built file, or with another one than was built, the Node runner serves and says why', () => {
  expect(chooseRunner({ nativeFolder: join(folder, 'none') })).toMatchObject({ kind: 'node' });
  build('a program', 'somebody else');
  const reason =
    process.platform === 'linux' ? expect.stringContaining('not the file that was built') : expect.any(String);
  expect(chooseRunner({ nativeFolder: folder })).toMatchObject({ kind: 'node', reason });
});
