// The runner contract applies inside a confinement as well: an init in between must not be noticeable.

import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { Runner } from '../../src/run/port.ts';
import { keeperStderr, keeperUnderTest } from './keeper-under-test.ts';
import { describeRunner } from './runner-contract.ts';

const keeper = keeperUnderTest;
const base = {
  paths: [
    { kind: 'write', path: realpathSync(tmpdir()) },
    { kind: 'write', path: '/dev/shm' },
    ...['/dev/null', '/dev/zero', '/dev/urandom'].map((path) => ({ kind: 'device', path }) as const),
  ],
  reads: 'all',
  network: 'host',
  unixSockets: 'any',
  optional: [],
} as const;

// Only a program that is named by its path is started ahead.
function byPath(runner: Runner): Runner {
  const path = (program: string) => (program === 'bash' ? '/bin/bash' : program);
  return {
    start: (request, listener) => runner.start({ ...request, program: path(request.program) }, listener),
    guarantees: () => runner.guarantees(),
    close: () => runner.close(),
  };
}

function confine(runner: Runner, confinement: ConfinementSpec): Runner {
  return {
    start: (request, listener) => runner.start({ ...request, confinement }, listener),
    guarantees: () => runner.guarantees(),
    close: () => runner.close(),
  };
}

// Several commands in the namespaces of one room, started by its first process.
function inRoom(runner: Runner, world: string): Runner {
  return {
    start: (request, listener) => runner.start({ ...request, world, room: 'the same rights' }, listener),
    guarantees: () => runner.guarantees(),
    close: () => runner.close(),
  };
}

if (keeper.isAvailable) {
  const world = join(mkdtempSync(join(realpathSync(tmpdir()), 'hardshell-world-')), 'world.sock');
  const spec = { ...base, tier: 'namespaces', network: 'own', isShared: true } as const;
  const make = () => inRoom(confine(new KeeperRunner(keeper.path, { stderr: keeperStderr }), spec), world);
  describeRunner('keeper, in a room', make);
  describeRunner('keeper with shells that wait, in a room', () => byPath(make()));
}

for (const tier of ['namespaces', 'landlock'] as const)
  if (keeper.isAvailable) {
    const make = () => confine(new KeeperRunner(keeper.path, { stderr: keeperStderr }), { ...base, tier });
    describeRunner(`keeper, confined by ${tier}`, make);
    describeRunner(`keeper with shells that wait, confined by ${tier}`, () => byPath(make()));
  } else test(`keeper, confined by ${tier}`, (context) => context.skip(keeper.reason));
