// xargs: the command with words from its input (xargs(1)).
// Without -I they follow the given words; with it they replace the placeholder everywhere.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, type ParsedArguments, type ProgramAnalyser } from '../program.ts';
import { headOf, isCommandUncertain, lastSpan, unknownWord } from '../words/wrapper-words.ts';

function replaceMarker(word: WordValue, marker: string): WordValue {
  const text = word.kind === 'pattern' ? word.glob : headOf(word);
  const at = text.indexOf(marker);
  if (at < 0 && word.kind !== 'dynamic') return word;
  if (word.kind === 'literal') return unknownWord(word.span, text.slice(0, at), 'one');
  const head = headOf(word);
  const cut = head.indexOf(marker);
  return unknownWord(
    word.span,
    cut < 0 ? head : head.slice(0, cut),
    word.kind === 'dynamic' && !word.many ? 'one' : 'many',
  );
}

export const xargs: ProgramAnalyser = (args, sink) => {
  if (isCommandUncertain(args, 0, sink, 'xargs')) return;
  const span = lastSpan(args.words);
  const command: readonly WordValue[] =
    args.operands.length > 0 ? args.operands : [{ kind: 'literal', value: 'echo', span }];
  const fromInput = unknownWord(span, '', 'many');
  if (args.has('-I') || args.has('-i') || args.has('-J')) {
    const given = args.value('-I') ?? args.value('-i') ?? args.value('-J');
    const marker = given === undefined ? '{}' : literal(given);
    if (marker === null || marker === '') {
      sink.cannotTell('wrapper-arguments', 'the placeholder of xargs is unknown', span);
      return;
    }
    if (args.has('-J'))
      sink.run(
        command.map((word) => (literal(word) === marker ? fromInput : word)),
        'xargs',
      );
    else
      sink.run(
        command.map((word) => replaceMarker(word, marker)),
        'xargs',
      );
    // A later -L or -n cancels -I: then the words are appended.
    if (args.has('-n') || args.has('-L') || args.has('-l')) sink.run([...command, fromInput], 'xargs');
    return;
  }
  const known = wordsOfInput(args, sink);
  sink.run(
    [...command, ...(known?.map((value): WordValue => ({ kind: 'literal', value, span })) ?? [fromInput])],
    'xargs',
  );
};

const MAX_KNOWN_WORDS = 64;
/** Options that change neither how the input is split nor how many words a command gets. */
const PLAIN_OPTIONS = new Set(['-r', '-t', '-P']);

/** `xargs rm <<< a`: plain words of an input that is in the command, all given to one command. */
function wordsOfInput(args: ParsedArguments, sink: EffectSink): readonly string[] | null {
  const text = sink.input();
  if (text === null || /['"\\\0]/.test(text) || !args.options.every(({ name }) => PLAIN_OPTIONS.has(name))) return null;
  const words = text.split(/[ \t\n]+/).filter((word) => word !== '');
  return words.length > 0 && words.length <= MAX_KNOWN_WORDS ? words : null;
}
