// Tools that read further options from `@file`: such a word may add any option.

import type { ProgramAnalyser } from '../program.ts';
import { mayStartWith } from '../words/wrapper-words.ts';

export const responseFiles: ProgramAnalyser = (args, sink) => {
  for (const word of args.words) {
    const head = word.kind === 'literal' ? word.value : word.head;
    if (head.startsWith('@') || mayStartWith(word, '@')) sink.unknown('options from a file');
  }
};
