// A command → how it uses streams, and how many lines it prints if that can be determined.

import { once } from '../../core/values/once.ts';
import { type Stream, streamRows } from '../commands/streams.ts';
import type { Draft } from '../effects/draft.ts';
import { isEndlessAwk, isEndlessCalculation, isEndlessJq, isEndlessSed, keepsInputInAwk } from './programs.ts';

/** Endless devices, and those of them that have no line ends either. */
export const ENDLESS_DEVICE = /^\/dev\/(?:zero|u?random|full)$/;
const ONE_LINE_DEVICE = /^\/dev\/(?:zero|full)$/;
/** They buffer a line until it is complete. */
const KEEPS_LINE = new Set(
  'tail grep egrep fgrep rg sed awk gawk mawk nawk cut paste rev nl uniq read jq join comm numfmt iconv'.split(' '),
);
/** More lines or bytes than these take too long to wait for. */
const PRACTICALLY_ENDLESS = 1e8;
const PRACTICALLY_ENDLESS_BYTES = 1e9;
/** Bash keeps all words of a command line in memory. */
const MAX_WORDS = 2e6;

/** A quick test: whether its output may be endless, it starts processes in parallel, or it computes. */
export function mayExhaust(draft: Draft): boolean {
  const { name } = draft;
  if (name === 'parallel' || name === 'bc' || name === 'dc') return true;
  return isEndlessSource(draft) || (name === 'xargs' && hasOption(draft, '-P'));
}

/** Most programs' output never is, and the name alone shows that. */
function isEndlessSource(draft: Draft): boolean {
  if (readsEndlessDevice(draft)) return true;
  const { name, words } = draft;
  if (name === null || !mayBeEndless().has(name)) return false;
  const sign = signs().get(name);
  if (sign !== undefined && !words.some((word) => word.kind === 'literal' && sign.test(word.value))) return false;
  return streamOf(draft) === 'endless';
}

export function streamOf(draft: Draft): Stream | null {
  const { name, invocation } = draft;
  if (name === null || draft.kind === 'function') return null;
  const computed = Object.hasOwn(COMPUTED, name) ? COMPUTED[name]?.(draft) : undefined;
  if (computed !== undefined && computed !== null) return computed;
  const path = invocation?.path.join(' ') ?? name;
  const rows = streamRows();
  const row = Object.hasOwn(rows, path) ? rows[path] : rows[name];
  if (row === undefined || (path !== name && !Object.hasOwn(rows, path))) return null;
  const [stream, ...others] = row.split(' ');
  // The last one counts: an option that ends a command does so regardless of the others.
  const chosen = others.map((text) => text.split('=')).filter(([option = '']) => hasOption(draft, option));
  return (
    ((chosen.find(([, value]) => value === 'stops') ?? chosen[0])?.[1] as Stream | undefined) ?? (stream as Stream)
  );
}

export function readsEndlessDevice({ reads }: Draft): boolean {
  return reads.some(({ path }) => path?.startsWith('/dev/') === true && ENDLESS_DEVICE.test(path));
}

/** It buffers a line that never ends; `isOneLine`: its standard input has no line ends. */
export function keepsEndlessLine(draft: Draft, isOneLine: boolean): boolean {
  return draft.name !== null && KEEPS_LINE.has(draft.name) && (isOneLine || readsOneLine(draft));
}

function readsOneLine({ reads }: Draft): boolean {
  return reads.some(({ path }) => path !== null && ONE_LINE_DEVICE.test(path));
}

const COPIES = new Set('cat tee dd pv'.split(' '));

/** Its output has no line ends; `isOneLine`: its input has none. */
export function printsOneLine(draft: Draft, isOneLine: boolean): boolean {
  const { name } = draft;
  if (name === 'tr')
    return (
      isOneLine || (hasOption(draft, '-d') && (hasOption(draft, '-c') || /\\n|\n/.test(literals(draft).join(' '))))
    );
  return name !== null && COPIES.has(name) && (isOneLine || readsOneLine(draft));
}

