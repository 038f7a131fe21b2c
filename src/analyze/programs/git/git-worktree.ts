// Git's commands that change the work tree: pathspecs → the files that are read, written and deleted.
// Does not follow the content of a branch or a stash: that stays a change without paths.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, type ParsedArguments, type PathRole, type ProgramAnalyser } from '../program.ts';
import { here, isShapedLikePath, pathspec, separate } from './git-words.ts';

const HELP = '-h --help';
const DRY = '-n --dry-run -h --help';

function report(role: PathRole, words: readonly WordValue[], sink: EffectSink): void {
  for (const word of words) {
    const path = pathspec(word);
    if (path !== null) sink.path(role, path, { recursive: true });
  }
}

/** Only exclusions means: all other files below the folder. */
function orHere(args: ParsedArguments): readonly WordValue[] {
  const named = args.operands.filter((word) => pathspec(word) !== null);
  return named.length > 0 ? named : [here(args)];
}

export const gitAdd: ProgramAnalyser = (args, sink) => {
  if (!args.has(HELP)) report('read', args.operands, sink);
};

export const gitRm: ProgramAnalyser = (args, sink) => {
  if (!args.has(`--cached ${DRY}`)) report('delete', args.operands, sink);
};

export const gitClean: ProgramAnalyser = (args, sink) => {
  if (!args.has(DRY)) report('delete', orHere(args), sink);
};

export const gitRestore: ProgramAnalyser = (args, sink) => {
  if (args.has(HELP)) return;
  if (args.has('-S --staged') && !args.has('-W --worktree')) return;
  report('write', args.operands, sink);
};

export const gitCheckout: ProgramAnalyser = (args, sink) => {
  if (args.has(HELP)) return;
  const { before, after, separated } = separate(args);
  report('write', after, sink);
  if (separated || args.has('-b -B --orphan')) return;
  // `git checkout f`, `git checkout main f g`: the first word is a branch unless it looks like a file.
  const [first, ...more] = before;
  if (first !== undefined && isShapedLikePath(literal(first) ?? '')) report('write', [first], sink);
  report('write', more, sink);
};
