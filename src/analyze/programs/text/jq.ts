// jq: reads files and prints; its programs cannot write or run anything, but `env` and `$ENV` print the environment.
// Refuses to guess: a program that is not literal, or comes from a file, may do that.

import type { WordValue } from '../../../core/facts.ts';
import { wordSet } from '../../../core/values/once.ts';
import { type EffectSink, literal, type ProgramAnalyser } from '../program.ts';
import { mayBeSeveral } from '../words/file-words.ts';
import { mayStartWith } from '../words/wrapper-words.ts';
import { calledNames } from './jq-program.ts';

const FLAGS = 'nrjascCMSeRhV';
const LONG_FLAGS = wordSet(
  'null-input raw-input slurp compact-output raw-output raw-output0 join-output ascii-output sort-keys color-output monochrome-output tab unbuffered stream stream-errors seq exit-status ascii nul-output help version build-configuration debug-dump-disasm',
);
/** Long options and the number of words that they take; the last one is a file where noted. */
const LONG_VALUES: Readonly<Record<string, readonly ['value' | 'read', number]>> = {
  indent: ['value', 1],
  arg: ['value', 2],
  argjson: ['value', 2],
  slurpfile: ['read', 2],
  rawfile: ['read', 2],
  argfile: ['read', 2],
};

interface Reader {
  readonly words: readonly WordValue[];
  next: number;
  programFile: boolean;
  /** After `--args` the operands after the program are strings. */
  takesTexts: boolean;
  readonly operands: { readonly word: WordValue; readonly isText: boolean }[];
}

export const jq: ProgramAnalyser = (args, sink) => {
  const reader: Reader = { words: args.words, next: 0, programFile: false, takesTexts: false, operands: [] };
  while (reader.next < reader.words.length) readWord(reader, sink);
  const [program, ...files] = reader.operands;
  if (program) judgeProgram(program.word, reader.programFile, sink);
  for (const file of files) if (!file.isText) sink.path('read', file.word);
};

function readWord(reader: Reader, sink: EffectSink): void {
  const word = reader.words[reader.next++] as WordValue;
  const text = literal(word);
  if (text === null) {
    const isMany = word.kind === 'dynamic' && word.many;
    // As the last word, an option such as `-f` has no value and is harmless.
    const isLast = reader.operands.length > 0 && reader.next === reader.words.length;
    if (isMany || (mayStartWith(word, '-') && !isLast)) sink.unknown('jq: a word that may be an option');
  }
  if (text === null || !text.startsWith('-') || text === '-') {
    reader.operands.push({ word, isText: reader.takesTexts && reader.operands.length > 0 });
    return;
  }
  if (text === '--') {
    for (const rest of reader.words.slice(reader.next)) reader.operands.push({ word: rest, isText: reader.takesTexts });
    reader.next = reader.words.length;
  } else if (text.startsWith('--')) readLong(text.slice(2), reader, sink);
  else readCluster(text.slice(1), reader, sink);
}

function readLong(name: string, reader: Reader, sink: EffectSink): void {
  if (LONG_FLAGS.has(name)) return;
  if (name === 'args' || name === 'jsonargs') reader.takesTexts = true;
  else if (name === 'from-file') reader.programFile = true;
  else if (Object.hasOwn(LONG_VALUES, name)) {
    const [role, count] = LONG_VALUES[name] as readonly ['value' | 'read', number];
    const values = reader.words.slice(reader.next, reader.next + count);
    reader.next += count;
    const last = values.at(-1);
    if (role === 'read' && last) sink.path('read', last);
    if (values.some(mayBeSeveral)) sink.unknown('jq: it is unknown which word is the program');
  } else sink.unknown(`jq: the option --${name} is unknown`);
}

function readCluster(letters: string, reader: Reader, sink: EffectSink): void {
  for (const letter of letters) {
    if (letter === 'f') reader.programFile = true;
    else if (letter === 'L') {
      const folder = letters.endsWith('L') ? reader.words[reader.next++] : undefined;
      if (folder) sink.path('read', folder);
      return;
    } else if (!FLAGS.includes(letter)) {
      sink.unknown(`jq: the option -${letter} is unknown`);
      return;
    }
  }
}

function judgeProgram(program: WordValue, isFile: boolean, sink: EffectSink): void {
  if (isFile) {
    sink.path('read', program);
    sink.executes('file', program);
    return;
  }
  const text = literal(program);
  const names = text === null ? null : calledNames(text);
  if (names === null) {
    sink.unknown('jq: the program is unknown');
    sink.discloses('environment');
    return;
  }
  if (names.has('env') || names.has('$ENV')) sink.discloses('environment');
  if (names.has('import') || names.has('include')) sink.unknown('jq: modules bring further code');
}
