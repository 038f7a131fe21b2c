// rg: without a path it searches the working folder.

import type { ProgramAnalyser } from '../program.ts';
import { currentFolder } from '../words/file-words.ts';

export const rg: ProgramAnalyser = (args, sink) => {
  if (args.has('--type-list -V --version -h --help --pcre2-version --generate')) return;
  const patterns = args.has('-e --regexp -f --file --files') ? 0 : 1;
  if (args.operands.length <= patterns) sink.path('read', currentFolder(args.words), { recursive: true });
};
