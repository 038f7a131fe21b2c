// Who owns a name: rows of locks left by other processes, and whether they may be taken over.

import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tryOwn } from './ownership.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hs-own-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The content of a lock of this process. */
function mine(): Record<string, unknown> {
  const owner = tryOwn(folder, 'self');
  const [file = ''] = readdirSync(folder);
  const text = readFileSync(join(folder, file), 'utf8');
  owner?.release();
  rmSync(join(folder, file));
  return JSON.parse(text) as Record<string, unknown>;
}

const NOBODY = 2 ** 22 + 1;
const isLinux = process.platform === 'linux';
const ROWS: Readonly<Record<string, readonly [change: Record<string, unknown>, ageDays: number, canTake: boolean]>> = {
  'a process that lives': [{}, 0, false],
  'a live process that has not updated its lock for long': [{}, 9, false],
  'a process that is gone': [{ pid: NOBODY }, 0, true],
  'a lock that was released': [{ isReleased: true }, 0, true],
  'the same process id, but another start time': [{ started: '1' }, 0, isLinux],
  'before the machine was rebooted': [{ boot: 'other' }, 0, true],
  'another machine': [{ host: 'other', pid: NOBODY }, 0, false],
  'another machine, not seen for two days': [{ host: 'other' }, 2, true],
  'another container on this machine': [{ space: 'pid:[1]', pid: NOBODY }, 0, false],
  'another container, not seen for two days': [{ space: 'pid:[1]' }, 2, true],
  'an invalid process id': [{ pid: 'x' }, 0, true],
};

describe('the lock of', () => {
  for (const [name, [change, ageDays, canTake]] of Object.entries(ROWS))
    test(name, () => {
      const lock = join(folder, 'x.7.lock');
      writeFileSync(lock, JSON.stringify({ ...mine(), ...change }));
      const at = new Date(Date.now() - ageDays * 86_400_000);
      utimesSync(lock, at, at);
      const owner = tryOwn(folder, 'x');
      expect(owner !== null).toBe(canTake);
      expect(readdirSync(folder)).toEqual([canTake ? 'x.8.lock' : 'x.7.lock']);
    });

  test('an owner that lost it in a machine crash', () => {
    writeFileSync(join(folder, 'x.3.lock'), '');
    expect(tryOwn(folder, 'x')).not.toBeNull();
  });
});

test('a released lock can be taken again, by one process', () => {
  const first = tryOwn(folder, 'x');
  expect(tryOwn(folder, 'x')).toBeNull();
  expect(tryOwn(folder, 'xy')).not.toBeNull();
  first?.release();
  const second = tryOwn(folder, 'x');
  expect(second?.isHeld()).toBe(true);
  expect(first?.isHeld()).toBe(false);
  // The process that has lost it does not affect the new owner.
  first?.release();
  expect(second?.isHeld()).toBe(true);
  expect(tryOwn(folder, 'x')).toBeNull();
});

test('files left by a killed process are removed', () => {
  writeFileSync(join(folder, 'x.1.lock.99.abcd.tmp'), '');
  expect(tryOwn(folder, 'x')).not.toBeNull();
  expect(readdirSync(folder)).toEqual(['x.1.lock']);
});
