// Why changes cannot be undone, redone, applied or dropped, and what can be done instead: the same words on every surface.

import type { ChangesAct, HeldBack } from '../core/staging.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import type { StagedCommand } from './stages.ts';
import type { VerbAnswer } from './verbs.ts';

export interface ActProblem {
  readonly code: 'no-such-changes' | 'busy' | 'wrong-state' | 'conflict' | 'held-back';
  readonly message: string;
  /** What a person can do; `null` if `next` says it all, or if there is nothing. */
  readonly hint: string | null;
  /** What would help, or do instead. */
  readonly next: NextAct | null;
  /** Files that were changed since, absolute. */
  readonly conflicts: readonly string[];
}

export interface NextAct {
  readonly act: ChangesAct;
  readonly id: string;
  readonly force: boolean;
}

/** A path as it is shown. */
export type ShowPath = (path: string) => string;

const MAX_NAMED = 10;

/** Without any, all that it changed was held back. */
export function hasFiles({
  created,
  changed,
  deleted,
  folders,
}: Pick<StagedCommand, 'created' | 'changed' | 'deleted' | 'folders'>): boolean {
  return created + changed + deleted + folders > 0;
}

/** What each can be used on without an id. */
export const FITS: Readonly<Record<ChangesAct, (stage: StagedCommand) => boolean>> = {
  undo: (stage) => stage.state === 'landed' && hasFiles(stage),
  redo: (stage) => stage.state === 'undone' && hasFiles(stage),
  apply: (stage) => stage.state === 'held' && hasFiles(stage),
  drop: (stage) => stage.state === 'held',
};

/** For changes that were named: their state may not fit. */
export function whyNotAct(act: ChangesAct, stage: StagedCommand, show: ShowPath): ActProblem | null {
  const { id, state, isBusy, heldBack } = stage;
  if (isBusy) return busy(id);
  if (FITS[act](stage) || (act === 'drop' && (state === 'landed' || state === 'undone'))) return null;
  const isOnlyHeld = !hasFiles(stage) && heldBack.length > 0;
  if (isOnlyHeld || (act === 'apply' && state === 'landed' && heldBack.length > 0)) return explainHeld(stage, show);
  return problem('wrong-state', `Cannot ${act} ${id}: its changes are ${state}.`, { next: nextStep(stage) });
}

function nextStep({ id, state }: StagedCommand): NextAct | null {
  const act = ({ held: 'apply', landed: 'undo', undone: 'redo' } as const)[state as string];
  return act === undefined ? null : { act, id, force: false };
}

function busy(id: string): ActProblem {
  return problem('busy', `Another process works on ${id}, or the command still runs.`, { hint: 'Try again later.' });
}

/** `all` with every changed file. */
export function explainRefusal(
  act: ChangesAct,
  stage: StagedCommand,
  answer: VerbAnswer,
  { all, show }: { readonly all: readonly StagedCommand[]; readonly show: ShowPath },
): ActProblem {
  const { kind, conflicts } = answer;
  const { id } = stage;
  if (kind === 'busy') return busy(id);
  const files = named(conflicts.map(show));
  const blocker = act === 'undo' || act === 'redo' ? findBlocker(act, stage, conflicts, all) : null;
  if (blocker !== null)
    return problem('conflict', `Cannot ${act} ${id}: another command changed the same files: ${files}.`, {
      next: blocker,
      conflicts,
    });
  const blocked = explainBlocked(act, id, answer, show);
  if (blocked !== null) return problem('conflict', blocked.message, { hint: blocked.hint, conflicts });
  const next = { act, id, force: true };
  return problem('conflict', `Cannot ${act} ${id}: changed since then: ${files}.`, { next, conflicts });
}

/** Only what the sandbox does not allow is left. */
export function explainHeld(stage: StagedCommand, show: ShowPath): ActProblem {
  const held = describeHeldBack(stage, show);
  return problem('held-back', `Nothing else of ${stage.id} can be applied: ${held.join('; ')}.`, {
    hint: `Make these changes yourself; they are shown by: hardshell changes --held ${stage.id}`,
  });
}

const MAX_HELD = 20;

const WHY: Readonly<Record<HeldBack['why'], string>> = {
  protected: 'it controls what runs outside of the sandbox',
  conflict: 'it was changed outside while the command ran',
  hidden: 'it is hidden from commands',
  link: 'programs outside of the sandbox would follow the link',
  failed: 'it could not be applied',
};

/** Each with the reason. */
export function describeHeldBack({ heldBack }: Pick<StagedCommand, 'heldBack'>, show: ShowPath): string[] {
  const lines = heldBack.slice(0, MAX_HELD).map(({ path, why, detail }) => {
    const said = detail === '' ? WHY[why] : `${WHY[why]} (${detail})`;
    return `${show(path)}: ${said}`;
  });
  const left = heldBack.length - lines.length;
  return [...lines, ...(left > 0 ? [`and ${left} more`] : [])];
}

/** Another staged command that must be undone or redone first. */
function findBlocker(
  act: 'undo' | 'redo',
  stage: StagedCommand,
  conflicts: readonly string[],
  all: readonly StagedCommand[],
): NextAct | null {
  const related = all.filter(
    ({ id, files }) => id !== stage.id && files.some(({ path }) => conflicts.some((at) => isRelated(path, at))),
  );
  const byTime = (a: StagedCommand, b: StagedCommand) => b.stateAt - a.stateAt;
  // The last one first: it may block the others.
  const later = related.filter(({ state, stateAt }) => state === 'landed' && stateAt > stage.stateAt).sort(byTime)[0];
  if (later !== undefined) return { act: 'undo', id: later.id, force: false };
  if (act === 'undo') return null;
  const earlier = related.filter(({ state, startedAt }) => state === 'undone' && startedAt < stage.startedAt);
  const first = earlier.sort(byTime)[0];
  return first === undefined ? null : { act: 'redo', id: first.id, force: false };
}

/** What force does not resolve. Of the first such file. */
function explainBlocked(
  act: string,
  id: string,
  { blocked = [] }: VerbAnswer,
  show: ShowPath,
): { readonly message: string; readonly hint: string } | null {
  const first = blocked[0];
  if (first === undefined) return null;
  const paths = blocked.filter(({ why }) => why === first.why).map(({ path }) => show(path));
  const files = named(paths);
  switch (first.why) {
    case 'protected':
      return {
        message: `Cannot ${act} ${id}: with newer files, this would make a git repository that was not checked: ${files}.`,
        hint: 'Remove the newer files in this folder first, if you do not need them.',
      };
    case 'folder-moved':
      return {
        message: `Cannot ${act} ${id}: the folder was moved, deleted or replaced: ${files}.`,
        hint: `Put the folder back first. The original of ${paths[0]}: ${first.keptAt}`,
      };
    case 'not-kept':
      return {
        message: `Cannot ${act} ${id}: only a newer version was kept: ${files}.`,
        hint: `The newer version of ${paths[0]}: ${first.keptAt}`,
      };
  }
}

export function problem(
  code: ActProblem['code'],
  message: string,
  rest: Partial<Pick<ActProblem, 'hint' | 'next' | 'conflicts'>> = {},
): ActProblem {
  return { code, message, hint: null, next: null, conflicts: [], ...rest };
}

function named(paths: readonly string[]): string {
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  return `${paths.slice(0, MAX_NAMED).join(', ')}${more}`;
}

function isRelated(a: string, b: string): boolean {
  return isAtOrBelow(a, b) || isAtOrBelow(b, a);
}
