// Two texts → the lines that differ, with a few around them, as `diff -u` shows them. One hunk: we change one place.

import type { Text } from './target.ts';

const AROUND = 3;

export function diffLines(before: Text, after: Text): string[] {
  const old = linesOf(before);
  const fresh = linesOf(after);
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const from = Math.max(0, start - AROUND);
  const shownEnd = Math.min(end, AROUND);
  const removed = old.slice(start, old.length - end);
  const added = fresh.slice(start, fresh.length - end);
  if (removed.length === 0 && added.length === 0) return [];
  const context = start - from + shownEnd;
  return [
    `@@ -${from + 1},${context + removed.length} +${from + 1},${context + added.length} @@`,
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...old.slice(old.length - end, old.length - end + shownEnd).map((line) => ` ${line}`),
  ];
}

function linesOf(text: Text): string[] {
  if (text === null || text === '') return [];
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
