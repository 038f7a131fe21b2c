// Both runners, one contract.

import { test } from 'vitest';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import { NodeRunner } from '../../src/run/node-runner.ts';
import type { Runner, RunRequest } from '../../src/run/port.ts';
import { keeperStderr, keeperUnderTest } from './keeper-under-test.ts';
import { describeRunner } from './runner-contract.ts';

const keeper = keeperUnderTest;
// Only a program that is named by its path is started ahead.
function byPath(runner: Runner): Runner {
  const path = (program: string) => (program === 'bash' ? '/bin/bash' : program);
  return {
    start: (request: RunRequest, listener) => runner.start({ ...request, program: path(request.program) }, listener),
    guarantees: () => runner.guarantees(),
    close: () => runner.close(),
  };
}

if (keeper.isAvailable) {
  const settings = { stderr: keeperStderr } as const;
  describeRunner('keeper', () => new KeeperRunner(keeper.path, { ...settings, pool: 0 }));
  describeRunner('keeper with shells that wait', () => byPath(new KeeperRunner(keeper.path, settings)));
} else test('keeper', (context) => context.skip(keeper.reason));

const SOCKETS = 'Node makes sockets instead of pipes';
const GROUP_ONLY = 'only the process group can be ended';
const NO_LIMITS = 'Node cannot set or watch limits';
describeRunner('node', () => new NodeRunner(), {
  'merged output is in the order in which it was written': SOCKETS,
  'stdout and stderr can be opened by name': SOCKETS,
  'daemons in sessions of their own are ended with the command that left them': GROUP_ONLY,
  'daemons in sessions of their own do not survive a timeout': GROUP_ONLY,
  'processes that fork away from the hunter are caught': GROUP_ONLY,
  'process limits are in force': NO_LIMITS,
  'processor time that is used up ends the command, and says so': NO_LIMITS,
  'memory of the tree beyond its limit ends the command': NO_LIMITS,
  'more processes than the limit end the command': NO_LIMITS,
  'a processor that stays busy beyond the limit ends the command': NO_LIMITS,
  'use is measured and resource events come': NO_LIMITS,
});
