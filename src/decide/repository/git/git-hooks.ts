// Hook files of a repository → those that a git command would run. A file that is not executable counts too:
// the probe cannot tell, and one `chmod` would be enough.

import { posix } from 'node:path';
import type { Probe } from '../../../core/probe.ts';
import type { GitFolder } from './git-folders.ts';
import type { Repositories } from './git-repositories.ts';
import { type LocatedSetting, resolvePathSetting } from './git-settings.ts';

const HOOK_LIMIT_BYTES = 65_536;
const MAX_HOOKS_PATHS = 16;

const BY_SUBCOMMAND: Readonly<Record<string, readonly string[]>> = {
  commit: ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'post-rewrite', 'post-index-change'],
  push: ['pre-push'],
  checkout: ['post-checkout', 'post-index-change'],
  switch: ['post-checkout', 'post-index-change'],
  worktree: ['post-checkout'],
  merge: ['pre-merge-commit', 'prepare-commit-msg', 'commit-msg', 'post-merge', 'post-index-change'],
  pull: [
    'pre-merge-commit',
    'prepare-commit-msg',
    'commit-msg',
    'post-merge',
    'pre-rebase',
    'post-rewrite',
    'post-checkout',
  ],
  rebase: [
    'pre-rebase',
    'post-rewrite',
    'post-checkout',
    'pre-commit',
    'prepare-commit-msg',
    'commit-msg',
    'post-commit',
  ],
  am: ['applypatch-msg', 'pre-applypatch', 'post-applypatch', 'post-rewrite'],
  'cherry-pick': ['prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-commit'],
  revert: ['prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-commit'],
  gc: ['pre-auto-gc'],
  'send-email': ['sendemail-validate'],
};

/** Files that git-lfs installs, and samples of hook managers. */
const LFS_HOOK = /^#!\/bin\/sh\n(?:command -v git-lfs [^\n]*\n)?git lfs [a-z-]+ "\$@"\n?$/;

export interface GitHook {
  /** `null`: any, because their folder is unknown. */
  readonly name: string | null;
  readonly file: string;
}

export interface HookUse {
  readonly subcommand: string | undefined;
  readonly isReadOnly: boolean;
  readonly touchesIndex: boolean;
}

/** Git runs `git status` in submodules, which may write their index too. */
const ON_INDEX = 'post-index-change';

export function findHooks(
  use: HookUse,
  folders: readonly GitFolder[],
  { submodules, settings, roots }: Repositories,
  { probe, home }: { readonly probe: Probe; readonly home: string | null },
): readonly GitHook[] {
  const wanted = hooksOf(use);
  if (wanted.size === 0) return [];
  const inSubmodules = wanted.has(ON_INDEX) ? submodules : [];
  const unresolved: GitHook[] = [];
  const hookFolders = new Set(folders.map(({ common }) => posix.join(common, 'hooks')));
  const values = [...new Set(settings.filter(isHooksPath).map(({ value }) => value ?? ''))];
  for (const [i, value] of values.entries()) {
    const resolved = roots.map((root) => resolvePathSetting(value, root, home));
    if (i >= MAX_HOOKS_PATHS || resolved.includes(null)) unresolved.push({ name: null, file: value });
    else for (const place of resolved) hookFolders.add(place as string);
  }
  const places = [
    ...[...hookFolders].flatMap((folder) => [...wanted].map((name) => [folder, name] as const)),
    ...inSubmodules.map(({ common }) => [posix.join(common, 'hooks'), ON_INDEX] as const),
  ];
  const found = places.flatMap(([folder, name]) => {
    const file = posix.join(folder, name);
    if (probe.kind(file) === 'absent') return [];
    return LFS_HOOK.test(probe.readText(file, HOOK_LIMIT_BYTES) ?? '') ? [] : [{ name, file }];
  });
  return [...unresolved, ...found];
}

function hooksOf({ subcommand, isReadOnly, touchesIndex }: HookUse): ReadonlySet<string> {
  const named =
    subcommand !== undefined && Object.hasOwn(BY_SUBCOMMAND, subcommand) ? BY_SUBCOMMAND[subcommand] : undefined;
  const wanted = new Set(isReadOnly ? [] : (named ?? []));
  // Plain `git status` rewrites the index, which runs a hook.
  if (touchesIndex) wanted.add(ON_INDEX);
  if (!isReadOnly) wanted.add('reference-transaction');
  return wanted;
}

function isHooksPath({ section, subsection, name, value }: LocatedSetting): boolean {
  return section === 'core' && subsection === null && name === 'hookspath' && value !== null;
}
