// The sandbox is tried before the command is known; whoever needs the trial gets that one.

import { afterAll, expect, test } from 'vitest';
import { findKernelSupport } from '../../src/confine/kernel-support.ts';
import { attemptConfinement } from '../../src/run/confinement-attempt.ts';
import type { Runner, RunRequest } from '../../src/run/port.ts';
import { chooseRunner } from '../../src/run/runner.ts';
import { tryAhead } from '../../src/sandbox/trial-ahead.ts';

const { kind, runner } = chooseRunner();
const started: RunRequest[] = [];
const counted: Runner = {
  start: (request, listener) => {
    started.push(request);
    return runner.start(request, listener);
  },
  guarantees: () => runner.guarantees(),
  close: () => runner.close(),
};
afterAll(() => runner.close());

test.skipIf(kind !== 'keeper')('one trial for both, a command of its own for everybody else', async () => {
  const ahead = tryAhead(counted);
  expect(started.map(({ argv }) => argv)).toEqual([['true']]);
  const probe = await findKernelSupport(attemptConfinement(ahead));
  const trials = started.length;
  expect(probe).toEqual(await findKernelSupport(attemptConfinement(runner)));
  expect(await findKernelSupport(attemptConfinement(ahead))).toEqual(probe);
  expect(started.length).toBe(trials);
  // The same request with a listener, or another one, is not the trial.
  const [trial] = started as [RunRequest];
  await ahead.start(trial, () => {}).done;
  await ahead.start({ ...trial, env: {}, program: '/bin/true' }).done;
  expect(started.length).toBe(trials + 2);
});
