// find's actions: what -exec runs, what -delete removes, where -fprint writes.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal } from '../program.ts';
import { plainName } from '../words/file-words.ts';
import { headOf, unknownWord } from '../words/wrapper-words.ts';
import { type FindWords, takeValue } from './find-words.ts';

const RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const WRITES = new Set(['-fprint', '-fprint0', '-fls', '-fprintf']);

/** Whether the word is an action; if so, its own words are consumed. */
export function readAction(name: string, reading: FindWords, sink: EffectSink): boolean {
  if (RUNS.has(name)) runCommand(name, reading, sink);
  else if (WRITES.has(name)) {
    const file = takeValue(reading, sink);
    if (file) sink.path('write', plainName(file));
    if (name === '-fprintf') takeValue(reading, sink);
  } else if (name === '-delete') {
    for (const start of reading.starts) sink.path('delete', start, { recursive: true });
  } else return false;
  return true;
}

function runCommand(name: string, reading: FindWords, sink: EffectSink): void {
  const start = reading.next;
  const end = findEnd(reading.words, start);
  if (end === null) {
    reading.next = reading.words.length;
    sink.unknown(`find: ${name} without its terminator`);
  } else reading.next = end + 1;
  const stop = end ?? reading.words.length;
  const argv = reading.words.slice(start, stop);
  if (argv.length === 0) return;
  const many = argv.find((word) => word.kind === 'dynamic' && word.many);
  // A `;` among unknown words would end the command and start another.
  if (many) {
    sink.executes('program', null);
    sink.unknown(`find ${name}: unknown words may end the command`);
  } else if (mayEndEarly(argv)) sink.unknown(`find ${name}: the command may end at an unknown word`);
  const isBatch = literal(reading.words[stop]) === '+';
  const inFolder = name.endsWith('dir');
  const files = inFolder ? [{ kind: 'literal', value: '.', span: [0, 0] } as const] : reading.starts;
  const command = argv.map((word) => withFile(word, files, isBatch));
  sink.run(command, `find ${name}`, inFolder ? { anyFolder: true } : {});
}

function findEnd(words: readonly WordValue[], start: number): number | null {
  for (let i = start; i < words.length; i++) {
    const text = literal(words[i]);
    if (text === ';') return i;
    if (text === '+' && i > start && literal(words[i - 1]) === '{}') return i;
  }
  return null;
}

/** After an unknown `;`, the rest would be parsed as an expression: that matters if it has an action. */
function mayEndEarly(argv: readonly WordValue[]): boolean {
  const doubt = argv.findIndex((word) => word.kind !== 'literal' && (headOf(word) === '' || headOf(word) === ';'));
  if (doubt === -1) return false;
  return argv.slice(doubt + 1).some((word) => /^-(?:exec|ok|delete|fprint|fls)/.test(literal(word) ?? ''));
}

const PLAIN_PATH = /^[\w./@%+=:,-]+$/;

/** `{}` alone is some file below the start point: a pattern. Inside other text only its beginning is known. */
function withFile(word: WordValue, starts: readonly WordValue[], isBatch: boolean): WordValue {
  const text = literal(word);
  const at = text?.indexOf('{}') ?? -1;
  if (text === null || at === -1) return word;
  const start = starts.length === 1 ? literal(starts[0]) : null;
  if (text === '{}' && start !== null && PLAIN_PATH.test(start)) {
    return { kind: 'pattern', glob: start.endsWith('/') ? `${start}**` : `${start}/**`, head: start, span: word.span };
  }
  const head = commonStart(starts);
  return unknownWord(word.span, at === 0 ? head : text.slice(0, at), isBatch && text === '{}' ? 'many' : 'one');
}

/** The common prefix of all file names: names are the start point, or start with it. */
function commonStart(starts: readonly WordValue[]): string {
  const [first = '', ...others] = starts.map(headOf);
  let length = first.length;
  for (const other of others) {
    while (!other.startsWith(first.slice(0, length))) length--;
  }
  return first.slice(0, length);
}
