// ar: the first word is the operation, the next one the archive. Listing and printing only read it.

import { literal, type ProgramAnalyser } from '../program.ts';
import { currentFolder } from '../words/file-words.ts';
import { mayStartWith } from '../words/wrapper-words.ts';

export const ar: ProgramAnalyser = (args, sink) => {
  const [first, ...rest] = args.words;
  const operation = literal(first)?.replace(/^-/, '') ?? '';
  if (operation === '-help' || operation === '-version' || operation === 'V') return;
  // Long options and `@file` can load plugins; positions and counts shift the archive operand.
  const isPlain = args.words
    .slice(1)
    .every((word) => !mayStartWith(word, '-@') && !(word.kind === 'dynamic' && word.many));
  if (!isPlain || !/^[dmpqrstx][cDflNoOPsSTuUvV]*$/.test(operation)) {
    sink.unknown('ar: words that cannot be parsed');
    return;
  }
  const [archive, ...members] = /[N]/.test(operation) ? rest.slice(1) : rest;
  if (archive === undefined) return;
  const isRead = /^[tpx]/.test(operation) && !operation.includes('s');
  sink.path(isRead ? 'read' : 'edit', archive);
  if (/^[rq]/.test(operation)) for (const member of members) sink.path('read', member);
  if (!operation.startsWith('x')) return;
  if (members.length === 0) sink.path('write', currentFolder(args.words), { recursive: true });
  for (const member of members) sink.path('write', member);
};
