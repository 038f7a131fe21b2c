// The keeper as a backend: it confines by itself, so the request only describes what to do.

import type { KernelSupport } from '../kernel-support.ts';
import type { ConfinementPlan, ConfinementPolicy } from '../plan.ts';
import type { FolderReader } from '../reading.ts';
import { rememberPlans } from '../remembered-plans.ts';
import type { BackendPlan, ConfineBackend } from './backend.ts';

export class KeeperBackend implements ConfineBackend {
  readonly name = 'keeper';
  readonly proxy: ConfineBackend['proxy'];
  readonly #plan: (policy: ConfinementPolicy) => ConfinementPlan;

  constructor(probe: KernelSupport, folders: FolderReader) {
    const isReachable = probe.withoutBroker === undefined;
    this.proxy = probe.tier === 'namespaces' ? 'listener' : isReachable ? 'port' : 'none';
    this.#plan = rememberPlans(probe, folders);
  }

  plan(policy: ConfinementPolicy): BackendPlan {
    const planned = this.#plan(policy);
    if (planned.kind === 'unconfined') return { ...planned, backend: 'none' };
    if (planned.kind === 'impossible') return { ...planned, backend: this.name };
    const { spec, enforcement, staged } = planned;
    return {
      kind: 'confined',
      backend: this.name,
      enforcement,
      cannot: [],
      ...(staged !== null && { staged }),
      apply: (request) => ({ ...request, confinement: spec }),
    };
  }
}
