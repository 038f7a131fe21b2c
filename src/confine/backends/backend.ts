// What every backend of confining offers: a policy goes in, and out comes what a runner is given, with what it holds.
// A plan that cannot keep a policy says so; it never keeps less than it reports.

import type { Enforcement, BackendName as WantedBackend } from '../../core/confinement.ts';
import type { ConfinementPolicy } from '../plan.ts';
import type { ConfinementSpec } from '../port.ts';

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
      /** What the policy allows and this backend keeps shut all the same, as sentences; nothing is weaker for it. */
      readonly cannot: readonly string[];
      /** The same request, confined. It is made for one start: what lies on the disk is looked at here. */
      readonly apply: <T extends Launch>(request: T) => T;
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
  /** How its commands reach a proxy: by a listener that comes out of their own network, a port of the host, or not at all. */
  readonly proxy: 'listener' | 'port' | 'none';
  plan(policy: ConfinementPolicy): BackendPlan;
}

/** Whether a backend serves on this machine: found out by doing. */
export type BackendFound =
  | { readonly isAvailable: true; readonly backend: ConfineBackend }
  | { readonly isAvailable: false; readonly why: string };

/** Runs a request to its end, for probes; the text is what it wrote on stderr, or on both. */
export type TryLaunch = (request: Launch) => Promise<{ readonly exitCode: number | null; readonly text: string }>;
