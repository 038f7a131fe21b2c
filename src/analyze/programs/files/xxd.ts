// xxd: only the first letter of an option counts, options end at the first file, and a second file is written.

import type { WordValue } from '../../../core/facts.ts';
import { literal, type ProgramAnalyser } from '../program.ts';
import { mayBeSeveral } from '../words/file-words.ts';

const FLAGS = 'abCdeEhipruv';
/** Letters with a value: the text that can be attached to them; anything else after the letter is unknown. */
const NUMBER = /^[-+]?(?:0x)?[0-9a-fA-F]+$/;
const ATTACHED: Readonly<Record<string, RegExp>> = {
  c: NUMBER,
  g: NUMBER,
  l: NUMBER,
  o: NUMBER,
  s: NUMBER,
  R: /^(?:always|auto|never)$/,
  n: /^$/,
};
const LONG_NAMES = new Set(['cols', 'group', 'len', 'name', 'offset', 'seek', 'skip']);

export const xxd: ProgramAnalyser = (args, sink) => {
  const start = skipOptions(args.words);
  if (start === null) {
    sink.unknown('xxd: an unknown option');
    return;
  }
  const [input, output, ...more] = args.words.slice(start);
  if (input) sink.path('read', input);
  if (input && mayBeSeveral(input)) sink.path('write', input);
  if (output) sink.path('write', output);
  if (more.length > 0) sink.unknown('xxd: too many files');
};

function skipOptions(words: readonly WordValue[]): number | null {
  let index = 0;
  for (; index < words.length; index++) {
    const word = words[index] as WordValue;
    const text = literal(word);
    if (text === null) return word.kind !== 'literal' && (word.head === '' || word.head.startsWith('-')) ? null : index;
    if (text === '--') return index + 1;
    if (!text.startsWith('-') || text === '-') return index;
    const option = text.replace(/^--?/, '');
    const letter = option.charAt(0);
    if ((letter !== '' && FLAGS.includes(letter)) || option === 'capitalize') continue;
    if (!Object.hasOwn(ATTACHED, letter)) return null;
    if (option.length === 1 || LONG_NAMES.has(option)) index++;
    else if (!ATTACHED[letter]?.test(option.slice(1))) return null;
  }
  return index;
}
