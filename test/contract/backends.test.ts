// The contract of running holds through bubblewrap, for every runner. What cannot be kept has its reason.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, test } from 'vitest';
import { tryLaunch } from '../../src/confine/backends/attempt.ts';
import type { BackendPlan } from '../../src/confine/backends/backend.ts';
import { findBubblewrap } from '../../src/confine/backends/bubblewrap.ts';
import { diskFolders } from '../../src/confine/folders.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import { NodeRunner } from '../../src/run/node-runner.ts';
import type { Runner } from '../../src/run/port.ts';
import { keeperStderr, keeperUnderTest } from './keeper-under-test.ts';
import { describeRunner } from './runner-contract.ts';

// Beside the temporary folder, which the commands of the contract write into.
const privateFolder = mkdtempSync(join('/var/tmp', 'hardshell-filters-'));
afterAll(() => rmSync(privateFolder, { recursive: true, force: true }));

async function planFor(endsTree: boolean): Promise<BackendPlan | string> {
  const found = await findBubblewrap({ folders: diskFolders, privateFolder, endsTree }, tryLaunch);
  if (!found.isAvailable) return found.why;
  const writable = [realpathSync(tmpdir())];
  return found.backend.plan({ name: 'workspace', writable, network: 'host', unixSockets: 'any' });
}

function through(planned: Extract<BackendPlan, { kind: 'confined' }>, runner: Runner): Runner {
  return {
    start: (request, listener) => runner.start(planned.apply(request), listener),
    guarantees: () => runner.guarantees(),
    close: () => runner.close(),
  };
}

const AS_CODE = 'bwrap tells a signal as an exit code';
const NO_SIGNALS = 'bwrap ends by a signal and passes none on';
const COUNTED = 'the first process of the namespace is counted too; test/attacks/bubblewrap.test.ts looks at the rest';
const AT_ONCE = 'bwrap ends everything with the command, for runners that cannot';
const SOCKETS = 'Node makes sockets instead of pipes';
const NO_LIMITS = 'Node cannot set or watch limits';
const UNCOUNTED = 'bwrap does not wait for its first process, so the kernel adds nothing up';
const EVERYWHERE = {
  'a command that ends by a signal says which': AS_CODE,
  'a program or folder that is missing is an error that names it': 'bwrap says so on stderr, with exit code 1 or 127',
  'a signal reaches the command, which may handle it': NO_SIGNALS,
  'use is measured and resource events come':
    'bwrap does not wait for its first process, so the kernel does not add up',
};
const CANNOT = {
  keeper: {
    ...EVERYWHERE,
    'a processor that stays busy beyond the limit ends the command': UNCOUNTED,
    'a timeout ends the whole tree, not only the leader, and keeps the output so far': AS_CODE,
    'daemons in sessions of their own are ended with the command that left them': COUNTED,
    'a grandchild that holds the output open does not hold the result': COUNTED,
    'with `leave` the result comes at once and the rest goes on': COUNTED,
  },
  node: {
    ...EVERYWHERE,
    'merged output is in the order in which it was written': SOCKETS,
    'stdout and stderr can be opened by name': SOCKETS,
    'what ignores SIGTERM gets SIGKILL after the grace period': NO_SIGNALS,
    'daemons in sessions of their own are ended with the command that left them': AT_ONCE,
    'a grandchild that holds the output open does not hold the result': AT_ONCE,
    'what the command leaves may finish its work within the linger time': AT_ONCE,
    'with `wait` the result comes when everything has ended': AT_ONCE,
    'with `leave` the result comes at once and the rest goes on': AT_ONCE,
    'process limits are in force': NO_LIMITS,
    'processor time that is used up ends the command, and says so': NO_LIMITS,
    'memory of the tree beyond its limit ends the command': NO_LIMITS,
    'more processes than the limit end the command': NO_LIMITS,
    'a processor that stays busy beyond the limit ends the command': NO_LIMITS,
  },
};

const keeper = keeperUnderTest;
for (const name of ['keeper', 'node'] as const) {
  const title = `${name}, through bubblewrap`;
  const planned = await planFor(name === 'keeper');
  if (typeof planned === 'string') test(title, (context) => context.skip(planned));
  else if (name === 'keeper' && !keeper.isAvailable) test(title, (context) => context.skip(keeper.reason));
  else if (planned.kind !== 'confined') throw new Error(planned.kind);
  else {
    const make = () =>
      keeper.isAvailable && name === 'keeper'
        ? new KeeperRunner(keeper.path, { stderr: keeperStderr })
        : new NodeRunner();
    describeRunner(title, () => through(planned, make()), CANNOT[name]);
  }
}
