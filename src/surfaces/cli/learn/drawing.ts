// LearnReport → lines for a person: the settings as a diff, failed attempts, and how certain all of that is.
// Every name comes from the command, so every character of it is made visible.

import type { LearnReport, Need, Settings } from '../../../host.ts';
import type { Terminal } from '../show/terminal.ts';
import { visible, visibleJson } from '../show/visible.ts';

const MAX_SHOWN = 20;

export function drawLesson(lesson: LearnReport, terminal: Terminal): string[] {
  const { colors } = terminal;
  return [
    `${colors.bold('What it needs')}  ${colors.dim(summaryOf(lesson))}`,
    '',
    ...(lesson.needs.length === 0 && Object.keys(lesson.settings).length === 0
      ? [`  ${nothingOf(lesson)}`]
      : [...drawDiff(lesson.current, lesson.settings, terminal), ...drawUses(lesson.needs, terminal)]),
    ...drawSecrets(lesson, terminal),
    ...drawBeyond(lesson, terminal),
    ...drawDoubts(lesson).map((line) => `\n${colors.yellow(line)}`),
  ];
}

function summaryOf({ runs, result, enforcement, isProven }: LearnReport): string {
  const ended =
    result === null
      ? 'did not run'
      : result.exitCode === null
        ? `ended by ${result.signal ?? result.status}`
        : `ended with ${result.exitCode}`;
  return `${[`ran ${runs === 1 ? 'once' : `${runs} times`}`, ended, `tier ${enforcement?.tier ?? 'none'}`].join(', ')}${isProven ? ', each need proven' : ''}`;
}

function nothingOf({ end }: LearnReport): string {
  return end === 'settled' ? 'Nothing beyond the current settings.' : 'No refusals that settings could allow.';
}

/** JSON in which the new lines begin with `+`. */
export function drawDiff(current: Settings, added: Settings, { colors }: Pick<Terminal, 'colors'>): string[] {
  const lines: string[] = [];
  const keep = (depth: number, text: string) => lines.push(`    ${'  '.repeat(depth)}${text}`);
  const add = (depth: number, text: string) => lines.push(colors.green(`  + ${'  '.repeat(depth)}${text}`));
  const walk = (before: unknown, after: Readonly<Record<string, unknown>>, depth: number): void => {
    for (const [key, value] of Object.entries(after)) {
      const old = (before as Record<string, unknown> | undefined)?.[key];
      if (Array.isArray(value)) {
        const kept = Array.isArray(old) ? old : [];
        keep(depth, `${jsonOf(key)}: [`);
        for (const item of kept) keep(depth + 1, `${jsonOf(item)},`);
        for (const item of value) if (!kept.includes(item)) add(depth + 1, `${jsonOf(item)},`);
        keep(depth, '],');
      } else if (typeof value === 'object' && value !== null) {
        keep(depth, `${jsonOf(key)}: {`);
        walk(old, value as Readonly<Record<string, unknown>>, depth + 1);
        keep(depth, '},');
      } else {
        if (old !== undefined) lines.push(colors.red(`  - ${'  '.repeat(depth)}${jsonOf(key)}: ${jsonOf(old)},`));
        add(depth, `${jsonOf(key)}: ${jsonOf(value)},`);
      }
    }
  };
  walk(current, added as Readonly<Record<string, unknown>>, 0);
  return lines;
}

function jsonOf(value: unknown): string {
  return visibleJson(JSON.stringify(value));
}

function drawUses(needs: readonly Need[], { colors }: Terminal): string[] {
  const lines = needs.flatMap((need) => {
    if (need.kind !== 'write') return [];
    const below = need.uses
      .filter((path) => path !== need.path)
      .map((path) => visible(path.slice(need.path.length + 1)));
    return below.length === 0 ? [] : [colors.dim(`  ${visible(need.path)}: needs to change ${below.join(', ')}`)];
  });
  return lines.length === 0 ? [] : ['', ...limit(lines)];
}

function drawSecrets({ secrets, settings }: LearnReport, { colors }: Terminal): string[] {
  if (secrets.length === 0) return [];
  const isOpened = settings.sandbox?.filesystem?.allowRead !== undefined;
  const title = isOpened
    ? 'Hidden files that these settings would show to this and every other command:'
    : 'Hidden files that it tried to read (--with-secrets proposes them):';
  return ['', (isOpened ? colors.red : colors.yellow)(title), ...limit(secrets.map((path) => `  ${visible(path)}`))];
}

function drawBeyond({ beyond }: LearnReport, { colors }: Terminal): string[] {
  if (beyond.length === 0) return [];
  const lines = beyond.map(
    ({ operation, target, why }) => `  ${operation} ${visible(target)}\n    ${colors.dim(visible(why))}`,
  );
  return ['', colors.yellow('It would also need these, which learning never grants:'), ...limit(lines)];
}

function drawDoubts(lesson: LearnReport): string[] {
  const { end, result, isComplete } = lesson;
  const isLate = result?.status === 'timed-out';
  return [
    ...(end === 'more-wanted'
      ? ['It has not run with all of this open, and may need more. Run learn again with --runs 5.']
      : []),
    ...(end === 'judged-differently' ? ['It did not run again: its verdict changed because of what it did.'] : []),
    ...(end === 'cancelled' ? ['It was interrupted: it may need more.'] : []),
    ...(isLate
      ? ['It was stopped at its time limit, and may need more. Run learn again with a longer --timeout.']
      : []),
    ...(end === 'settled' && result?.isError === true && !isLate
      ? ['It still failed: because of something that learning never grants, or for another reason.']
      : []),
    ...(isComplete ? [] : ['It did more than can be listed: something may be missing here.']),
  ];
}

function limit(lines: readonly string[]): string[] {
  const rest = lines.length - MAX_SHOWN;
  return rest > 0 ? [...lines.slice(0, MAX_SHOWN), `  and ${rest} more`] : [...lines];
}
