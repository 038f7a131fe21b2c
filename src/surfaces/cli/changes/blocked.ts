// Why `undo` or `redo` was refused, if `--force` does not help: another staged command that must be undone or redone first, or files
// that cannot be put back.

import type { StagedCommand, VerbAnswer } from '../../../host/stages.ts';
import { isAtOrBelow } from '../../../host/values.ts';

export interface Blocker {
  readonly verb: 'undo' | 'redo';
  readonly id: string;
}

/** `all` with every changed file. `conflicts` are absolute paths. */
export function findBlocker(
  verb: 'undo' | 'redo',
  stage: StagedCommand,
  conflicts: readonly string[],
  all: readonly StagedCommand[],
): Blocker | null {
  const related = all.filter(
    ({ id, files }) => id !== stage.id && files.some(({ path }) => conflicts.some((at) => isRelated(path, at))),
  );
  const byTime = (a: StagedCommand, b: StagedCommand) => b.stateAt - a.stateAt;
  // The last one first: it may block the others.
  const later = related.filter(({ state, stateAt }) => state === 'landed' && stateAt > stage.stateAt).sort(byTime)[0];
  if (later !== undefined) return { verb: 'undo', id: later.id };
  if (verb === 'undo') return null;
  const earlier = related.filter(({ state, startedAt }) => state === 'undone' && startedAt < stage.startedAt);
  const first = earlier.sort(byTime)[0];
  return first === undefined ? null : { verb: 'redo', id: first.id };
}

/** Of the first such file. */
export function explainBlocked(
  verb: string,
  id: string,
  { blocked = [] }: VerbAnswer,
  show: (path: string) => string,
): { readonly message: string; readonly hint: string } | null {
  const first = blocked[0];
  if (first === undefined) return null;
  const paths = blocked.filter(({ why }) => why === first.why).map(({ path }) => show(path));
  const files = `${paths.slice(0, 10).join(', ')}${paths.length > 10 ? ` and ${paths.length - 10} more` : ''}`;
  switch (first.why) {
    case 'protected':
      return {
        message: `Cannot ${verb} ${id}: with newer files, this would make a git repository that was not checked: ${files}.`,
        hint: 'Remove the newer files in this folder first, if you do not need them.',
      };
    case 'folder-moved':
      return {
        message: `Cannot ${verb} ${id}: the folder was moved, deleted or replaced: ${files}.`,
        hint: `Put the folder back first. The original of ${paths[0]}: ${first.keptAt}`,
      };
    case 'not-kept':
      return {
        message: `Cannot ${verb} ${id}: only a newer version was kept: ${files}.`,
        hint: `The newer version of ${paths[0]}: ${first.keptAt}`,
      };
  }
}

function isRelated(a: string, b: string): boolean {
  return isAtOrBelow(a, b) || isAtOrBelow(b, a);
}
