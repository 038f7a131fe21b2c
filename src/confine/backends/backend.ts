// The interface of all confinement backends: a policy → a request for a runner, and the guarantees that it provides.
// A plan that cannot satisfy a policy reports that; it never provides less than it reports.

import type { Enforcement, BackendName as WantedBackend } from '../../core/confinement.ts';
import type { ConfinementPolicy } from '../plan.ts';
import type { ConfinementSpec } from '../port.ts';
import type { StagedRoots } from '../staged-roots.ts';

export type BackendName = Exclude<WantedBackend, 'auto' | 'landlock'>;

/** The part of a run request that a backend changes. */
export interface Launch {
  readonly program: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly confinement?: ConfinementSpec;
}

export type BackendPlan =
  | {
      readonly kind: 'confined';
      readonly backend: BackendName;
      readonly enforcement: Enforcement;
      /** Allowed by the policy but not possible with this backend, as sentences; this weakens no guarantee. */
      readonly cannot: readonly string[];
      /** The same request, confined. Made for one start: the disk is read here. */
      readonly apply: <T extends Launch>(request: T) => T;
      /** Absent if changes are made directly. */
      readonly staged?: StagedRoots;
    }
  | { readonly kind: 'unconfined'; readonly backend: 'none'; readonly enforcement: Enforcement }
  | {
      readonly kind: 'impossible';
      readonly backend: BackendName | 'none';
      readonly why: string;
      readonly enforcement: Enforcement;
    };

export interface ConfineBackend {
  readonly name: BackendName;
  /** How its commands reach a proxy: through a listener in their own network, a port of the host, or not. */
  readonly proxy: 'listener' | 'port' | 'none';
  plan(policy: ConfinementPolicy): BackendPlan;
}

/** Whether a backend works on this machine: determined by trying it. */
export type BackendAvailability =
  | { readonly isAvailable: true; readonly backend: ConfineBackend }
  /** `dependency`: the part of hardshell that is not installed. */
  | { readonly isAvailable: false; readonly why: string; readonly dependency?: string };

/** Runs a request to its end, for probes; the text is its stderr, or both streams. */
export type TryLaunch = (request: Launch) => Promise<{ readonly exitCode: number | null; readonly text: string }>;
