// date: an operand that is not a `+format` sets the clock.

import { hasAny } from './file-words.ts';
import type { ProgramAnalyser } from './program.ts';
import { headOf } from './wrapper-words.ts';

export const date: ProgramAnalyser = (args, sink) => {
  if (hasAny(args, '--help --version')) return;
  if (args.operands.some((word) => !headOf(word).startsWith('+'))) sink.changes('sets the clock');
};
