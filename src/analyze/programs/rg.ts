// rg: without a path it searches the working folder.

import { currentFolder, hasAny } from './file-words.ts';
import type { ProgramAnalyser } from './program.ts';

export const rg: ProgramAnalyser = (args, sink) => {
  if (hasAny(args, '--type-list -V --version -h --help --pcre2-version --generate')) return;
  const patterns = hasAny(args, '-e --regexp -f --file --files') ? 0 : 1;
  if (args.operands.length <= patterns) sink.path('read', currentFolder(args.words), { recursive: true });
};
