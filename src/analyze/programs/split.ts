// split and csplit: the pieces that they write all start with a prefix.

import type { WordValue } from '../../core/facts.ts';
import { currentFolder, hasAny, startingWith, valuesOf } from './file-words.ts';
import { literalWord, type ProgramAnalyser } from './program.ts';

export const split: ProgramAnalyser = (args, sink) => {
  // With a filter the pieces go into its input instead of into files.
  if (hasAny(args, '--help --version --filter')) return;
  sink.path('write', startingWith(args.operands[1] ?? named('x', args.words)));
};

export const csplit: ProgramAnalyser = (args, sink) => {
  if (hasAny(args, '--help --version')) return;
  const prefix = valuesOf(args, '-f --prefix').at(-1);
  sink.path('write', startingWith(prefix ?? named('xx', args.words)));
};

function named(value: string, words: readonly WordValue[]): WordValue {
  return literalWord(value, currentFolder(words));
}