/** Programs in other languages that loop forever. `input`: the text that they get, as far as known. */
export function isEndlessProgram(draft: Draft, input: string): boolean {
  const { name } = draft;
  if (name === 'bc' || name === 'dc') {
    const given = draft.redirects.flatMap(({ target }) => (target?.kind === 'literal' ? [target.value] : []));
    return isEndlessCalculation(name, [...literals(draft).slice(1), ...given, input].join('\n'));
  }
  return /^(?:[gmn]?awk|g?sed|jq)$/.test(name ?? '') && streamOf(draft) === 'endless';
}

/** The text that `echo` and `printf` print. */
export function printedText(draft: Draft): string {
  return draft.name === 'echo' || draft.name === 'printf' ? literals(draft).slice(1).join(' ') : '';
}

function hasOption({ invocation }: Draft, name: string): boolean {
  return [...(invocation?.leading ?? []), ...(invocation?.options ?? [])].some(({ names }) => names.includes(name));
}

function optionValue({ invocation }: Draft, name: string): string | null {
  return invocation?.options.findLast(({ names }) => names.includes(name))?.value ?? null;
}

/** `head` closes the pipe: a loop that prints with the shell itself ends there. */
export function stopsReading(drafts: readonly Draft[]): boolean {
  return drafts.length > 0 && drafts.every((draft) => draft.name === 'head' && streamOf(draft) === 'stops');
}

/** How many processes xargs and parallel start at once; infinite if there is no limit, or it is unknown. */
export function countJobs(draft: Draft): number {
  const option = draft.name === 'xargs' ? '-P' : '-j';
  const jobs = hasOption(draft, option) ? Number(optionValue(draft, option) ?? '0') : 1;
  return jobs === 0 ? Infinity : jobs;
}

/** The maximum number of lines that it prints; infinite if unknown. */
export function countLines(draft: Draft): number {
  if (draft.name === 'seq') return countNumbers(draft);
  if (draft.name === 'nproc') return 1;
  if (draft.name === 'echo') return draft.words.every(({ kind }) => kind === 'literal') ? draft.words.length : Infinity;
  if (draft.name !== 'head') return Infinity;
  const short = draft.words.map((word) => (word.kind === 'literal' ? /^-(\d+)$/.exec(word.value)?.[1] : undefined));
  const count = optionValue(draft, '-n') ?? short.find((text) => text !== undefined) ?? '10';
  return hasOption(draft, '-c') || !/^\d+$/.test(count) ? Infinity : Number(count);
}

function countNumbers({ invocation }: Draft): number {
  const numbers = (invocation?.operands ?? [null]).map((text) => (text === null ? Number.NaN : toNumber(text)));
  const [first = 1, step = 1, last = Number.NaN] =
    numbers.length === 1 ? [1, 1, numbers[0]] : numbers.length === 2 ? [numbers[0], 1, numbers[1]] : numbers;
  const count = Math.floor((last - first) / step) + 1;
  return Number.isNaN(count) ? Infinity : Math.max(0, count);
}

