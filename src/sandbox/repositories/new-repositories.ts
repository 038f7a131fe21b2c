// New repositories that a command creates, for backends other than the keeper, which searches itself: checked once, after
// the command. And how they are reported.

import { diskFolders } from '../../confine/folders.ts';
import { findWithoutRepository, judgeNewRepository, type Undone } from '../../confine/new-repository.ts';
import type { SandboxViolation } from '../../core/confinement.ts';
import { isInertConfig } from '../../decide/repository/inert-config.ts';

/** Call it before the command; call the returned function after it to get what was removed. */
export function awaitRepositories(roots: readonly string[], quarantine: string): () => readonly Undone[] {
  let unmade = findWithoutRepository(roots, diskFolders);
  return () => {
    const made = unmade;
    unmade = [];
    return made.flatMap((root) => judgeNewRepository(root, { quarantine, isInert: isInertConfig }, diskFolders));
  };
}

/** Of git: native/judge-index.c. No other name that is removed is called so. */
const INDEX = /\/(?:index|sharedindex\.[^/]*)$/;

export function undoneBy({ path, movedTo, isLeft }: Undone): SandboxViolation {
  const what = isLeft ? 'It could not be removed' : movedTo === null ? 'It was removed' : `It was moved to ${movedTo}`;
  return {
    kind: 'protected-name',
    operation: 'create',
    target: path,
    rule: `protected: ${path}`,
    instead: INDEX.test(path)
      ? `${what}, because git cannot read it, or because paths in it lead out of the work tree or into .git. Rebuild it with \`git reset\`.`
      : `${what}, because it controls what runs outside of the sandbox. Ask the user to ${isLeft ? 'remove' : 'create'} it.`,
  };
}
