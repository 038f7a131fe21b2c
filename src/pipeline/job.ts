// One request on its way through the tool, and the results of those that do not get to run.

import type { RunResult } from '../core/running.ts';
import type { Slot } from '../run/queue.ts';
import type { Authorized, Checked } from './check.ts';
import type { EventFeed } from './events/feed.ts';
import { cancelled, failureOfRefusal } from './failures.ts';
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
  /** Why there is no folder for the output. */
  readonly problem: unknown;
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

export function withEnvironment(judged: Authorized, environment: Readonly<Record<string, string>>): Authorized {
  return { ...judged, verdict: { ...judged.verdict, environment } };
}
