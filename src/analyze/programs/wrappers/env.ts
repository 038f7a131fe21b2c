// env: options and NAME=value words → the environment and the command (coreutils manual, 23.2).
// `-S` inserts its pieces before the following words, so everything is parsed here from the plain words.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, type ProgramAnalyser } from '../program.ts';
import { splitString } from '../words/split-string.ts';
import { afterHead, headOf, isOneWord, mayStartWith, readAssignment } from '../words/wrapper-words.ts';

const VALUE_LONG = ['--unset', '--chdir', '--split-string'];
const FLAG_LONG =
  /^--(?:ignore-environment|null|debug|list-signal-handling|(?:block|default|ignore)-signal(?:=.*)?|help|version)$/s;
/** Without `-a`: another name may make it another program, as in `env -a sh bash`. */
const VALUE_LETTERS = 'uCSP';

interface Found {
  readonly name: string;
  readonly value: WordValue | null;
}

/** One option word: its parts, and how many words it took; `null` if it is not a known option. */
function readOption(words: readonly WordValue[], index: number): { found: Found[]; taken: number } | null {
  const word = words[index] as WordValue;
  const text = headOf(word);
  if (text.startsWith('--')) {
    const equals = text.indexOf('=');
    const spelled = equals < 0 ? text : text.slice(0, equals);
    const long = VALUE_LONG.find((name) => spelled.length > 2 && name.startsWith(spelled));
    if (long !== undefined) {
      if (equals >= 0) return { found: [{ name: long, value: afterHead(word, equals + 1) }], taken: 1 };
      return { found: [{ name: long, value: words[index + 1] ?? null }], taken: 2 };
    }
    return word.kind === 'literal' && FLAG_LONG.test(text) ? { found: [{ name: text, value: null }], taken: 1 } : null;
  }
  const found: Found[] = [];
  for (let at = 1; at < text.length; at++) {
    const letter = text.charAt(at);
    if (VALUE_LETTERS.includes(letter)) {
      if (at + 1 < text.length || word.kind !== 'literal') {
        found.push({ name: `-${letter}`, value: afterHead(word, at + 1) });
        return { found, taken: 1 };
      }
      found.push({ name: `-${letter}`, value: words[index + 1] ?? null });
      return { found, taken: 2 };
    }
    if (!'i0v'.includes(letter)) return null;
    found.push({ name: `-${letter}`, value: null });
  }
  return word.kind === 'literal' ? { found, taken: 1 } : null;
}

export const env: ProgramAnalyser = (args, sink) => {
  let words = args.words;
  const environment = new Map<string, WordValue | null>();
  let cleared = false;
  let index = 0;
  while (index < words.length) {
    const word = words[index] as WordValue;
    const text = literal(word);
    if (text === '--') {
      index++;
      if (literal(words[index]) === '-') {
        cleared = true;
        index++;
      }
      break;
    }
    // A lone dash ends the options: even `--` is a command after it.
    if (text === '-') {
      cleared = true;
      index++;
      break;
    }
    if (text !== null && !text.startsWith('-')) break;
    if (text === null && !mayStartWith(word, '-')) break;
    const option = readOption(words, index);
    if (option === null || !isOneWord(word)) return refuse(word, sink);
    index += option.taken;
    for (const { name, value } of option.found) {
      if (value !== null && !isOneWord(value)) return refuse(value, sink);
      if (name === '-i' || name === '--ignore-environment') cleared = true;
      else if (name === '--help' || name === '--version') return;
      else if ((name === '-u' || name === '--unset') && value !== null) {
        const unset = literal(value);
        if (unset === null) return refuse(value, sink);
        environment.set(unset, null);
      } else if ((name === '-C' || name === '--chdir') && value !== null) sink.chdir(value);
      else if ((name === '-S' || name === '--split-string') && value !== null) {
        const pieces = splitString(value);
        if (pieces === null) return refuse(value, sink);
        words = [...pieces, ...words.slice(index)];
        index = 0;
      } else if (name === '-P') sink.unknown('env -P searches the command in other folders');
    }
  }
  for (; index < words.length; index++) {
    const word = words[index] as WordValue;
    // A value that splits into several words may add further assignments or the command itself.
    if (!isOneWord(word) && (index + 1 < words.length || headOf(word).includes('='))) return refuse(word, sink);
    // Everything with `=` in it is an assignment, even without a name.
    const isNameless = word.kind === 'literal' && word.value.startsWith('=');
    if (isNameless) continue;
    const assignment = readAssignment(word);
    if (assignment === null) {
      if (literal(word) === null) return refuse(word, sink);
      break;
    }
    environment.set(assignment.name, assignment.value);
  }
  const command = words.slice(index);
  if (command.length > 0) sink.run(command, 'env', { environment, cleanEnvironment: cleared });
  else if (!cleared) sink.discloses('environment');
};

function refuse(word: WordValue, sink: EffectSink): void {
  sink.cannotTell('wrapper-arguments', 'the words before the command of env are unknown', word.span);
}
