// Why `undo` or `redo` was refused, if another staged command is the reason: the one that must be undone or redone first.

import type { StagedCommand } from '../../../host/stages.ts';
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

function isRelated(a: string, b: string): boolean {
  return isAtOrBelow(a, b) || isAtOrBelow(b, a);
}
