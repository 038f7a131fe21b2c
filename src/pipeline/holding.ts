// A permission that counts on the sandbox → a launch that holds what it counts on, or the reasons to ask after all.

import type { Failure } from '../core/failure.ts';
import type { MissingReliance } from '../core/policy.ts';
import type { Permission } from '../core/running.ts';
import type { Reliance } from '../core/verdict.ts';
import { findLacking } from '../sandbox/reliance.ts';
import { type Launch, type LaunchMeans, prepareLaunch } from './launch.ts';
import type { AnalyzedCommand, RunPermission } from './permission.ts';
import type { Run } from './run.ts';
import { type Reach, signalTasks } from './signals/task-signals.ts';

/** The command did not start: its sandbox does not hold what its permission relies on. */
export class Unheld extends Error {
  readonly missing: readonly MissingReliance[];

  constructor(missing: readonly MissingReliance[]) {
    super(missing.map(({ guarantee, why }) => `${guarantee}: ${why}`).join('; '));
    this.missing = missing;
  }
}

/** Nothing, if a person has said yes: they were asked because nothing holds it, or about everything. */
export function reliesOn({ verdict, answer }: Permission): readonly Reliance[] {
  return answer === null ? verdict.reliesOn : [];
}

/** Signals to tasks are sent first, by hardshell itself: only if the rest could start. */
export async function launchHeld(
  run: Run,
  permission: RunPermission,
  { reach, ...means }: Omit<LaunchMeans, 'command'> & { readonly reach: Reach },
): Promise<Launch | { readonly failure: Failure }> {
  const { terms } = run;
  const signalled = await signalTasks(terms, permission.facts, reach, async () => {
    if (reliesOn(permission).length === 0) return;
    const trial = await prepareHeld(run, permission, { ...means, command: terms.command });
    await trial.sandbox.abandon();
  });
  return 'failure' in signalled ? signalled : prepareHeld(run, permission, { ...means, ...signalled });
}

async function prepareHeld(run: Run, permission: RunPermission, means: LaunchMeans): Promise<Launch> {
  const launch = await prepareLaunch(run, permission, means);
  const missing = findLacking(reliesOn(permission), launch.sandbox);
  if (missing.length === 0) return launch;
  await launch.sandbox.abandon();
  throw new Unheld(missing);
}

/** For the next verdict, which asks. Other errors are rethrown. */
export function withoutReliance(analyzed: AnalyzedCommand, error: unknown): AnalyzedCommand {
  if (!(error instanceof Unheld)) throw error;
  return { ...analyzed, unheld: [...(analyzed.unheld ?? []), ...error.missing] };
}
