// flock: `flock FILE command…`, `flock FILE -c text`, `flock FD` (flock(1)).
// The lock file is created if it is missing.

import { literal, type ProgramAnalyser } from '../program.ts';
import { dashAsName, isCommandUncertain } from '../words/wrapper-words.ts';

export const flock: ProgramAnalyser = (args, sink) => {
  if (isCommandUncertain(args, 1, sink, 'flock')) return;
  const [target, ...command] = args.operands;
  if (target === undefined) return;
  if (/^\d+$/.test(literal(target) ?? '') && command.length === 0) {
    sink.changes('take a lock');
    return;
  }
  sink.path('write', dashAsName(target));
  const [first, text] = command;
  if (first === undefined) return;
  const word = literal(first);
  if (word !== '-c' && word !== '--command') sink.run(command, 'flock');
  else if (text !== undefined) sink.shell(text, 'flock -c', { shell: 'sh' });
};
