// Repositories that a command makes where there was none, for backends other than the keeper, which looks by itself: judged
// once, when it is over. And how that is told.

import { diskFolders } from '../../confine/folders.ts';
import { findWithoutRepository, judgeNewRepository, type Undone } from '../../confine/new-repository.ts';
import type { SandboxViolation } from '../../core/confinement.ts';
import { isInertConfig } from '../../decide/repository/inert-config.ts';

/** To be called before the command; what it gives is called after it, and gives what was taken out. */
export function awaitRepositories(roots: readonly string[], quarantine: string): () => readonly Undone[] {
  let unmade = findWithoutRepository(roots, diskFolders);
  return () => {
    const made = unmade;
    unmade = [];
    return made.flatMap((root) => judgeNewRepository(root, { quarantine, isInert: isInertConfig }, diskFolders));
  };
}

export function undoneBy({ path, movedTo, isLeft }: Undone): SandboxViolation {
  const what = isLeft
    ? 'It could not be taken away'
    : movedTo === null
      ? 'It was removed'
      : `It was moved to ${movedTo}`;
  return {
    kind: 'protected-name',
    operation: 'create',
    target: path,
    rule: `protected: ${path}`,
    instead: `${what}: it decides what runs outside of the sandbox. Ask the user to ${isLeft ? 'remove' : 'create'} it.`,
    certainty: 'seen',
  };
}
