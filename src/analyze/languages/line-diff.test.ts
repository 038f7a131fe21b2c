import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from './line-diff.ts';

/** Like `patch`, without tolerance. */
function applyDiff(before: string, diff: string): string {
  const old = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const out: string[] = [];
  let at = 0;
  const lines = diff.replace(/\n\\ No newline at end of file\n/g, '\0').match(/[^\n\0]*[\n\0]/g) ?? [];
  for (const line of lines.slice(2)) {
    const text = line.endsWith('\0') ? line.slice(1, -1) : line.slice(1);
    const head = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (head) {
      const start = Number(head[1]) - (head[2] === '0' ? 0 : 1);
      while (at < start) out.push(old[at++] as string);
    } else if (line.startsWith('+')) {
      out.push(text);
    } else {
      expect(old[at]).toBe(text);
      if (line.startsWith(' ')) out.push(text);
      at++;
    }
  }
  return [...out, ...old.slice(at)].join('');
}

test.each([
  ['', '', ''],
  ['a\n', 'a\n', ''],
  ['', 'a\n', '--- before\n+++ after\n@@ -0,0 +1 @@\n+a\n'],
  ['a\n', '', '--- before\n+++ after\n@@ -1 +0,0 @@\n-a\n'],
  ['a', 'a\n', '--- before\n+++ after\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n'],
  ['a\nb\n', 'a\nc\n', '--- before\n+++ after\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n'],
])('%j → %j', (before, after, diff) => {
  expect(unifiedDiff(before, after)).toBe(diff);
});

test('changes with more than six lines between them get separate hunks', () => {
  const lines = Array.from({ length: 30 }, (_, index) => `${index}\n`);
  const after = lines.map((line, index) => (index === 2 || index === 9 || index === 17 ? `x${line}` : line));
  const hunks = unifiedDiff(lines.join(''), after.join('')).match(/^@@.*@@$/gm);
  expect(hunks).toEqual(['@@ -1,13 +1,13 @@', '@@ -15,7 +15,7 @@']);
});

test('applied to the old text it gives the new one', () => {
  const text = fc
    .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd\n'), { maxLength: 25 })
    .map((lines) => lines.join(''));
  const ending = fc.constantFrom('', 'z', 'a');
  fc.assert(
    fc.property(text, ending, text, ending, (before, end, after, otherEnd) => {
      const [old, now] = [before + end, after + otherEnd];
      expect(applyDiff(old, unifiedDiff(old, now))).toBe(now);
    }),
    { numRuns: 300, seed: 7 },
  );
});

test.each([3000, 3001])('a large change stays bounded and exact (%i lines)', (count) => {
  const before = Array.from({ length: 3000 }, (_, index) => `line ${index}\n`).join('');
  const after = Array.from({ length: count }, (_, index) => (index % 3 ? `line ${index}\n` : `new ${index}\n`)).join(
    '',
  );
  expect(applyDiff(before, unifiedDiff(before, after))).toBe(after);
});
