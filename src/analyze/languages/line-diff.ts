// Two texts → a unified diff with three lines of context.
// Work is bounded: beyond the limit, lines are compared by position if their number is equal, else as one block.

const CONTEXT = 3;
const MAX_CELLS = 1_000_000;

interface Edit {
  readonly kind: ' ' | '-' | '+';
  readonly line: string;
}

export function unifiedDiff(before: string, after: string): string {
  if (before === after) return '';
  const edits = diffLines(splitLines(before), splitLines(after));
  let out = '--- before\n+++ after\n';
  for (let from = 0; from < edits.length; ) {
    const change = edits.findIndex((edit, index) => index >= from && edit.kind !== ' ');
    if (change < 0) break;
    const start = Math.max(from, change - CONTEXT);
    let end = change;
    for (let index = change; index < edits.length && index <= end + 2 * CONTEXT + 1; index++) {
      if (edits[index]?.kind !== ' ') end = index;
    }
    const stop = Math.min(edits.length, end + 1 + CONTEXT);
    out += formatHunk(edits, start, stop);
    from = stop;
  }
  return out;
}

/** Each line with its newline, so that a missing one at the end is a difference. */
function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function formatHunk(edits: readonly Edit[], start: number, stop: number): string {
  const count = (kind: '-' | '+', from: number, to: number) =>
    edits.slice(from, to).filter((edit) => edit.kind === ' ' || edit.kind === kind).length;
  const place = (kind: '-' | '+') => {
    const lines = count(kind, start, stop);
    const first = count(kind, 0, start) + (lines === 0 ? 0 : 1);
    return lines === 1 ? `${first}` : `${first},${lines}`;
  };
  let out = `@@ -${place('-')} +${place('+')} @@\n`;
  for (const { kind, line } of edits.slice(start, stop)) {
    out += line.endsWith('\n') ? kind + line : `${kind}${line}\n\\ No newline at end of file\n`;
  }
  return out;
}

function diffLines(before: readonly string[], after: readonly string[]): readonly Edit[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const same = (line: string): Edit => ({ kind: ' ', line });
  return [
    ...before.slice(0, head).map(same),
    ...diffMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

function diffMiddle(before: readonly string[], after: readonly string[]): readonly Edit[] {
  if ((before.length + 1) * (after.length + 1) <= MAX_CELLS) return diffByCommonLines(before, after);
  const removed: Edit[] = [];
  const added: Edit[] = [];
  const edits: Edit[] = [];
  const flush = () => edits.push(...removed.splice(0), ...added.splice(0));
  for (let index = 0; index < Math.max(before.length, after.length); index++) {
    const old = before[index];
    const now = after[index];
    if (before.length === after.length && old !== undefined && old === now) {
      flush();
      edits.push({ kind: ' ', line: old });
      continue;
    }
    if (old !== undefined) removed.push({ kind: '-', line: old });
    if (now !== undefined) added.push({ kind: '+', line: now });
  }
  flush();
  return edits;
}

/** By the longest common subsequence: `common[i][j]` is its length starting at lines `i` and `j`. */
function diffByCommonLines(before: readonly string[], after: readonly string[]): readonly Edit[] {
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const old = before[i];
    const now = after[j];
    if (old !== undefined && old === now) {
      edits.push({ kind: ' ', line: old });
      i++;
      j++;
    } else if (old !== undefined && (now === undefined || at(i + 1, j) >= at(i, j + 1))) {
      edits.push({ kind: '-', line: old });
      i++;
    } else if (now !== undefined) {
      edits.push({ kind: '+', line: now });
      j++;
    }
  }
  return edits;
}
