// Facts → which settings of git a command changes by git itself, and whether it removes worktrees or submodules.
// Refuses to guess: if anything runs that is not known, nothing is opened, and the settings stay read-only.

import type { CommandFact, Facts } from '../../core/facts.ts';

export interface GitChanges {
  /** `remote`, `user.name`, `branch.*.merge`: sections, or keys in lower case with `*` for the subsection. */
  readonly settings: readonly string[];
  /** It deletes or moves `.git` files and the folders in `.git/worktrees`. */
  readonly movesWorktrees: boolean;
}

export const NO_GIT_CHANGES: GitChanges = { settings: [], movesWorktrees: false };

/** What each subcommand changes by itself. */
const CHANGED: ReadonlyMap<string, readonly string[]> = new Map([
  ['branch', ['branch']],
  ['checkout', ['branch']],
  ['fetch', ['branch']],
  ['mv', ['submodule']],
  ['pull', ['branch']],
  ['push', ['branch']],
  ['remote', ['remote', 'branch']],
  ['rm', ['submodule']],
  [
    'sparse-checkout',
    [
      ...['core.sparsecheckout', 'core.sparsecheckoutcone', 'core.repositoryformatversion'],
      ...['extensions.worktreeconfig', 'index.sparse'],
    ],
  ],
  ['submodule', ['submodule', 'remote', 'branch', 'core.worktree', 'core.repositoryformatversion']],
  ['switch', ['branch']],
  ['worktree', ['branch']],
]);
/** Of a partial clone, which fetches missing objects by itself: it stays only if the command says so. */
const PARTIAL = ['remote.*.promisor', 'remote.*.partialclonefilter', 'extensions.partialclone'];
const CLONING = new Set(['clone', 'submodule']);
const MOVES = new Set([
  ...['mv', 'rm', 'submodule absorbgitdirs', 'submodule deinit'],
  ...['worktree move', 'worktree prune', 'worktree remove', 'worktree repair'],
]);
/** Since git 2.46 the first word may be an action. */
const ACTIONS = new Set(['set', 'unset', 'rename-section', 'remove-section']);

/** Others do not exist in git. */
const NAME = /^[a-z][a-z0-9-]{0,31}(?:\.\*)?(?:\.[a-z][a-z0-9-]{0,63})?$/;
const MAX_NAMES = 200;

export function findGitChanges({ status, commands }: Pick<Facts, 'status' | 'commands'>): GitChanges {
  if (status !== 'understood' || !commands.every(isKnown)) return NO_GIT_CHANGES;
  const changing = commands.filter(({ name, readOnly }) => name === 'git' && !readOnly);
  return {
    settings: [...new Set(changing.flatMap(settingsOf))].filter((name) => NAME.test(name)).slice(0, MAX_NAMES),
    movesWorktrees: changing.some(({ invocation }) => MOVES.has(invocation?.path.slice(1).join(' ') ?? '')),
  };
}

export function makesPartialClone({ settings }: GitChanges): boolean {
  return PARTIAL.every((name) => settings.includes(name));
}

/** Nothing runs but this program and, for git, hooks that the user has installed. */
function isKnown({ name, elsewhere, effects }: CommandFact): boolean {
  if (elsewhere !== null || effects.unknown.length > 0) return false;
  return effects.executes.every(({ kind }) => name === 'git' && kind === 'hook');
}

function settingsOf({ invocation }: CommandFact): readonly string[] {
  const subcommand = invocation?.path[1] ?? '';
  const { operands = [], options = [] } = invocation ?? {};
  const isPartial = CLONING.has(subcommand) && options.some(({ names }) => names.includes('--filter'));
  if (subcommand !== 'config') return [...(CHANGED.get(subcommand) ?? []), ...(isPartial ? PARTIAL : [])];
  const isSection = options.some(({ names }) => names.some((name) => name.endsWith('-section')));
  const isAction = ACTIONS.has(operands[0] ?? '');
  const words = isAction ? operands.slice(1) : operands;
  if (isSection || (isAction && operands[0]?.endsWith('-section')))
    return words.flatMap((word) => word?.split('.', 1)[0]?.toLowerCase() ?? []);
  const key = words.find((word) => word !== null && !word.startsWith('-')) ?? null;
  return key === null ? [] : [plainKey(key)];
}

/** `remote.Origin.URL` → `remote.*.url`. */
function plainKey(key: string): string {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
  const plain = first === last ? key : `${key.slice(0, first)}.*${key.slice(last)}`;
  return plain.toLowerCase();
}
