// The keeper as a backend: it confines by itself, so the request only describes what to do.

import type { KernelSupport } from '../kernel-support.ts';
import { type ConfinementPolicy, plan } from '../plan.ts';
import type { FolderReader } from '../reading.ts';
import type { BackendPlan, ConfineBackend } from './backend.ts';

export class KeeperBackend implements ConfineBackend {
  readonly name = 'keeper';
  readonly proxy: ConfineBackend['proxy'];
  readonly #probe: KernelSupport;
  readonly #folders: FolderReader;

  constructor(probe: KernelSupport, folders: FolderReader) {
    this.#probe = probe;
    const isReachable = probe.withoutBroker === undefined;
    this.proxy = probe.tier === 'namespaces' ? 'listener' : isReachable ? 'port' : 'none';
    this.#folders = folders;
  }

  plan(policy: ConfinementPolicy): BackendPlan {
    const planned = plan(policy, this.#probe, this.#folders);
    if (planned.kind === 'unconfined') return { ...planned, backend: 'none' };
    if (planned.kind === 'impossible') return { ...planned, backend: this.name };
    const { spec, enforcement } = planned;
    return {
      kind: 'confined',
      backend: this.name,
      enforcement,
      cannot: [],
      apply: (request) => ({ ...request, confinement: spec }),
    };
  }
}
