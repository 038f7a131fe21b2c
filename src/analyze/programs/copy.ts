// cp, mv, install: the files that appear inside a destination that is certainly a folder.
// The table has already named sources and destination.

import type { WordValue } from '../../core/facts.ts';
import { entryOf, hasAny, isFolderName, mayBeSeveral, startingWith } from './file-words.ts';
import type { EffectSink, ParsedArguments, ProgramAnalyser } from './program.ts';

export const copy: ProgramAnalyser = (args, sink) => {
  if (hasAny(args, '--help --version')) return;
  const target = args.value('-t');
  const sources = target ? args.operands : args.operands.slice(0, -1);
  const destination = target ?? args.operands.at(-1);
  if (destination === undefined) return;
  const recursive = hasAny(args, '-r -R --recursive -a --archive');
  // The whole path of the source appears below the folder.
  if (args.has('--parents')) sink.path('write', destination, { recursive: true });
  else if (isFolder(args, target, sources, destination)) putInto(destination, sources, { recursive }, sink);
  if (hasAny(args, '-b --backup -S --suffix')) sink.path('write', startingWith(destination));
};

export const install: ProgramAnalyser = (args, sink) => {
  if (!hasAny(args, '-d --directory')) copy(args, sink);
};

function isFolder(
  args: ParsedArguments,
  target: WordValue | undefined,
  sources: readonly WordValue[],
  destination: WordValue,
): boolean {
  if (target) return true;
  if (hasAny(args, '-T --no-target-directory')) return false;
  return sources.length > 1 || sources.some(mayBeSeveral) || isFolderName(destination);
}

function putInto(
  folder: WordValue,
  sources: readonly WordValue[],
  options: { readonly recursive: boolean },
  sink: EffectSink,
): void {
  for (const source of sources) sink.path('write', entryOf(folder, source), options);
}
