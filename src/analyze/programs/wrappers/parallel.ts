// GNU parallel: the command template and its arguments → what each job runs (parallel(1)).
// The template is shell text; only plain words are parsed as a command, anything else is uncertain.

import type { WordValue } from '../../../core/facts.ts';
import { literal, type ProgramAnalyser } from '../program.ts';
import { isCommandUncertain, joinWords, lastSpan, unknownWord } from '../words/wrapper-words.ts';

const SEPARATOR = /^:::?:?:?\+?$/;
const MARKER = /\{(?:#|%|\d*(?:\.|\/|\/\/|\/\.)?)\}/g;
const PLAIN_WORDS = /^ *[A-Za-z0-9_./+-]+(?: +[A-Za-z0-9_./:,@%+= -]+)?$/;
// Inputs arrive quoted: outside quotes they are words, inside quotes they may become code.
const QUOTES = /['"\\`$#{}]/;

export const parallel: ProgramAnalyser = (args, sink) => {
  if (isCommandUncertain(args, 0, sink, 'parallel')) return;
  const { operands, words } = args;
  const span = lastSpan(words);
  const refuse = (message: string): void => {
    sink.executes('shell', null);
    sink.cannotTell('dynamic-code', message, span);
  };
  // Another program of the same name (moreutils) puts its arguments, or whole commands, after `--`.
  if (words.some((word) => literal(word) === '--')) {
    sink.cannotTell('wrapper-arguments', 'two programs are called parallel and parse `--` differently', span);
    return;
  }
  const at = operands.findIndex((word) => SEPARATOR.test(literal(word) ?? ''));
  const template = at < 0 ? operands : operands.slice(0, at);
  const inputs = at < 0 ? [] : operands.slice(at);
  let fromFile = at < 0;
  for (const [index, word] of inputs.entries()) {
    const text = literal(word);
    if (text !== null && SEPARATOR.test(text)) fromFile = text.startsWith('::::');
    else if (fromFile) sink.path('read', word);
    else if (template.length === 0 && index > 0) sink.shell(word, 'parallel', { shell: 'bash' });
  }
  if (template.length === 0) {
    if (fromFile || args.has('-a')) refuse('the commands come from the input');
    return;
  }
  if (args.has('-I') || args.has('--rpl')) return refuse('parallel has a non-default placeholder');
  const joined = joinWords(template);
  const text = literal(joined);
  if (text === null) return refuse('the template is unknown');
  if (args.has('--pipe --pipepart --spreadstdin --semaphore')) {
    if (args.has('-q --quote')) sink.run(template, 'parallel');
    else sink.shell(joined, 'parallel', { shell: 'bash' });
    return;
  }
  const bare = text.replace(MARKER, 'x');
  if (QUOTES.test(bare)) return refuse('the template quotes or computes its input');
  const isFilled = bare !== text;
  if (!PLAIN_WORDS.test(bare)) {
    const filled = isFilled ? text.replace(MARKER, '$1') : `${text} $1`;
    const positional = [unknownWord(span, '', 'many')];
    sink.shell({ kind: 'literal', value: filled, span: joined.span }, 'parallel', { shell: 'bash', positional });
    return;
  }
  const command = text
    .split(' ')
    .filter((piece) => piece !== '')
    .map((piece) => fill(piece, joined));
  sink.run(isFilled ? command : [...command, unknownWord(span, '', 'many')], 'parallel');
};

function fill(piece: string, from: WordValue): WordValue {
  const at = piece.search(MARKER);
  if (at < 0) return { kind: 'literal', value: piece, span: from.span };
  return unknownWord(from.span, piece.slice(0, at), 'many');
}
