// New repositories that a command creates, for backends other than the keeper, which searches itself: checked once, after
// the command. And how they are reported.

import { diskFolders } from '../../confine/folders.ts';
import { findWithoutRepository, judgeNewRepository, type Undone } from '../../confine/new-repository.ts';
import { UNSEARCHED } from '../../confine/protected-names.ts';
import type { SandboxViolation } from '../../core/confinement.ts';
import { isInertConfig } from '../../decide/repository/inert-config.ts';

/** A partial clone contacts its remote by itself: native/git-judge.c. */
const PARTIAL = /promisor|partialclone/i;

/** Call it before the command; call the returned function after it to get what was removed. */
export function awaitRepositories(
  roots: readonly string[],
  quarantine: string,
  { mayBePartial }: { readonly mayBePartial: boolean },
): () => readonly Undone[] {
  const isInert = (config: string, git: string) =>
    isInertConfig(config, git) && (mayBePartial || !PARTIAL.test(config));
  let unmade = findWithoutRepository(roots, diskFolders);
  return () => {
    const made = unmade;
    unmade = [];
    return made.flatMap((root) => judgeNewRepository(root, { quarantine, isInert }, diskFolders));
  };
}

/** In a git folder: native/git-judge.c. */
const SETTINGS = /\.git(?:\/.*)?\/config(?:\.worktree)?$/;
/** Of git: native/judge-index.c. No other file that is removed has this name. */
const INDEX = /\/(?:index|sharedindex\.[^/]*)$/;

export function undoneBy({ path, movedTo, isLeft }: Undone): SandboxViolation {
  const what = isLeft ? 'It could not be removed' : movedTo === null ? 'It was removed' : `It was moved to ${movedTo}`;
  return {
    kind: 'protected-name',
    operation: 'create',
    target: path,
    rule: `protected: ${path}`,
    instead: `${what}, because ${reasonFor(path, isLeft === true ? 'remove' : undefined)}`,
  };
}

/** `wanted`: what the user may do with it. */
export function reasonFor(path: string, wanted?: 'remove' | 'change' | 'delete'): string {
  if (INDEX.test(path))
    return 'git cannot read it, or paths in it lead out of the work tree or into .git. Rebuild it with `git reset`.';
  const isKnownNew = !path.split('/').some((part) => UNSEARCHED.includes(part));
  const then = `Ask the user to ${wanted ?? (isKnownNew ? 'create' : 'restore')} it.`;
  if (SETTINGS.test(path))
    return `it has settings that may run programs or contact a host. For a partial clone, run \`git clone --filter\` by itself. ${then}`;
  return `it controls what runs outside of the sandbox. ${then}`;
}
