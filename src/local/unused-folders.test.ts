import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { noteUse, pruneUnused } from './unused-folders.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.now();
let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'hardshell-unused-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

/** Names of 16 digits, like those of projects. */
function add(digit: string, days: number): string {
  const folder = join(parent, digit.repeat(16));
  mkdirSync(join(folder, 'inner'), { recursive: true });
  writeFileSync(join(folder, 'inner/file'), 'x');
  utimesSync(folder, (NOW - days * DAY) / 1000, (NOW - days * DAY) / 1000);
  return folder;
}

const left = () =>
  readdirSync(parent)
    .filter((name) => name !== 'pruned')
    .sort();

test.skipIf(process.platform !== 'linux')(
  'folders that have not been used for long are deleted, including read-only ones',
  () => {
    const outside = mkdtempSync(join(tmpdir(), 'hardshell-kept-'));
    try {
      const old = add('a', 31);
      symlinkSync(outside, join(old, 'link'));
      writeFileSync(join(outside, 'file'), 'x');
      chmodSync(join(old, 'inner'), 0o555);
      utimesSync(old, 1, 1);
      add('b', 29);
      expect(pruneUnused(parent, { now: NOW })).toBe(1);
      expect(left()).toEqual(['b'.repeat(16)]);
      expect(existsSync(join(outside, 'file'))).toBe(true);
    } finally {
      rmSync(outside, { recursive: true });
    }
  },
);

test('other names stay, and so does a file or a link with such a name', () => {
  mkdirSync(join(parent, 'quarantine'));
  writeFileSync(join(parent, 'c'.repeat(16)), '');
  symlinkSync('/', join(parent, 'd'.repeat(16)));
  for (const name of ['quarantine', 'c'.repeat(16)]) utimesSync(join(parent, name), 1, 1);
  expect(pruneUnused(parent, { now: NOW + 90 * DAY })).toBe(0);
  expect(left()).toEqual(['c'.repeat(16), 'd'.repeat(16), 'quarantine']);
});

test('a folder that a running process uses stays, however old', async () => {
  const folder = add('e', 400);
  const child = spawn('sleep', ['60'], { env: { PATH: process.env.PATH, TMPDIR: folder } });
  try {
    await once(child, 'spawn');
    expect(pruneUnused(parent, { now: NOW })).toBe(0);
    expect(left()).toEqual(['e'.repeat(16)]);
  } finally {
    child.kill('SIGKILL');
  }
});

test('once a day, and again the day after', () => {
  add('a', 1);
  expect(pruneUnused(parent, { now: NOW })).toBe(0);
  add('b', 40);
  expect(pruneUnused(parent, { now: NOW + DAY / 2 })).toBeNull();
  expect(existsSync(join(parent, 'b'.repeat(16)))).toBe(true);
});

test('using a folder updates its time, and keeps it', () => {
  const folder = add('f', 100);
  noteUse(folder, NOW);
  expect(Math.abs(statSync(folder).mtimeMs - NOW)).toBeLessThan(10);
  expect(pruneUnused(parent, { now: NOW })).toBe(0);
});

test('a missing folder is not an error', () => {
  expect(pruneUnused(join(parent, 'none'), { now: NOW })).toBe(0);
});
