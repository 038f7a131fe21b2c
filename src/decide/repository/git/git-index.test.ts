// The reader of git's index against git itself, in every version, and against bytes that are not an index.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readIndex } from './git-index.ts';

let base = '';
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'git-index-'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function git(folder: string, argv: readonly string[], input = ''): string {
  const env = { PATH: process.env.PATH, HOME: base, GIT_CONFIG_NOSYSTEM: '1' };
  const result = spawnSync('git', argv, { cwd: folder, encoding: 'utf8', input, env });
  expect(result.stderr).toBe('');
  return result.stdout;
}

const LONG = `${'long-name/'.repeat(500)}sub`;

function makeIndex(format: 'sha1' | 'sha256', version: string, ...more: readonly string[]): string {
  const folder = join(base, `${format}-${version}${more.join('')}`);
  mkdirSync(folder);
  git(folder, ['init', '-q', `--object-format=${format}`]);
  const id = '1'.repeat(format === 'sha1' ? 40 : 64);
  const blob = git(folder, ['hash-object', '-w', '--stdin'], 'x').trim();
  const names = ['a', 'b/c', 'b/sub', 'é sub', 'z/y/x/w/sub', LONG];
  const files = Array.from({ length: 300 }, (_, i) => `100644 ${blob} 0\tfiles/part-${i % 7}/name-${i}`);
  const entries = names.map((name) => `${/sub$/.test(name) ? `160000 ${id}` : `100755 ${blob}`} 0\t${name}`);
  git(folder, ['update-index', '--index-info'], `${[...files, ...entries].join('\n')}\n`);
  git(folder, ['update-index', '--index-version', version]);
  if (more.length > 0) git(folder, ['update-index', ...more]);
  return join(folder, '.git');
}

const SUBMODULES = ['b/sub', LONG, 'é sub', 'z/y/x/w/sub'].sort();

describe.each([
  ['sha1', 20],
  ['sha256', 32],
] as const)('%s', (format, hashBytes) => {
  test.each(['2', '3', '4'])('version %s', (version) => {
    const skip = version === '3' ? ['--skip-worktree', 'a'] : [];
    const bytes = readFileSync(join(makeIndex(format, version, ...skip), 'index'));
    expect(bytes.readUInt32BE(4)).toBe(Number(version));
    const read = readIndex(bytes, hashBytes);
    expect([...(read?.submodules ?? [])].sort()).toEqual(SUBMODULES);
    expect(read?.sparse).toEqual([]);
    expect(readIndex(bytes, hashBytes === 20 ? 32 : 20)).toBe(null);
    for (const length of [0, 3, 11, 40, 100, bytes.length / 2])
      expect(readIndex(bytes.subarray(0, length), hashBytes)).toBe(null);
  });
});

test('a split index keeps its entries in a separate file', () => {
  const folder = makeIndex('sha1', '2', '--split-index');
  const shared = readdirSync(folder).find((name) => name.startsWith('sharedindex.')) ?? '';
  expect(readIndex(readFileSync(join(folder, 'index')), 20)?.submodules).toEqual([]);
  expect([...(readIndex(readFileSync(join(folder, shared)), 20)?.submodules ?? [])].sort()).toEqual(SUBMODULES);
});

test('bytes that are not an index', () => {
  const bytes = Buffer.alloc(4096);
  expect(readIndex(bytes, 20)).toBe(null);
  bytes.write('DIRC');
  bytes.writeUInt32BE(5, 4);
  expect(readIndex(bytes, 20)).toBe(null);
  bytes.writeUInt32BE(4, 4);
  bytes.writeUInt32BE(0xffffffff, 8);
  expect(readIndex(bytes, 20)).toBe(null);
  bytes.fill(0xff, 12);
  expect(readIndex(bytes, 20)).toBe(null);
});
