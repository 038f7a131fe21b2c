// Compared with `diff -u` of this machine, which also applies the result with `patch`.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { unifiedDiff } from './line-diff.ts';

const folder = mkdtempSync(join(tmpdir(), 'line-diff-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('');

describe('a unified diff', () => {
  test('equal texts have none', () => expect(unifiedDiff('a\nb\n', 'a\nb\n')).toEqual([]));

  test('a created and a deleted file', () => {
    expect(unifiedDiff('', 'a\nb\n')).toEqual(['@@ -0,0 +1,2 @@', '+a', '+b']);
    expect(unifiedDiff('a\n', '')).toEqual(['@@ -1 +0,0 @@', '-a']);
  });

  test('a missing line end is a difference', () =>
    expect(unifiedDiff('a', 'a\n')).toEqual(['@@ -1 +1 @@', '-a', '\\ No newline at end of file', '+a']));

  test('places that are far apart are hunks of their own', () => {
    const old = Array.from({ length: 30 }, (_, at) => String(at));
    const fresh = old.map((line) => (line === '3' || line === '25' ? `${line}!` : line));
    expect(unifiedDiff(lines(...old), lines(...fresh)).filter((line) => line.startsWith('@@'))).toEqual([
      '@@ -1,7 +1,7 @@',
      '@@ -23,7 +23,7 @@',
    ]);
  });

  test('random texts: patch turns the old one into the new one, and no diff is longer than needed', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    for (let round = 0; round < 40; round += 1) {
      const old = Array.from({ length: random(40) }, () => 'abcde'.charAt(random(5)));
      const fresh = old.flatMap((line) => (random(5) === 0 ? [] : random(5) === 0 ? [line, 'new'] : [line]));
      const end = random(3) === 0 ? '' : '\n';
      const [before, after] = [old.join('\n') + (old.length > 0 ? end : ''), lines(...fresh)];
      const found = unifiedDiff(before, after);
      const [a, b, p] = ['a', 'b', 'p'].map((name) => join(folder, name)) as [string, string, string];
      writeFileSync(a, before);
      writeFileSync(b, after);
      writeFileSync(p, `--- a\n+++ b\n${found.join('\n')}\n`);
      const theirs = spawnSync('diff', ['-u', '--minimal', a, b], { encoding: 'utf8' }).stdout;
      const size = (text: readonly string[]) => text.filter((line) => /^[-+](?![-+]{2} )/.test(line)).length;
      expect(size(found)).toBe(size(theirs.split('\n').slice(2)));
      if (found.length === 0) continue;
      execFileSync('patch', ['-s', a, p]);
      expect(readFileSync(a, 'utf8')).toBe(after);
    }
  });

  test('texts that differ everywhere become one hunk, in bounded time', () => {
    const old = Array.from({ length: 20_000 }, (_, at) => `old ${at}`);
    const fresh = Array.from({ length: 20_000 }, (_, at) => `new ${at}`);
    const found = unifiedDiff(lines(...old), lines(...fresh));
    expect(found).toHaveLength(40_001);
    expect(found[0]).toBe('@@ -1,20000 +1,20000 @@');
  });
});
