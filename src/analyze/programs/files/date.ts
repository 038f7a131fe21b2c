// date: an operand that is not a `+format` sets the clock.

import type { ProgramAnalyser } from '../program.ts';
import { headOf } from '../words/wrapper-words.ts';

export const date: ProgramAnalyser = (args, sink) => {
  if (args.has('--help --version')) return;
  if (args.operands.some((word) => !headOf(word).startsWith('+'))) sink.changes('set the clock');
};
