// ssh-keygen: creates or changes keys unless it is asked to show, convert or check one.

import { literal, type ProgramAnalyser } from '../program.ts';
import { plainName, renamed } from '../words/file-words.ts';

const CHECKS = new Set(['find-principals', 'match-principals', 'check-novalidate', 'verify']);

export const sshKeygen: ProgramAnalyser = (args, sink) => {
  const signature = args.value('-Y');
  const isShown = signature ? CHECKS.has(literal(signature) ?? '') : args.has('-l -y -L -B -e -i -F -r');
  const isChanged = args.has('-A -H -K -M -N -R -U -c -h -k -p -t -u') || (!signature && args.has('-s -I'));
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
  sink.changes('make or change keys');
};
