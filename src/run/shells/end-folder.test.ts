import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { chooseNextFolder, parseEndFolder, readEndFolder, removeEndFolder } from './end-folder.ts';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-end-')));
afterAll(() => rmSync(home, { recursive: true }));

test.each<[string | Uint8Array, string | null]>([
  ['/a/b\n', '/a/b'],
  ['/a\nb\n', '/a\nb'],
  ['/a\n\n', '/a\n'],
  ['C:\\a b\n', 'C:\\a b'],
  ['/a/b', null],
  ['', null],
  ['\n', null],
  ['relative\n', null],
  ['(unreachable)/a\n', null],
  ['/a\0b\n', null],
  [Uint8Array.of(0x2f, 0xff, 0x0a), null],
  [`/${'x'.repeat(5_000)}\n`, null],
])('%j tells %j', (content, folder) => {
  expect(parseEndFolder(typeof content === 'string' ? Buffer.from(content) : content)).toBe(folder);
});

test('only a regular file is read: no link, no pipe, no folder', async () => {
  writeFileSync(join(home, 'file'), '/x\n');
  symlinkSync('file', join(home, 'link'));
  execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', '-', join(home, 'pipe')]);
  expect(await readEndFolder(join(home, 'file'))).toBe('/x');
  for (const name of ['link', 'pipe', '.', 'nothing']) expect(await readEndFolder(join(home, name)), name).toBeNull();
});

test('the file is removed, and a replacement in its place causes no failure', () => {
  const made = join(home, 'made');
  writeFileSync(made, '/x\n');
  removeEndFolder(made);
  expect(existsSync(made)).toBe(false);
  for (const path of [made, join(made, 'below')]) expect(() => removeEndFolder(path)).not.toThrow();
  mkdirSync(made);
  expect(() => removeEndFolder(made)).not.toThrow();
  writeFileSync(join(home, 'plain'), '');
  expect(() => removeEndFolder(join(home, 'plain/below'))).not.toThrow();
});

const isInside = (path: string) => path === home || path.startsWith(`${home}/`);
mkdirSync(join(home, 'sub'));
symlinkSync('/', join(home, 'out'));
symlinkSync('sub', join(home, 'way'));

test.each([
  ['nothing told', null, 'sub', { folder: join(home, 'sub'), cause: 'kept' }],
  ['the same folder', 'sub', 'sub', { folder: join(home, 'sub'), cause: 'kept' }],
  ['another folder', 'sub', '', { folder: join(home, 'sub'), cause: 'changed' }],
  ['a link inside', 'way', '', { folder: join(home, 'sub'), cause: 'changed' }],
  ['a link that leads out', 'out', 'sub', { folder: join(home, 'sub'), cause: 'outside' }],
  ['a folder outside', '..', 'sub', { folder: join(home, 'sub'), cause: 'outside' }],
  ['a file', 'file', 'sub', { folder: join(home, 'sub'), cause: 'kept' }],
  ['a folder that is gone', 'gone', 'sub', { folder: join(home, 'sub'), cause: 'kept' }],
  ['nothing reported and the previous folder is gone', null, 'gone', { folder: home, cause: 'vanished' }],
  ['outside and the previous folder is gone', '..', 'gone', { folder: home, cause: 'vanished' }],
])('%s', async (_name, told, before, expected) => {
  const choice = {
    told: told === null ? null : join(home, told),
    before: join(home, before),
    original: home,
    isInside,
  };
  expect(await chooseNextFolder({ ...choice, before: before === '' ? home : choice.before })).toEqual(expected);
});