const UNITS: Readonly<Record<string, number>> = { b: 512, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

/** `100M`, `2GB`; NaN if it is not a number. */
function toBytes(text: string | null | undefined): number {
  const [, number, unit = ''] = /^(\d+)([bkmgtpezy]?)(?:i?b)?$/i.exec(text ?? '') ?? [];
  return number === undefined
    ? Number.NaN
    : Number(number) * (unit === '' ? 1 : (UNITS[unit.toLowerCase()] ?? Infinity));
}

const BRACES = /\{([^{}\s]*)\}/g;

/** `{1..1000000000}`, `{1..9999}{1..9999}`: the words that a word becomes. An upper bound if they are nested. */
export function isHugeExpansion(text: string): boolean {
  let words = 1;
  for (const [, inner = ''] of text.matchAll(BRACES)) {
    const [, from, to, step] = /^(-?\d+|[a-z])\.\.(-?\d+|[a-z])(?:\.\.(-?\d+))?$/i.exec(inner) ?? [];
    if (from !== undefined && to !== undefined)
      words *= Math.abs(orderOf(to) - orderOf(from)) / Math.max(1, Math.abs(Number(step ?? 1))) + 1;
    else words *= inner.split(',').length;
  }
  return words > MAX_WORDS;
}

function orderOf(text: string): number {
  return /^[a-z]$/i.test(text) ? text.charCodeAt(0) : Number(text);
}

function toNumber(text: string): number {
  if (/^[+-]?inf(?:inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return Number(text);
}

const literals = ({ words }: Draft): readonly string[] =>
  words.flatMap((word) => (word.kind === 'literal' ? [word.value] : []));

const COMPUTED: Readonly<Record<string, (draft: Draft) => Stream | null>> = {
  seq: (draft) => {
    const isKnown = draft.invocation?.operands.every((word) => word !== null && !Number.isNaN(toNumber(word)));
    return isKnown && countNumbers(draft) > PRACTICALLY_ENDLESS ? 'endless' : 'stops';
  },
  head: (draft) => {
    if (['-n', '-c'].some((name) => optionValue(draft, name)?.startsWith('-'))) return 'holds';
    const isLarge = toBytes(optionValue(draft, '-c')) > PRACTICALLY_ENDLESS_BYTES;
    return isLarge || toBytes(optionValue(draft, '-n')) > PRACTICALLY_ENDLESS ? 'passes' : 'stops';
  },
  printf: (draft) => (/%[-+ #0]*\d{9,}/.test(literals(draft)[1] ?? '') ? 'endless' : 'stops'),
  tail: (draft) =>
    ['-n', '-c'].some((name) => optionValue(draft, name)?.startsWith('+')) && !hasOption(draft, '-f') ? 'passes' : null,
  sed: (draft) => {
    const text = literals(draft).slice(1).join('\n');
    if (isEndlessSed(text)) return 'endless';
    if (/(?:^|[;{}\s\d$/!])[qQ]/.test(text)) return 'stops';
    return hasOption(draft, '-n') && /(?:^|\s)\$[!p=]/.test(text) ? 'holds' : 'passes';
  },
  dd: (draft) => {
    const value = (name: string) =>
      literals(draft)
        .find((word) => word.startsWith(name))
        ?.slice(name.length);
    const count = toBytes(value('count='));
    return count * toBytes(value('bs=') ?? '512') > PRACTICALLY_ENDLESS_BYTES || Number.isNaN(count)
      ? 'passes'
      : 'stops';
  },
  jq: (draft) => (isEndlessJq(literals(draft).join('\n')) ? 'endless' : null),
  ...Object.fromEntries(
    ['awk', 'gawk', 'mawk', 'nawk'].map((name) => [
      name,
      (draft: Draft) => {
        const text = literals(draft).join('\n');
        if (/\bexit\b/.test(text)) return 'stops';
        if (isEndlessAwk(text)) return 'endless';
        return keepsInputInAwk(literals(draft).slice(1).join('\n')) ? 'holds' : 'passes';
      },
    ]),
  ),
  // With an interval and no count they run until they are stopped.
  ...Object.fromEntries(
    ['vmstat', 'iostat', 'mpstat', 'pidstat', 'sar'].map((name) => [
      name,
      (draft: Draft) =>
        draft.invocation?.operands.filter((word) => /^\d+$/.test(word ?? '')).length === 1 ? 'endless' : 'stops',
    ]),
  ),
  mapfile: (draft) => (literals(draft).includes('-n') ? 'stops' : 'holds'),
  readarray: (draft) => (literals(draft).includes('-n') ? 'stops' : 'holds'),
};

/** For those whose program or format decides: without this in a word it ends. */
const signs = once(
  (): ReadonlyMap<string, RegExp> =>
    new Map([
      ['sed', /(?:^|[;\n{}])\s*:/],
      ['jq', /infinite|repeat|range|recurse|while|until|def/],
      ['printf', /%[-+ #0]*\d{9}/],
      ...['awk', 'gawk', 'mawk', 'nawk'].map((name) => [name, /while|for|function/] as const),
    ]),
);

const mayBeEndless = once(
  (): ReadonlySet<string> =>
    new Set([
      ...['seq', ...signs().keys(), 'vmstat', 'iostat', 'mpstat', 'pidstat', 'sar'],
      ...Object.entries(streamRows()).flatMap(([path, row]) =>
        row.includes('endless') ? [path.split(' ', 1)[0] ?? ''] : [],
      ),
    ]),
);
