// zip: the first operand is the archive that it edits, the others are packed, and with -m deleted.

import type { WordValue } from '../../../core/facts.ts';
import { literal, type ProgramAnalyser } from '../program.ts';
import { currentFolder, renamed, startingWith, valuesOf } from '../words/file-words.ts';
import { unknownWord } from '../words/wrapper-words.ts';

export const zip: ProgramAnalyser = (args, sink) => {
  // Two-letter options count inside clusters too: `-rTT 'sh #'` runs a shell.
  if (args.words.some((word) => /^-[^-]+TT|^-TT./.test(literal(word) ?? ''))) sink.executes('shell', null);
  if (args.has('--help -h -h2 -H -? -L --license --version')) return;
  for (const log of valuesOf(args, '-lf')) sink.path('write', startingWith(log));
  const [archive, ...files] = args.operands;
  if (archive === undefined) return;
  if (args.has('-sf --show-files -su --show-unicode -sU -so --show-options -sc --show-command')) {
    sink.path('read', withSuffix(archive));
    return;
  }
  sink.path(args.has('-O --out') ? 'read' : 'edit', withSuffix(archive));
  if (args.has('-R --recurse-patterns')) sink.path('read', currentFolder(args.words), { recursive: true });
  if (args.has('-@ --names-stdin')) sink.path('read', unknownWord(archive.span, '', 'many'));
  if (args.has('-d --delete -U --copy-entries')) return;
  const recursive = args.has('-r --recurse-paths');
  for (const file of files) sink.path(args.has('-m --move') ? 'move' : 'read', file, { recursive });
};

function withSuffix(archive: WordValue): WordValue {
  return renamed(archive, (name) => (name === '-' || /[^/]\.[^/]*$/.test(name) ? name : `${name}.zip`));
}
