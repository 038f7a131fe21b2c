// A confinement with a network of its own, for tests of what passes into it and out of it.

import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import type { ConfinementSpec } from '../../src/confine/port.ts';

export const ownNetwork: ConfinementSpec = {
  tier: 'namespaces',
  paths: [
    { kind: 'device', path: '/dev/null' },
    { kind: 'write', path: realpathSync(homedir()) },
  ],
  reads: 'all',
  network: 'own',
  unixSockets: 'pairs',
  optional: [],
};
