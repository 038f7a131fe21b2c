// nm, size, objdump: `@file` adds options, including `--plugin`.

import type { ProgramAnalyser } from '../program.ts';
import { afterHead, mayStartWith } from '../words/wrapper-words.ts';

export const binutils: ProgramAnalyser = (args, sink) => {
  for (const word of args.words) {
    if (!mayStartWith(word, '@')) continue;
    sink.unknown('options are read from a file');
    sink.path('read', afterHead(word, 1));
  }
};
