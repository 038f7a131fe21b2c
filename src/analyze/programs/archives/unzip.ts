// unzip: unpacks into a folder unless it only lists, tests or prints.

import type { ProgramAnalyser } from '../program.ts';
import { currentFolder, plainName } from '../words/file-words.ts';
import { unknownWord } from '../words/wrapper-words.ts';

const UNPACKS_NOTHING = new Set(['-l', '-t', '-v', '-p', '-c', '-z', '-Z', '-T', '-h', '-hh', '--help', '--version']);

export const unzip: ProgramAnalyser = (args, sink) => {
  // After the name of the archive, `-l` is the name of a member.
  const isQuiet = args.options.some(({ name, operandsBefore }) => operandsBefore === 0 && UNPACKS_NOTHING.has(name));
  if (args.operands.length === 0 || isQuiet) return;
  const folder = args.value('-d') ?? currentFolder(args.words);
  // `-:` lets members escape the folder.
  sink.path('write', args.has('-:') ? unknownWord(folder.span, '', 'many') : plainName(folder), { recursive: true });
};
