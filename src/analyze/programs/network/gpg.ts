// gpg: only the commands that list or compute are known to change nothing.

import type { ProgramAnalyser } from '../program.ts';

export const gpg: ProgramAnalyser = (args, sink) => {
  if (args.has('--version -h --help --dump-options')) return;
  const readsFiles = args.has('--print-md --print-mds --show-keys');
  const lists = args.has('--list-keys -k --list-public-keys --list-sigs --list-signatures --fingerprint --list-config');
  if (!readsFiles && !lists) sink.unknown('gpg: a command that is not known to be read-only');
  const files = args.has('--print-md') ? args.operands.slice(1) : args.operands;
  if (readsFiles) for (const file of files) sink.path('read', file);
};
