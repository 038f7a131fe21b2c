// Two lists of lines → the hunks of a unified diff. Myers' algorithm; texts that differ too much become one hunk.

const AROUND = 3;
/** Differences that are searched for; the time grows with the square. */
const MAX_DIFFERENCES = 1_000;

/** What happens to a line of the old text, or of the new one. */
interface Step {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

/** With headers such as `@@ -1,3 +1,4 @@`; empty if nothing differs. */
export function unifiedDiff(before: string, after: string): string[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  return hunks(stepsBetween(old, fresh));
}

const UNENDED = '\\ No newline at end of file';

/** Each with its line end, so that a missing one is a difference. */
function linesOf(text: string): string[] {
  return text === '' ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) as string[]);
}

function stepsBetween(old: readonly string[], fresh: readonly string[]): Step[] {
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const same = (line: string): Step => ({ sign: ' ', line });
  return [
    ...old.slice(0, start).map(same),
    ...search(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)),
    ...old.slice(old.length - end).map(same),
  ];
}

function replaced(old: readonly string[], fresh: readonly string[]): Step[] {
  return [...old.map((line): Step => ({ sign: '-', line })), ...fresh.map((line): Step => ({ sign: '+', line }))];
}

/** Greedy: the furthest point on each diagonal for a growing number of differences, then the way back. */
function search(old: readonly string[], fresh: readonly string[]): Step[] {
  if (old.length === 0 || fresh.length === 0) return replaced(old, fresh);
  const most = Math.min(old.length + fresh.length, MAX_DIFFERENCES);
  const reached = new Int32Array(2 * most + 3);
  const at = (diagonal: number): number => diagonal + most + 1;
  const history: Int32Array[] = [];
  for (let count = 0; count <= most; count += 1) {
    history.push(reached.slice());
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      let x = goesDown(reached, at, diagonal, count)
        ? (reached[at(diagonal + 1)] as number)
        : (reached[at(diagonal - 1)] as number) + 1;
      while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x += 1;
      reached[at(diagonal)] = x;
      if (x >= old.length && x - diagonal >= fresh.length) return walkBack(old, fresh, history, at);
    }
  }
  return replaced(old, fresh);
}

function goesDown(reached: Int32Array, at: (diagonal: number) => number, diagonal: number, count: number): boolean {
  if (diagonal === -count) return true;
  return diagonal !== count && (reached[at(diagonal - 1)] as number) < (reached[at(diagonal + 1)] as number);
}

function walkBack(
  old: readonly string[],
  fresh: readonly string[],
  history: readonly Int32Array[],
  at: (diagonal: number) => number,
): Step[] {
  const steps: Step[] = [];
  let [x, y] = [old.length, fresh.length];
  for (let count = history.length - 1; count >= 0; count -= 1) {
    const reached = history[count] as Int32Array;
    const isDown = goesDown(reached, at, x - y, count);
    const before = isDown ? x - y + 1 : x - y - 1;
    const fromX = count === 0 ? 0 : (reached[at(before)] as number);
    const fromY = count === 0 ? 0 : fromX - before;
    const afterX = count === 0 || isDown ? fromX : fromX + 1;
    while (x > afterX) {
      x -= 1;
      y -= 1;
      steps.push({ sign: ' ', line: old[x] as string });
    }
    if (count === 0) break;
    steps.push(isDown ? { sign: '+', line: fresh[fromY] as string } : { sign: '-', line: old[fromX] as string });
    [x, y] = [fromX, fromY];
  }
  return steps.reverse();
}

function hunks(steps: readonly Step[]): string[] {
  const changed = steps.flatMap(({ sign }, index) => (sign === ' ' ? [] : [index]));
  const groups: { from: number; to: number }[] = [];
  for (const index of changed) {
    const group = groups.at(-1);
    if (group !== undefined && index - group.to <= 2 * AROUND) group.to = index;
    else groups.push({ from: index, to: index });
  }
  // Line numbers before each step.
  let [oldLine, newLine, done] = [1, 1, 0];
  const lines: string[] = [];
  for (const { from, to } of groups) {
    const first = Math.max(0, from - AROUND);
    for (; done < first; done += 1) {
      oldLine += 1;
      newLine += 1;
    }
    const part = steps.slice(first, Math.min(steps.length, to + AROUND + 1));
    const [oldCount, newCount] = (['+', '-'] as const).map((sign) => part.filter((step) => step.sign !== sign).length);
    lines.push(`@@ -${range(oldLine, oldCount ?? 0)} +${range(newLine, newCount ?? 0)} @@`, ...part.flatMap(written));
    oldLine += oldCount ?? 0;
    newLine += newCount ?? 0;
    done += part.length;
  }
  return lines;
}

/** As `diff -u`: an empty range starts at the line before it, and a count of one is left out. */
function range(line: number, count: number): string {
  if (count === 0) return `${line - 1},0`;
  return count === 1 ? String(line) : `${line},${count}`;
}

function written({ sign, line }: Step): string[] {
  return line.endsWith('\n') ? [`${sign}${line.slice(0, -1)}`] : [`${sign}${line}`, UNENDED];
}
