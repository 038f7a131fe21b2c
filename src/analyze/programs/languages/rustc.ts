// rustc --print: `KIND` goes to standard output, `KIND=PATH` to a file.

import { literal, type ProgramAnalyser } from '../program.ts';
import { afterHead } from '../words/wrapper-words.ts';

export const rustc: ProgramAnalyser = (args, sink) => {
  for (const option of args.options) {
    if (option.name !== '--print' || option.value === null) continue;
    const text = literal(option.value);
    if (text === null) sink.unknown('the output and its destination are unknown');
    else if (text.includes('=')) sink.path('write', afterHead(option.value, text.indexOf('=') + 1));
    // These compile or link first.
    else if (/^(?:native-static-libs|link-args)$/.test(text)) sink.executes('hook', null);
  }
};
