// split and csplit: the pieces that they write all start with a prefix.

import type { WordValue } from '../../../core/facts.ts';
import { literalWord, type ProgramAnalyser } from '../program.ts';
import { currentFolder, startingWith, valuesOf } from '../words/file-words.ts';

export const split: ProgramAnalyser = (args, sink) => {
  // With a filter the pieces go into its input instead of into files.
  if (args.has('--help --version --filter')) return;
  sink.path('write', startingWith(args.operands[1] ?? named('x', args.words)));
};

export const csplit: ProgramAnalyser = (args, sink) => {
  if (args.has('--help --version')) return;
  const prefix = valuesOf(args, '-f --prefix').at(-1);
  sink.path('write', startingWith(prefix ?? named('xx', args.words)));
};

function named(value: string, words: readonly WordValue[]): WordValue {
  return literalWord(value, currentFolder(words));
}
