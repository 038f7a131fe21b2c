// yq, both programs of that name: `-i` edits its files; some operators read files or the environment.
// Options that the two parse differently, and those of neither, have unknown effects.

import type { WordValue } from '../../../core/facts.ts';
import { wordSet } from '../../../core/values/once.ts';
import { type EffectSink, literal, type ProgramAnalyser } from '../program.ts';
import { mayStartWith } from '../words/wrapper-words.ts';
import { calledNames } from './jq-program.ts';

const FLAGS = 'rnCMePNjcSyYV0h';
const LONG_FLAGS = wordSet(
  'null-input raw-output unwrapScalar colors no-colors exit-status prettyPrint no-doc tojson compact-output sort-keys yaml-output yaml-roundtrip color-output monochrome-output version help nul-output string-interpolation yaml-fix-merge-anchor-to-spec',
);
const LONG_VALUES = wordSet(
  'output-format input-format indent front-matter xml-attribute-prefix xml-content-name csv-separator tsv-separator lua-prefix lua-suffix properties-separator width',
);
const SECRET_NAMES = ['env', 'strenv', 'envsubst', '$ENV'];
const UNKNOWN_NAMES = [
  'load',
  'load_str',
  'load_xml',
  'load_props',
  'load_base64',
  'strload',
  'loadstr',
  'system',
  'import',
  'include',
  'eval',
];
const SUBCOMMANDS = new Set(['e', 'eval', 'ea', 'eval-all']);

interface Reading {
  inPlace: boolean;
  /** `--from-file`, `--expression`: the program is not an operand. */
  hasProgram: boolean;
  readonly operands: WordValue[];
}

export const yq: ProgramAnalyser = (args, sink) => {
  const reading = readWords(args.words, sink);
  const operands = [...reading.operands];
  if (SUBCOMMANDS.has(literal(operands[0]) ?? '')) operands.shift();
  const program = reading.hasProgram ? undefined : operands.shift();
  // A single operand may be the file: `yq file.yaml`.
  if (program && operands.length === 0 && !(literal(program) ?? '').startsWith('.')) operands.push(program);
  if (program && operands[0] !== program) judgeProgram(program, sink);
  else if (program?.kind === 'literal') judgeNames(calledNames(program.value), sink);
  for (const file of operands) sink.path(reading.inPlace ? 'edit' : 'read', file);
};

function readWords(words: readonly WordValue[], sink: EffectSink): Reading {
  const reading: Reading = { inPlace: false, hasProgram: false, operands: [] };
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as WordValue;
    const text = literal(word);
    if (text === null) {
      if (mayStartWith(word, '-') || (word.kind === 'dynamic' && word.many))
        sink.unknown('yq: a word that may be an option');
      reading.operands.push(word);
    } else if (text === '--') {
      reading.operands.push(...words.slice(i + 1));
      break;
    } else if (!text.startsWith('-') || text === '-') reading.operands.push(word);
    else if (text.startsWith('--')) i += readLong(text.slice(2), words[i + 1], reading, sink);
    else i += readCluster(text.slice(1), reading, sink);
  }
  return reading;
}

function readLong(text: string, next: WordValue | undefined, reading: Reading, sink: EffectSink): 0 | 1 {
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  if (name === 'inplace' || name === 'in-place') reading.inPlace = true;
  else if (name === 'expression') {
    reading.hasProgram = true;
    if (equals !== -1) judgeNames(calledNames(text.slice(equals + 1)), sink);
    else if (next) judgeProgram(next, sink);
    return equals === -1 ? 1 : 0;
  } else if (LONG_VALUES.has(name)) return equals === -1 ? 1 : 0;
  else if (!LONG_FLAGS.has(name)) sink.unknown(`yq: the option --${name} is unknown`);
  return 0;
}

function readCluster(letters: string, reading: Reading, sink: EffectSink): 0 | 1 {
  for (const [index, letter] of [...letters].entries()) {
    if (letter === 'i') reading.inPlace = true;
    else if ('opI'.includes(letter)) return index === letters.length - 1 ? 1 : 0;
    else if (!FLAGS.includes(letter)) {
      sink.unknown(`yq: the option -${letter} is unknown`);
      return 0;
    }
  }
  return 0;
}

function judgeProgram(program: WordValue, sink: EffectSink): void {
  const text = literal(program);
  if (text === null) {
    sink.unknown('yq: the program is unknown');
    sink.discloses('environment');
  } else judgeNames(calledNames(text), sink);
}

function judgeNames(names: ReadonlySet<string> | null, sink: EffectSink): void {
  if (names === null) sink.unknown('yq: the program cannot be parsed');
  else if (UNKNOWN_NAMES.some((name) => names.has(name))) sink.unknown('yq: the program reads further files');
  if (names !== null && SECRET_NAMES.some((name) => names.has(name))) sink.discloses('environment');
}
