// fd: reads folders; `-x` and `-X` run the words after them, up to `;`, on the matches.
// Options that are not listed have unknown effects.

import type { WordValue } from '../../../core/facts.ts';
import { wordSet } from '../../../core/values/once.ts';
import { type EffectSink, literal, literalWord, type ProgramAnalyser } from '../program.ts';
import { currentFolder } from '../words/file-words.ts';
import { afterHead, mayStartWith, unknownWord } from '../words/wrapper-words.ts';

const FLAGS = 'HIusigFalLp01qhV';
const VALUES = 'dEteSojc';
const LONG_FLAGS = wordSet(
  'hidden no-hidden no-ignore ignore no-ignore-vcs ignore-vcs no-ignore-parent ignore-parent no-require-git require-git no-global-ignore-file unrestricted case-sensitive ignore-case glob regex fixed-strings literal absolute-path relative-path list-details follow no-follow full-path print0 prune quiet has-results show-errors strip-cwd-prefix one-file-system mount xdev help version hyperlink',
);
const LONG_VALUES = wordSet(
  'and max-depth maxdepth min-depth exact-depth exclude type extension size changed-within change-newer-than newer changed-after changed-before change-older-than older owner format batch-size color threads max-buffer-time max-results path-separator',
);

interface Reading {
  readonly words: readonly WordValue[];
  readonly sink: EffectSink;
  next: number;
  readonly operands: WordValue[];
  readonly folders: WordValue[];
}

export const fd: ProgramAnalyser = (args, sink) => {
  const reading: Reading = { words: args.words, sink, next: 0, operands: [], folders: [] };
  while (reading.next < reading.words.length) readWord(reading);
  const folders = [...reading.operands.slice(1), ...reading.folders];
  for (const folder of folders.length > 0 ? folders : [currentFolder(args.words)])
    sink.path('read', folder, { recursive: true });
};

function readWord(reading: Reading): void {
  const word = reading.words[reading.next++] as WordValue;
  const text = literal(word);
  if (text === null) {
    const isMany = word.kind === 'dynamic' && word.many;
    // One of several words may be --exec.
    if (isMany) reading.sink.executes('program', null);
    if (isMany || mayStartWith(word, '-')) reading.sink.unknown('fd: a word that may be an option');
    reading.operands.push(word);
  } else if (text === '--') {
    reading.operands.push(...reading.words.slice(reading.next));
    reading.next = reading.words.length;
  } else if (text.startsWith('--')) readLong(word, text.slice(2), reading);
  else if (text.startsWith('-') && text !== '-') readCluster(word, text.slice(1), reading);
  else reading.operands.push(word);
}

function readLong(word: WordValue, text: string, reading: Reading): void {
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  const value = () => (equals === -1 ? reading.words[reading.next++] : afterHead(word, equals + 3));
  if (LONG_FLAGS.has(name)) return;
  if (LONG_VALUES.has(name)) value();
  else if (name === 'exec' || name === 'exec-batch')
    run(`--${name}`, equals === -1 ? [] : [afterHead(word, equals + 3)], reading);
  else if (name === 'base-directory') {
    const folder = value();
    if (folder) reading.sink.chdir(folder);
  } else if (name === 'search-path') reading.folders.push(value() ?? word);
  else if (name === 'ignore-file') reading.sink.path('read', value() ?? word);
  else reading.sink.unknown(`fd: the option --${name} is unknown`);
}

function readCluster(word: WordValue, letters: string, reading: Reading): void {
  for (let i = 0; i < letters.length; i++) {
    const letter = letters.charAt(i);
    const rest = letters.slice(i + 1);
    if (letter === 'x' || letter === 'X') {
      run(`-${letter}`, rest === '' ? [] : [literalWord(rest.replace(/^=/, ''), word)], reading);
      return;
    }
    if (VALUES.includes(letter)) {
      if (rest === '') reading.next++;
      return;
    }
    if (letter === 'C') {
      const folder = rest === '' ? reading.words[reading.next++] : literalWord(rest, word);
      if (folder) reading.sink.chdir(folder);
      return;
    }
    if (!FLAGS.includes(letter)) reading.sink.unknown(`fd: the option -${letter} is unknown`);
  }
}

function run(option: string, attached: readonly WordValue[], reading: Reading): void {
  const rest = reading.words.slice(reading.next);
  const end = rest.findIndex((word) => literal(word) === ';');
  const argv = [...attached, ...(end === -1 ? rest : rest.slice(0, end))];
  reading.next += end === -1 ? rest.length : end + 1;
  const isBatch = option === '-X' || option === '--exec-batch';
  const count = isBatch ? 'many' : 'one';
  let hasPlace = false;
  const command = argv.map((word) => {
    const at = literal(word)?.search(/\{(?:\/|\/\/|\.|\/\.)?\}/) ?? -1;
    if (at === -1) return word;
    hasPlace = true;
    return unknownWord(word.span, (literal(word) as string).slice(0, at), count);
  });
  const last = command.at(-1);
  if (last === undefined) return;
  const many = argv.find((word) => word.kind === 'dynamic' && word.many);
  if (many) {
    reading.sink.executes('program', null);
    reading.sink.unknown('fd: unknown words may end the command');
  }
  reading.sink.run(hasPlace ? command : [...command, unknownWord(last.span, '', count)], `fd ${option}`);
}
