// ln: the names that it creates, and what they make reachable.
// The target of a symbolic link is relative to the folder of the link, not to the working folder.

import type { WordValue } from '../../../core/facts.ts';
import { literalWord, type ProgramAnalyser } from '../program.ts';
import { currentFolder, entryOf, isFolderName, mayBeSeveral, plainName, startingWith } from '../words/file-words.ts';
import { unknownWord } from '../words/wrapper-words.ts';

export const ln: ProgramAnalyser = (args, sink) => {
  if (args.has('--help --version')) return;
  const folder = args.value('-t');
  const { operands } = args;
  const [only] = operands;
  if (only === undefined) return;
  const isAlone = !folder && operands.length === 1;
  const targets = folder || isAlone ? operands : operands.slice(0, -1);
  const last = folder ?? (isAlone ? currentFolder(operands) : (operands.at(-1) as WordValue));
  const isInto =
    folder !== undefined ||
    isAlone ||
    (!args.has('-T --no-target-directory') && (targets.length > 1 || targets.some(mayBeSeveral) || isFolderName(last)));
  // Unless it is certain, the last word may be a folder, in which a link is created.
  if (!isAlone && folder === undefined) sink.path('write', plainName(last), { recursive: !isInto });
  if (args.has('-b --backup -S --suffix')) sink.path('write', startingWith(last), { recursive: true });
  const isSymbolic = args.has('-s --symbolic');
  for (const target of targets) {
    const link = isInto ? entryOf(last, target) : last;
    if (isInto) sink.path('write', link);
    const reached = isSymbolic && !args.has('-r --relative') ? fromFolderOf(link, target) : target;
    sink.path('read', plainName(reached), { recursive: isSymbolic });
  }
};

function fromFolderOf(link: WordValue, target: WordValue): WordValue {
  if (target.kind !== 'literal' || target.value.startsWith('/')) return target;
  if (link.kind !== 'literal') return unknownWord(target.span, '', 'one');
  const slash = link.value.replace(/\/+$/, '').lastIndexOf('/');
  return literalWord(slash === -1 ? target.value : link.value.slice(0, slash + 1) + target.value, target);
}
