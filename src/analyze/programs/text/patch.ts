// patch: changes the named file, or the files named in the patch.

import type { ProgramAnalyser } from '../program.ts';
import { currentFolder, startingWith } from '../words/file-words.ts';

export const patch: ProgramAnalyser = (args, sink) => {
  if (args.has('-v --version --help')) return;
  const [original, diff] = args.operands;
  if (diff) sink.path('read', diff);
  if (args.has('--dry-run')) {
    if (original) sink.path('read', original);
    return;
  }
  if (original === undefined) sink.path('write', currentFolder(args.words), { recursive: true });
  else {
    sink.path(args.has('-o') ? 'read' : 'edit', original);
    // Rejects and backups are next to it.
    sink.path('write', startingWith(original));
  }
};
