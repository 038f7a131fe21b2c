// Undo, redo, apply, drop → done or refused, and recorded. The only way to them: no surface does it unrecorded.

import { HardshellError } from '../core/errors.ts';
import type { ChangesAct, ChangesActor } from '../core/staging.ts';
import { describeError } from '../core/values/error-text.ts';
import type { ChangesEntry } from '../record/entries.ts';
import { type ActProblem, explainHeld, explainRefusal, hasFiles, problem, whyNotAct } from '../stage/refusals.ts';
import { openStages, type StagedCommand, type StagedCommands } from '../stage/stages.ts';
import type { VerbAnswer } from '../stage/verbs.ts';
import { openAuditIn } from './settings-change.ts';

export interface ChangesRequest {
  readonly act: ChangesAct;
  readonly id: string;
  readonly by: ChangesActor;
  /** For `undo` and `redo`: newer files are moved away instead of refusing. */
  readonly force?: boolean;
  /** How paths are shown in messages. */
  readonly show?: (path: string) => string;
}

export type ActOutcome = (
  | { readonly kind: 'done'; readonly stage: StagedCommand; readonly aside: VerbAnswer['aside'] }
  | { readonly kind: 'refused'; readonly problem: ActProblem }
) & {
  /** Why it could not be recorded. It was done nevertheless. */
  readonly unrecorded: string | null;
};

const EVERY_FILE = { files: Number.MAX_SAFE_INTEGER };

export async function actOnChanges(request: ChangesRequest): Promise<ActOutcome> {
  const { act, id, show = (path) => path } = request;
  const stages = openStages();
  const stage = await stages.get(id);
  if (stage === null)
    return { kind: 'refused', problem: problem('no-such-changes', `No staged changes: ${id}`), unrecorded: null };
  const refuse = async (why: ActProblem): Promise<ActOutcome> => ({
    kind: 'refused',
    problem: why,
    unrecorded: await recordAct(request, stage, { outcome: 'refused', why: why.code, conflicts: why.conflicts }),
  });
  const unfit = whyNotAct(act, stage, show);
  if (unfit !== null) return refuse(unfit);
  const answer = await perform(stages, request, stage);
  if (answer.kind !== 'done') {
    const all = answer.kind === 'busy' ? [] : await stages.list(EVERY_FILE);
    return refuse(explainRefusal(act, stage, answer, { all, show }));
  }
  const now = (await stages.get(id)) ?? stage;
  if (act === 'apply' && (now.state === 'held' || !hasFiles(now))) return refuse(explainHeld(now, show));
  return {
    kind: 'done',
    stage: now,
    aside: answer.aside,
    unrecorded: await recordAct(request, now, { outcome: 'done' }),
  };
}

async function perform(stages: StagedCommands, request: ChangesRequest, stage: StagedCommand): Promise<VerbAnswer> {
  const { act, id, force } = request;
  try {
    return await stages[act](id, force === true ? { force } : {});
  } catch (error) {
    await recordAct(request, stage, { outcome: 'failed', why: errorCode(error) });
    throw error;
  }
}

function errorCode(error: unknown): string {
  return error instanceof HardshellError ? error.code : 'internal';
}

const MAX_LISTED = 200;

type Said = Pick<ChangesEntry, 'outcome'> & { readonly why?: string; readonly conflicts?: readonly string[] };

/** The reason if it could not be recorded. Nothing is recorded if the settings disable the log. */
export async function recordAct(
  { act, by, force = false }: Pick<ChangesRequest, 'act' | 'by' | 'force'>,
  stage: StagedCommand,
  { outcome, why, conflicts = [] }: Said,
): Promise<string | null> {
  const { id, session, command, cwd, state, created, changed, deleted, files, heldBack } = stage;
  const paths = (...kinds: readonly string[]) =>
    files.filter(({ change }) => kinds.includes(change)).map(({ path }) => path);
  const entry: ChangesEntry = {
    type: 'changes',
    task: id,
    session,
    user: null,
    command,
    cwd,
    act,
    by,
    force,
    outcome,
    why: why ?? null,
    state,
    created,
    changed,
    deleted,
    heldBack: heldBack.length,
    files: {
      created: paths('created'),
      changed: paths('changed', 'mode'),
      deleted: paths('deleted'),
      conflicts: conflicts.slice(0, MAX_LISTED),
      isComplete: stage.omitted === 0 && conflicts.length <= MAX_LISTED,
    },
  };
  const audit = openAuditIn(cwd);
  if (audit === null) return null;
  try {
    await audit.record(entry);
    return null;
  } catch (error) {
    return describeError(error);
  } finally {
    await audit.close();
  }
}
