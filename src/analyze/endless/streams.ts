// A command → how it treats streams, and how many lines it prints where that can be told.

import { STREAM_ROWS, type Stream } from '../commands/streams.ts';
import type { Draft } from '../effects/draft.ts';

/** Devices without end, and those of them that have no line ends either. */
export const ENDLESS_DEVICE = /^\/dev\/(?:zero|u?random|full)$/;
const ONE_LINE_DEVICE = /^\/dev\/(?:zero|full)$/;
/** They keep a line until it is complete. */
const KEEPS_LINE = new Set('tail grep egrep fgrep sed awk gawk mawk cut paste rev nl uniq read'.split(' '));
/** More numbers than this are no end that anyone waits for. */
const PRACTICALLY_ENDLESS = 1e8;

export function streamOf(draft: Draft): Stream | null {
  const { name, invocation } = draft;
  if (name === null || draft.kind === 'function') return null;
  const computed = Object.hasOwn(COMPUTED, name) ? COMPUTED[name]?.(draft) : undefined;
  if (computed !== undefined && computed !== null) return computed;
  const path = invocation?.path.join(' ') ?? name;
  const row = Object.hasOwn(STREAM_ROWS, path) ? STREAM_ROWS[path] : STREAM_ROWS[name];
  if (row === undefined || (path !== name && !Object.hasOwn(STREAM_ROWS, path))) return null;
  const [stream, ...others] = row.split(' ');
  // The last one counts: what ends a command ends it whatever else is given.
  const chosen = others.map((text) => text.split('=')).filter(([option = '']) => hasOption(draft, option));
  return (
    ((chosen.find(([, value]) => value === 'stops') ?? chosen[0])?.[1] as Stream | undefined) ?? (stream as Stream)
  );
}

export function readsEndlessDevice({ reads }: Draft): boolean {
  return reads.some(({ path }) => path !== null && ENDLESS_DEVICE.test(path));
}

/** It keeps a line that has no end. */
export function keepsEndlessLine({ name, reads }: Draft): boolean {
  return name !== null && KEEPS_LINE.has(name) && reads.some(({ path }) => path !== null && ONE_LINE_DEVICE.test(path));
}

export function hasOption({ invocation }: Draft, name: string): boolean {
  return [...(invocation?.leading ?? []), ...(invocation?.options ?? [])].some(({ names }) => names.includes(name));
}

export function optionValue({ invocation }: Draft, name: string): string | null {
  return invocation?.options.findLast(({ names }) => names.includes(name))?.value ?? null;
}

/** How many lines it prints at most; infinite when that is not known. */
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
  head: (draft) => (['-n', '-c'].some((name) => optionValue(draft, name)?.startsWith('-')) ? 'holds' : 'stops'),
  tail: (draft) =>
    ['-n', '-c'].some((name) => optionValue(draft, name)?.startsWith('+')) && !hasOption(draft, '-f') ? 'passes' : null,
  sed: (draft) => {
    const text = literals(draft).slice(1).join('\n');
    if (/(?:^|[;{}\s\d$/!])[qQ]/.test(text)) return 'stops';
    return hasOption(draft, '-n') && /(?:^|\s)\$[!p=]/.test(text) ? 'holds' : 'passes';
  },
  dd: (draft) => (literals(draft).some((word) => word.startsWith('count=')) ? 'stops' : 'passes'),
  ...Object.fromEntries(
    ['awk', 'gawk', 'mawk', 'nawk'].map((name) => [
      name,
      (draft: Draft) => {
        const text = literals(draft).join('\n');
        if (/\bexit\b/.test(text)) return 'stops';
        return /\bEND\b/.test(text) ? 'holds' : 'passes';
      },
    ]),
  ),
  // With an interval and no count they go on until they are stopped.
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
