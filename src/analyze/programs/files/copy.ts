// cp, mv, install: files created at the destination. The table has named the sources.
// A destination that may be a folder is written with everything below it; a certain folder gets named entries.

import type { WordValue } from '../../../core/facts.ts';
import type { ParsedArguments, ProgramAnalyser } from '../program.ts';
import { entryOf, isFolderName, mayBeSeveral, plainName, startingWith } from '../words/file-words.ts';

export const copy: ProgramAnalyser = (args, sink) => {
  if (args.has('--help --version')) return;
  const target = args.value('-t');
  const sources = target ? args.operands : args.operands.slice(0, -1);
  const destination = target ?? args.operands.at(-1);
  if (destination === undefined) return;
  const isNamed = isFolder(args, target, sources, destination) && !args.has('--parents');
  sink.path('write', plainName(destination), { recursive: !isNamed });
  // The copied path may be a tree itself.
  if (isNamed) for (const source of sources) sink.path('write', entryOf(destination, source), { recursive: true });
  if (args.has('-b --backup -S --suffix')) sink.path('write', startingWith(destination), { recursive: true });
};

export const install: ProgramAnalyser = (args, sink) => {
  if (!args.has('-d --directory')) copy(args, sink);
};

function isFolder(
  args: ParsedArguments,
  target: WordValue | undefined,
  sources: readonly WordValue[],
  destination: WordValue,
): boolean {
  if (target) return true;
  if (args.has('-T --no-target-directory')) return false;
  return sources.length > 1 || sources.some(mayBeSeveral) || isFolderName(destination);
}
