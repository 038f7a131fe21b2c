// Git's operands: which are revisions and which are paths (gitrevisions(7), gitglossary(7) on pathspecs).
// If uncertain, a word is a path: naming one file too many is harmless, missing one is not.

import type { WordValue } from '../../../core/facts.ts';
import { literal, literalWord, type ParsedArguments } from '../program.ts';
import { lastSpan, unknownWord } from '../words/wrapper-words.ts';

const PSEUDO_REFS = /^(@|HEAD|FETCH_HEAD|ORIG_HEAD|MERGE_HEAD|CHERRY_PICK_HEAD|REVERT_HEAD|REBASE_HEAD|BISECT_HEAD)$/;
// `a..b`, but not `../x`: two dots next to a slash are a folder.
const RANGE = /(^|[^/.])\.{2,3}([^/.]|$)/;
const SUFFIX = /([~^]\d*|@\{[^}]*\}|\^\{[^}]*\}|\^[@!]|\^-\d*)$/;

/** A word that git is very unlikely to read as a file name. */
export function isRevision(text: string): boolean {
  if (/^(\.{0,2}\/|\.{1,2}$)/.test(text)) return false;
  if (PSEUDO_REFS.test(text) || /^[0-9a-f]{7,64}$/.test(text)) return true;
  if (/^(refs|heads|remotes|origin|upstream)\//.test(text) || text.startsWith('stash@{')) return true;
  return RANGE.test(text) || SUFFIX.test(text) || /^[^/:][^:]*:/.test(text) || /^\^[^/]/.test(text);
}

/** A word that cannot be, or almost never is, the name of a branch or tag. */
export function isShapedLikePath(text: string): boolean {
  if (isRevision(text)) return false;
  return text.startsWith('.') || text.startsWith('/') || text.endsWith('/') || /\.[A-Za-z]\w{0,5}$/.test(text);
}

/** The file or files that a pathspec matches; `null` for one that only excludes files (`:!x`). */
export function pathspec(word: WordValue): WordValue | null {
  const text = literal(word);
  if (text === null) return word;
  if (/^:([!^]|\([^)]*exclude)/.test(text)) return null;
  // `:/x` and `:(top)x` start at the root of the work tree, which is not in the words.
  if (text.startsWith(':')) return unknownWord(word.span, '', 'many');
  const glob = text.search(/[*?[]/);
  return glob < 0 ? word : { kind: 'pattern', glob: text, head: text.slice(0, glob), span: word.span };
}

export interface Separated {
  readonly before: readonly WordValue[];
  readonly after: readonly WordValue[];
  readonly separated: boolean;
}

/** Operands before and after `--`. */
export function separate(args: ParsedArguments): Separated {
  const values = new Set(args.options.map((option) => option.value));
  const at = args.words.findIndex((word) => literal(word) === '--' && !values.has(word));
  if (at < 0) return { before: args.operands, after: [], separated: false };
  const count = args.words.length - at - 1;
  const cut = Math.max(0, args.operands.length - count);
  return { before: args.operands.slice(0, cut), after: args.operands.slice(cut), separated: true };
}

/** The folder in which git works, as a word. */
export function here(args: ParsedArguments): WordValue {
  return literalWord('.', unknownWord(lastSpan(args.words), '', 'one'));
}
