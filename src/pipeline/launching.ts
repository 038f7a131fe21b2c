// A permitted command → its sandbox, and what the runner is asked for.
// Of a command that cannot be launched nothing is left behind.

import { type Job, tellWithheld } from './job.ts';
import { buildLaunch, type Launch } from './launch.ts';
import type { Permitted } from './permission.ts';
import type { Backends } from './sandbox/backends.ts';
import { enclose } from './sandbox/enclosure.ts';

export interface Prepared {
  readonly launch: Launch;
  /** How long making its sandbox took. */
  readonly enclosureMs: number;
}

export async function prepareLaunch(
  { command, run, mode, feed, observed }: Job,
  judged: Permitted,
  means: { readonly backends: Backends; readonly canDetach: boolean },
): Promise<Prepared> {
  const { facts, verdict } = judged;
  const isBackground = mode === 'background';
  const began = performance.now();
  const enclosure = await enclose({
    run,
    judged,
    backends: means.backends,
    onOperation: (operation) => observed.operation(operation),
    onViolation: (violation) => {
      observed.violation(violation);
      feed.emit({ type: 'violation', ...violation });
    },
  });
  const enclosureMs = performance.now() - began;
  const { options, question, setup, fields, files } = run;
  const inputs = { command, options, question, facts, verdict, setup, fields, files, isBackground, enclosure };
  try {
    const isPaced = feed.isHeard && !isBackground;
    const launch = buildLaunch({ ...inputs, canDetach: means.canDetach, isPaced });
    tellWithheld(launch.withheld, feed);
    return { launch, enclosureMs };
  } catch (error) {
    // Its proxy listens already, and ports are claimed for it.
    await enclosure.close();
    throw error;
  }
}
