// Hook files of a repository → those that a git command would run. A file that is not executable counts as well:
// the probe cannot tell, and one `chmod` is all it takes.

import { posix } from 'node:path';
import type { Probe } from '../../core/probe.ts';
import type { GitFolder } from './git-folders.ts';
import type { LocatedSetting } from './git-settings.ts';

const HOOK_LIMIT_BYTES = 65_536;

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

/** Files that git-lfs installs, and what tools that manage hooks leave as samples. */
const LFS_HOOK = /^#!\/bin\/sh\n(?:command -v git-lfs [^\n]*\n)?git lfs [a-z-]+ "\$@"\n?$/;

export interface FoundHook {
  readonly name: string;
  readonly file: string;
}

export function findHooks(
  subcommand: string | undefined,
  isReadOnly: boolean,
  touchesIndex: boolean,
  folders: readonly GitFolder[],
  settings: readonly LocatedSetting[],
  { probe, home }: { readonly probe: Probe; readonly home: string | null },
): readonly FoundHook[] {
  const named =
    subcommand !== undefined && Object.hasOwn(BY_SUBCOMMAND, subcommand) ? BY_SUBCOMMAND[subcommand] : undefined;
  // Plain `git status` rewrites the index, and that runs a hook.
  const wanted = new Set(isReadOnly ? [] : (named ?? []));
  if (touchesIndex) wanted.add('post-index-change');
  if (!isReadOnly) wanted.add('reference-transaction');
  if (wanted.size === 0) return [];
  const places = settings.flatMap(({ section, subsection, name, value }) =>
    section === 'core' && subsection === null && name === 'hookspath' && value !== null
      ? [home !== null && value.startsWith('~/') ? posix.join(home, value.slice(2)) : value]
      : [],
  );
  const hookFolders = folders.flatMap(({ common, workTree }) => [
    posix.join(common, 'hooks'),
    ...places.map((place) => posix.resolve(workTree ?? common, place)),
  ]);
  return [...new Set(hookFolders)].flatMap((folder) =>
    [...wanted].flatMap((name) => {
      const file = posix.join(folder, name);
      if (probe.kind(file) === 'absent') return [];
      return LFS_HOOK.test(probe.readText(file, HOOK_LIMIT_BYTES) ?? '') ? [] : [{ name, file }];
    }),
  );
}
