// One request on its way through the tool, and the results of those that do not get to run.

import { createFailure } from '../core/failure.ts';
import type { RunResult } from '../core/running.ts';
import type { RunQueue, Slot } from '../run/queue.ts';
import { createTaskId } from '../tasks/names.ts';
import type { Authorized, Checked } from './check.ts';
import type { EventFeed } from './events/feed.ts';
import { ObservedRun, Unrecorded } from './events/observed-run.ts';
import { cancelled, failureOfRefusal, messageOf } from './failures.ts';
import { hearRules, look, type Permitted, permit, type Question, timedLook } from './permission.ts';
import { emptyResult, type Run } from './result.ts';

export type RunMode = 'foreground' | 'background';

/** A free place among what runs, or the answer to a request that gets none. */
export type Turn = { readonly slot: Slot | null; readonly hasWaited: boolean } | { readonly result: RunResult };

export interface Job {
  /** As the caller wrote it; in argv mode the program. */
  readonly command: string;
  readonly run: Run;
  readonly mode: RunMode;
  readonly feed: EventFeed;
  readonly observed: ObservedRun;
  /** Why there is no folder for the output. */
  readonly problem: unknown;
}

type Observable = Pick<Run, 'options' | 'setup'> & { readonly fields: Pick<Run['fields'], 'id' | 'command' | 'cwd'> };

export function observe({ fields, options, setup }: Observable, mode: RunMode, feed: EventFeed | null): ObservedRun {
  const { args = null, shell = null, session = null, user = null, profile = null } = options;
  const { id: task, command, cwd } = fields;
  const said = options.description === undefined ? {} : { description: options.description };
  const isBackground = mode === 'background';
  const request = { task, command, args, shell, cwd, session, user, profile, isBackground, ...said };
  const complain = (error: unknown) =>
    void feed?.emit({ type: 'error', message: `It could not be recorded: ${messageOf(error)}.`, violation: null });
  return new ObservedRun(setup.observers ?? [], request, complain);
}

/** What is only asked about: judged and answered before everybody who watches. What cannot be recorded is thrown. */
export async function permitObserved(
  question: Question,
  { text, options, setup }: Pick<Run, 'options' | 'setup'> & { readonly text: string },
): Promise<Authorized> {
  const fields = { id: createTaskId(null, 'permit'), command: text, cwd: options.cwd };
  const observed = observe({ fields, options, setup }, 'foreground', null);
  try {
    const heard = await hearRules(question);
    const looked = timedLook(heard);
    await observed.verdict(looked);
    const { named: _, ...judged } = await permit(heard, looked, () => {});
    await observed.answer(judged.answer);
    return judged;
  } catch (error) {
    throw error instanceof Unrecorded ? error.cause : error;
  }
}

/** A request that cannot be recorded does not run; whatever else was thrown is not ours. */
export function unrecorded({ run }: Job, error: unknown): RunResult {
  if (!(error instanceof Unrecorded)) throw error;
  const failure = createFailure('system_error', { reason: `it could not be recorded (${error.message})` });
  return { ...emptyOf(run, look(run.question)), failure };
}

export function roomForTask(
  { run }: Job,
  judged: Authorized,
  { running, most }: { readonly running: number; readonly most: number },
): Turn {
  if (running < most) return { slot: null, hasWaited: false };
  const message = `${running} tasks are running already, which is the limit.`;
  return refuse(run, judged, message);
}

function refuse(run: Run, judged: Authorized, message: string): Turn {
  const failure = { ...createFailure('insufficient_resources'), message };
  return { result: { ...emptyResult(run.fields, judged), failure } };
}

export async function waitForTurn(queue: RunQueue, { run, feed }: Job, judged: Authorized): Promise<Turn> {
  const { session = '', signal } = run.options;
  try {
    const turn = queue.acquire({
      session,
      isReadOnly: judged.facts.readOnly,
      ...(signal === undefined ? {} : { signal }),
    });
    let hasCome = false;
    const come = () => {
      hasCome = true;
    };
    turn.then(come, come);
    // A slot that is free is given at once; `come` was put into the line before what follows here.
    await null;
    const hasWaited = !hasCome;
    if (hasWaited) feed.emit({ type: 'status', status: 'waiting', pid: null });
    return { slot: await turn, hasWaited };
  } catch (error) {
    if (signal?.aborted) return { result: { ...emptyResult(run.fields, judged), ...cancelledBefore() } };
    return refuse(run, judged, messageOf(error));
  }
}

export function tellWithheld(names: readonly string[], feed: EventFeed): void {
  if (names.length === 0) return;
  const message = `The command does not get these variables, by which something else could run: ${names.join(', ')}.`;
  feed.emit({ type: 'error', message, violation: null });
}

export function emptyOf(run: Run, looked: Checked): RunResult {
  return emptyResult(run.fields, { ...looked, answer: null });
}

export function cancelledBefore(): Pick<RunResult, 'status' | 'failure'> {
  const { status, failure } = cancelled('The caller cancelled the command before it began.');
  return { status, failure };
}

export function refusalOf(run: Run, judged: Authorized): RunResult | null {
  const { isAllowed, answer, verdict, facts } = judged;
  if (run.options.signal?.aborted || answer?.by === 'cancelled')
    return { ...emptyResult(run.fields, judged), ...cancelledBefore() };
  if (isAllowed) return null;
  const failure = failureOfRefusal(verdict, answer, facts.display);
  return { ...emptyResult(run.fields, judged), status: 'denied', failure };
}

export function withEnvironment(judged: Permitted, environment: Readonly<Record<string, string>>): Permitted {
  return { ...judged, verdict: { ...judged.verdict, environment } };
}
