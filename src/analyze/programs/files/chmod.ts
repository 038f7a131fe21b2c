// chmod: which operands are files, and whether a set-user-id bit grants privileges.

import { literal, type ProgramAnalyser } from '../program.ts';
import { plainName } from '../words/file-words.ts';

export const chmod: ProgramAnalyser = (args, sink) => {
  if (args.has('--help --version')) return;
  const hasMode = !args.has('--reference -r -w -x -X -s -t -u -g -o -a');
  const files = hasMode ? args.operands.slice(1) : args.operands;
  for (const file of files) sink.path('write', plainName(file), { recursive: args.has('-R --recursive') });
  if (!hasMode) return;
  const mode = literal(args.operands[0]);
  if (mode === null) sink.unknown('the mode is unknown');
  else if (setsIdentity(mode)) sink.privilege();
};

function setsIdentity(mode: string): boolean {
  if (/^[-+=]?[0-7]+$/.test(mode))
    return !mode.startsWith('-') && (Number.parseInt(mode.replace(/^[+=]/, ''), 8) & 0o6000) !== 0;
  return /[+=][^,]*s/.test(mode);
}
