// unzip: unpacks into a folder unless it only lists, tests or prints.

import { currentFolder, hasAny, plainName } from './file-words.ts';
import type { ProgramAnalyser } from './program.ts';
import { unknownWord } from './wrapper-words.ts';

export const unzip: ProgramAnalyser = (args, sink) => {
  if (args.operands.length === 0 || hasAny(args, '-l -t -v -p -c -z -Z -T -h -hh --help --version')) return;
  const folder = args.value('-d') ?? currentFolder(args.words);
  // `-:` lets members climb out of the folder.
  sink.path('write', args.has('-:') ? unknownWord(folder.span, '', 'many') : plainName(folder), { recursive: true });
};
