// rustc --print: `KIND` goes to standard output, `KIND=PATH` to a file.

import { wordSet } from '../../../core/values/once.ts';
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

const CARGO_TOPICS = wordSet(
  `add bench build check clean config doc fetch fix generate-lockfile help init install locate-project login logout metadata
  new owner package pkgid publish remove run rustc rustdoc search test tree uninstall update vendor version yank`,
);

/** With another topic it may start the extension of that name. */
export const cargoHelp: ProgramAnalyser = (args, sink) => {
  for (const word of args.operands) if (!CARGO_TOPICS.has(literal(word) ?? '')) sink.executes('hook', word);
};
