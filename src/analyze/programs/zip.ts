// zip: the first operand is the archive that it edits, the others are packed, and with -m deleted.

import type { WordValue } from '../../core/facts.ts';
import { currentFolder, hasAny, renamed, startingWith, valuesOf } from './file-words.ts';
import { literal, type ProgramAnalyser } from './program.ts';
import { unknownWord } from './wrapper-words.ts';

export const zip: ProgramAnalyser = (args, sink) => {
  // Two-letter options count inside clusters as well: `-rTT 'sh #'` runs a shell.
  if (args.words.some((word) => /^-[^-]+TT|^-TT./.test(literal(word) ?? ''))) sink.executes('shell', null);
  if (hasAny(args, '--help -h -h2 -H -? -L --license --version')) return;
  for (const log of valuesOf(args, '-lf')) sink.path('write', startingWith(log));
  const [archive, ...files] = args.operands;
  if (archive === undefined) return;
  if (hasAny(args, '-sf --show-files -su --show-unicode -sU -so --show-options -sc --show-command')) {
    sink.path('read', withSuffix(archive));
    return;
  }
  sink.path(hasAny(args, '-O --out') ? 'read' : 'edit', withSuffix(archive));
  if (hasAny(args, '-R --recurse-patterns')) sink.path('read', currentFolder(args.words), { recursive: true });
  if (hasAny(args, '-@ --names-stdin')) sink.path('read', unknownWord(archive.span, '', 'many'));
  if (hasAny(args, '-d --delete -U --copy-entries')) return;
  const recursive = hasAny(args, '-r --recurse-paths');
  for (const file of files) sink.path(hasAny(args, '-m --move') ? 'move' : 'read', file, { recursive });
};

function withSuffix(archive: WordValue): WordValue {
  return renamed(archive, (name) => (name === '-' || /[^/]\.[^/]*$/.test(name) ? name : `${name}.zip`));
}
