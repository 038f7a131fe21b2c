// The probe against a real folder: links, loops, missing parts, limits, and special files.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDiskProbe } from './disk.ts';

const probe = createDiskProbe();
let root = '';

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'disk-probe-')));
  mkdirSync(join(root, 'in/sub'), { recursive: true });
  mkdirSync(join(root, 'out/deep'), { recursive: true });
  writeFileSync(join(root, 'in/file'), 'hello');
  writeFileSync(join(root, 'out/secret'), 'x');
  symlinkSync('../out/deep', join(root, 'in/link'));
  symlinkSync(join(root, 'out'), join(root, 'in/absolute'));
  symlinkSync('absolute/deep', join(root, 'in/chain'));
  symlinkSync('loop-b', join(root, 'in/loop-a'));
  symlinkSync('loop-a', join(root, 'in/loop-b'));
  symlinkSync('../out/new-file', join(root, 'in/dangling'));
  execFileSync('mkfifo', [join(root, 'in/pipe')]);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('realPath', () => {
  test.each([
    ['in/file', 'in/file'],
    ['in/./sub//', 'in/sub'],
    ['in/link', 'out/deep'],
    ['in/link/x/y', 'out/deep/x/y'],
    ['in/link/..', 'out'],
    ['in/link/../secret', 'out/secret'],
    ['in/absolute/secret', 'out/secret'],
    ['in/chain', 'out/deep'],
    ['in/dangling', 'out/new-file'],
    ['in/gone/../link', 'out/deep'],
    ['in/gone/x', 'in/gone/x'],
    ['in/file/x', 'in/file/x'],
    ['in/loop-a', null],
    ['in/loop-a/x', null],
  ])('%s is %s', (path, expected) => {
    expect(probe.realPath(`${root}/${path}`)).toBe(expected === null ? null : `${root}/${expected}`);
  });
  test('climbing above the top stays there', () => expect(probe.realPath('/../..')).toBe('/'));
  test.each(['relative', '', '/a\0b'])('%j is refused', (path) => expect(probe.realPath(path)).toBe(null));
  test('a very long path is refused, not followed', () => {
    expect(probe.realPath(`${root}/in${'/a/..'.repeat(5000)}`)).toBe(null);
  });
  test('a folder that cannot be searched gives no answer', (context) => {
    if (process.getuid?.() === 0) context.skip('root can search every folder');
    mkdirSync(join(root, 'closed/x'), { recursive: true });
    chmodSync(join(root, 'closed'), 0o000);
    expect(probe.realPath(`${root}/closed/x`)).toBe(null);
    expect(probe.kind(`${root}/closed/x`)).toBe('unreadable');
    expect(probe.list(`${root}/closed`)).toBe(null);
    chmodSync(join(root, 'closed'), 0o700);
  });
});

test.each([
  ['in/file', 'file'],
  ['in/sub', 'folder'],
  ['in/link', 'folder'],
  ['in/pipe', 'other'],
  ['in/dangling', 'absent'],
  ['in/file/x', 'absent'],
  ['in/loop-a', 'unreadable'],
])('%s is a %s', (path, expected) => expect(probe.kind(join(root, path))).toBe(expected));

test.each([
  ['in/file', 5, 'hello'],
  ['in/file', 4, null],
  ['in/sub', 100, null],
  ['in/pipe', 100, null],
  ['in/gone', 100, null],
] as const)('the text of %s with a limit of %d', (path, limit, expected) => {
  expect(probe.readText(join(root, path), limit)).toBe(expected);
});

test('names in a folder', () => {
  expect(probe.list(join(root, 'out'))).toEqual(['deep', 'secret']);
  expect(probe.list(join(root, 'in/file'))).toBe(null);
  expect(probe.list(join(root, 'gone'))).toBe(null);
});
