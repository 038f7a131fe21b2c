// ssh-keygen: makes or changes keys unless it is asked to show, convert or check one.

import { hasAny, plainName, renamed } from './file-words.ts';
import { literal, type ProgramAnalyser } from './program.ts';

const CHECKS = new Set(['find-principals', 'match-principals', 'check-novalidate', 'verify']);

export const sshKeygen: ProgramAnalyser = (args, sink) => {
  const signature = args.value('-Y');
  const isShown = signature ? CHECKS.has(literal(signature) ?? '') : hasAny(args, '-l -y -L -B -e -i -F -r');
  const isChanged = hasAny(args, '-A -H -K -M -N -R -U -c -h -k -p -t -u') || (!signature && hasAny(args, '-s -I'));
  const file = args.value('-f');
  const read = isShown && !isChanged;
  if (file) sink.path(read ? 'read' : 'write', read ? file : plainName(file));
  const signed = args.value('-s');
  if (signed) sink.path('read', signed);
  for (const operand of args.operands) sink.path('read', operand);
  if (read) return;
  if (file)
    sink.path(
      'write',
      renamed(file, (name) => `${name}.pub`),
    );
  sink.changes('makes or changes keys');
};
