// What the doctor says about unix sockets, on this kernel and on one that cannot tell them apart.

import { expect, test } from 'vitest';
import { readMachine } from '../../src/confine/doctor/machine.ts';
import { findKernelSupport } from '../../src/confine/kernel-support.ts';
import { checkBroker } from '../../src/doctor/broker-check.ts';
import { attemptConfinement } from '../../src/run/confinement-attempt.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import { keeperStderr, keeperUnderTest } from '../contract/keeper-under-test.ts';

test('a kernel that cannot tell sockets apart is noted, with the module that can', async (context) => {
  if (!keeperUnderTest.isAvailable) return context.skip(keeperUnderTest.reason);
  const runner = new KeeperRunner(keeperUnderTest.path, { stderr: keeperStderr });
  try {
    const probe = await findKernelSupport(attemptConfinement(runner));
    if (probe.hasOwnSockets !== true) return context.skip('this machine cannot tell them apart');
    const { hasOwnSockets: _, ...without } = probe;
    expect(await checkBroker(readMachine(), runner, probe)).toMatchObject({ state: 'good', fixes: [] });
    expect(await checkBroker(readMachine(), runner, without)).toMatchObject({
      state: 'note',
      says: 'connects commands to listed addresses; programs have no unix sockets of their own',
      fixes: [expect.stringContaining('unix_diag')],
    });
  } finally {
    await runner.close();
  }
});
