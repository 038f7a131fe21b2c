// unzip: unpacks into a folder unless it only lists, tests or prints.

import type { ProgramAnalyser } from '../program.ts';
import { currentFolder, plainName } from '../words/file-words.ts';
import { unknownWord } from '../words/wrapper-words.ts';

export const unzip: ProgramAnalyser = (args, sink) => {
  if (args.operands.length === 0 || args.has('-l -t -v -p -c -z -Z -T -h -hh --help --version')) return;
  const folder = args.value('-d') ?? currentFolder(args.words);
  // `-:` lets members climb out of the folder.
  sink.path('write', args.has('-:') ? unknownWord(folder.span, '', 'many') : plainName(folder), { recursive: true });
};
