// The result of `diagnose`: each guarantee with the attempts against it, and the state of the machine. Data only.

import type { ConfineGuarantee, SandboxName, Tier } from '../../core/confinement.ts';

/**
 * `held`: it is claimed, an attempt works without confinement, and none works inside.
 * `broken`: it is claimed, but an attempt works inside.
 * `missing`: it is not claimed here; see `why`.
 * `not-proven`: it is claimed, but no attempt works on this machine even without confinement, so none proves anything.
 */
export const GUARANTEE_VERDICTS = ['held', 'broken', 'missing', 'not-proven'] as const;
export type GuaranteeVerdict = (typeof GUARANTEE_VERDICTS)[number];

export interface AttemptFinding {
  /** "overwrite a file next to the workspace" */
  readonly tried: string;
  readonly unconfined: 'worked' | 'failed';
  /** `not-tried`: it does not work unconfined either, or the program for it is missing inside. */
  readonly confined: 'worked' | 'stopped' | 'not-tried';
  /** The error of the kernel for the attempt that counts, as printed by the program that tried it. */
  readonly said: string;
}

export interface GuaranteeFinding {
  readonly guarantee: ConfineGuarantee;
  /** "hidden files cannot be read" */
  readonly meaning: string;
  readonly verdict: GuaranteeVerdict;
  /** Why it is missing, broken or not proven; null if it is held. */
  readonly why: string | null;
  readonly attempts: readonly AttemptFinding[];
}

/** `weaker`: less than the best, as reported. `broken`: a claimed or required guarantee does not hold. */
export const CONCLUSIONS = ['good', 'weaker', 'broken'] as const;
export type Conclusion = (typeof CONCLUSIONS)[number];
/** `note`: information without consequences. */
export type CheckState = Conclusion | 'note';

export const CHECK_NAMES = [
  'system',
  'node',
  'keeper',
  'tier',
  'landlock',
  'broker',
  'cgroup',
  'staging',
  'shells',
  'settings',
  'code',
  'folders',
  'disk',
  'audit',
  'proxy',
] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

export interface CheckFinding {
  readonly name: CheckName;
  readonly state: CheckState;
  readonly says: string;
  /** Lines of detail: one feature, folder, file or problem each. */
  readonly details: readonly string[];
  /** Commands or steps, in this order; empty if there is nothing to do. */
  readonly fixes: readonly string[];
}

/**
 * What no tier enforces completely: there is nothing to fix. A name that does not exist cannot be mounted over; it can be
 * created, and is removed and reported when the command ends.
 */
export const BEYOND_EVERY_TIER: readonly ConfineGuarantee[] = ['protected-absent'];

export interface Diagnosis {
  readonly sandbox: SandboxName;
  readonly tier: Tier;
  /** `good` only if every guarantee of the best tier is held and proven, and no check is weaker. */
  readonly conclusion: Conclusion;
  readonly guarantees: readonly GuaranteeFinding[];
  readonly checks: readonly CheckFinding[];
}
