// su, runuser, sg: `-c` text, a command after -u, or a shell that reads its input (su(1), runuser(1)).
// Words after the user are passed to that shell; words that would be its options are refused.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, literalWord, type ParsedArguments, type ProgramAnalyser } from '../program.ts';
import { isCommandUncertain, joinWords, mayStartWith } from '../words/wrapper-words.ts';

function runText(text: WordValue, args: ParsedArguments, sink: EffectSink): void {
  const shell = args.value('-s');
  if (shell === undefined) sink.shell(text, 'su -c', { shell: 'sh' });
  else sink.run([shell, literalWord('-c', text), text], 'su');
}

export const su: ProgramAnalyser = (args, sink) => {
  if (isCommandUncertain(args, args.operands.length, sink, 'su')) return;
  if (args.has('-u')) {
    if (args.operands.length > 0) sink.run(args.operands, 'runuser');
    return;
  }
  const words = args.operands.filter((word) => literal(word) !== '-');
  if (args.has('-l --login') || words.length < args.operands.length) sink.executes('hook', null);
  const text = args.value('-c');
  const [script] = words.slice(1);
  if (text !== undefined) runText(text, args, sink);
  else if (script === undefined) sink.shellFromInput('su');
  else if (mayStartWith(script, '-+'))
    sink.cannotTell('wrapper-arguments', 'options for the shell that su starts', script.span);
  else sink.executes('file', script);
};

/** `sg group -c text`, `sg group text…`, `newgrp group`. */
export const sg: ProgramAnalyser = (args, sink) => {
  if (isCommandUncertain(args, 1, sink, 'sg')) return;
  const words = args.operands.filter((word) => literal(word) !== '-').slice(1);
  const first = words[0];
  if (first === undefined) sink.shellFromInput('sg');
  else if (literal(first) === '-c') sink.shell(joinWords(words.slice(1)), 'sg -c', { shell: 'sh' });
  else sink.shell(joinWords(words), 'sg', { shell: 'sh' });
};
