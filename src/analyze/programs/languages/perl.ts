// perl and ruby: words → code, script and the files that are read or edited in place (perlrun, ruby(1)).
// Letters can be clustered and some take only part of the following text (`-lane`, `-0777ne`), so the words are walked here.
// With -n or -p the operands are input files; with -i they are written too.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, type ProgramAnalyser } from '../program.ts';
import { afterHead, isOneWord, mayStartWith } from '../words/wrapper-words.ts';

interface Dialect {
  readonly flags: string;
  /** What a letter takes of the following text in the same word; the rest are letters again. */
  readonly takesPart: Readonly<Record<string, RegExp>>;
  /** Letters that take the rest of their word, never the next one. */
  readonly takesRest: string;
  /** Letters that take the rest of their word or the next word. */
  readonly takesValue: string;
  readonly code: string;
  readonly libraries: string;
  readonly informs: RegExp;
  readonly long: RegExp;
}

const PERL: Dialect = {
  flags: 'acfghnpsStTuUvwWX',
  takesPart: { '0': /^(?:x[0-9a-fA-F]+|[0-7]*)/, l: /^[0-7]*/, C: /^(?:\d+|[IOEioADSLa]*)/ },
  takesRest: 'iFxMmdDV',
  takesValue: 'eEI',
  code: 'eEMm',
  libraries: '',
  informs: /^[vh]$/,
  long: /^$/,
};

const RUBY: Dialect = {
  flags: 'achlnpsSvwUdy',
  takesPart: { '0': /^[0-7]*/, W: /^(?::[\w-]+|[0-2]?)/, T: /^[0-4]?/, K: /^[a-zA-Z]?/ },
  takesRest: 'iFx',
  takesValue: 'erICE',
  code: 'e',
  libraries: 'r',
  informs: /^$/,
  long: /^--(?:yjit|jit|verbose|(?:en|dis)able(?:=[\w,-]+|-[\w-]+)|(?:encoding|external-encoding|internal-encoding)=\S*)$/,
};

interface Invocation {
  readonly letters: Set<string>;
  informs: boolean;
  rest: readonly WordValue[];
}

function readWords(words: readonly WordValue[], dialect: Dialect, sink: EffectSink): Invocation {
  const found: Invocation = { letters: new Set(), informs: false, rest: [] };
  let index = 0;
  for (; index < words.length; index++) {
    const word = words[index] as WordValue;
    const text = literal(word);
    if (text === null && mayStartWith(word, '-')) sink.unknown('an unknown word may be an option');
    if (text === '--') {
      index++;
      break;
    }
    if (text === null || text === '-' || !text.startsWith('-')) break;
    if (/^--(?:version|help|copyright)$/.test(text)) found.informs = true;
    else if (text.startsWith('--')) {
      if (!dialect.long.test(text)) sink.unknown(`option ${text}`);
    } else index += readCluster(word, text, words[index + 1], dialect, found, sink);
  }
  found.rest = words.slice(index);
  return found;
}

/** Returns how many further words the cluster took. */
function readCluster(
  word: WordValue,
  text: string,
  next: WordValue | undefined,
  dialect: Dialect,
  found: Invocation,
  sink: EffectSink,
): number {
  for (let at = 1; at < text.length; at++) {
    const letter = text.charAt(at);
    found.letters.add(letter);
    if (dialect.informs.test(letter)) found.informs = true;
    const part = dialect.takesPart[letter];
    if (part !== undefined) {
      at += part.exec(text.slice(at + 1))?.[0].length ?? 0;
      continue;
    }
    const isLast = at + 1 === text.length;
    if (dialect.takesRest.includes(letter)) {
      report(letter, isLast ? null : afterHead(word, at + 1), dialect, sink);
      return 0;
    }
    if (dialect.takesValue.includes(letter)) {
      report(letter, isLast ? (next ?? null) : afterHead(word, at + 1), dialect, sink);
      return isLast ? 1 : 0;
    }
    if (dialect.flags.includes(letter)) continue;
    sink.unknown(`option -${letter}`);
    return 0;
  }
  return 0;
}

function report(letter: string, value: WordValue | null, dialect: Dialect, sink: EffectSink): void {
  // `-M'strict;system(1)'` is code just like -e.
  if (dialect.code.includes(letter)) sink.executes('code', value);
  else if (dialect.libraries.includes(letter)) sink.executes('file', value);
  else if ('dDV'.includes(letter)) sink.executes('hook', value);
  else if (letter === 'C' && value !== null) sink.chdir(value);
}

function interpret(dialect: Dialect): ProgramAnalyser {
  return (args, sink) => {
    const { letters, informs, rest } = readWords(args.words, dialect, sink);
    if (informs) return;
    const hasCode = letters.has('e') || (dialect === PERL && letters.has('E'));
    const script = hasCode ? undefined : rest[0];
    // `ruby -v` continues if there is something to run.
    if (letters.has('v') && !hasCode && script === undefined) return;
    if (script !== undefined && literal(script) !== '-') {
      sink.path('read', script);
      sink.executes('file', script);
      if (!isOneWord(script)) sink.unknown('there may be several words in place of the script name');
    } else if (!hasCode) sink.executes('code', null);
    const role = letters.has('i') ? 'edit' : letters.has('n') || letters.has('p') ? 'read' : null;
    if (role === null) return;
    for (const file of hasCode ? rest : rest.slice(1)) sink.path(role, file);
  };
}

export const perl: ProgramAnalyser = interpret(PERL);
export const ruby: ProgramAnalyser = interpret(RUBY);
