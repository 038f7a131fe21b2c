// What `diagnose` finds: each guarantee with the attempts against it, and the machine around it. Data only.

import type { ConfineGuarantee, SandboxName, Tier } from '../../core/confinement.ts';

/**
 * `held`: it is claimed, an attempt works without confinement, and none works inside.
 * `broken`: it is claimed, and an attempt works inside all the same.
 * `missing`: nobody claims it here; `why` says so.
 * `not-proven`: it is claimed, and no attempt works on this machine even without confinement, so none proves anything.
 */
export const GUARANTEE_VERDICTS = ['held', 'broken', 'missing', 'not-proven'] as const;
export type GuaranteeVerdict = (typeof GUARANTEE_VERDICTS)[number];

export interface AttemptFinding {
  /** "overwrite a file beside the workspace" */
  readonly tried: string;
  readonly unconfined: 'worked' | 'failed';
  /** `not-tried`: it does not work unconfined either, or the program for it cannot be had inside. */
  readonly confined: 'worked' | 'stopped' | 'not-tried';
  /** What the kernel said to the attempt that counts, as the program that tried it passed it on. */
  readonly said: string;
}

export interface GuaranteeFinding {
  readonly guarantee: ConfineGuarantee;
  /** "hidden files cannot be read" */
  readonly meaning: string;
  readonly verdict: GuaranteeVerdict;
  /** Why it is missing, broken or not proven; null when it is held. */
  readonly why: string | null;
  readonly attempts: readonly AttemptFinding[];
}

/** `weaker`: less than the best is had, as reported. `broken`: what is claimed or needed does not hold. */
export const CONCLUSIONS = ['good', 'weaker', 'broken'] as const;
export type Conclusion = (typeof CONCLUSIONS)[number];
/** `note`: worth knowing, and nothing follows from it. */
export type CheckState = Conclusion | 'note';

export const CHECK_NAMES = [
  'system',
  'node',
  'keeper',
  'tier',
  'landlock',
  'broker',
  'cgroup',
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
  /** Commands or steps, in this order; empty when nothing is to be done. */
  readonly fixes: readonly string[];
}

/**
 * What no tier holds completely: there is nothing to fix. A name that is not there yet cannot be covered; it can be made,
 * and is removed and reported when the command ends.
 */
export const BEYOND_EVERY_TIER: readonly ConfineGuarantee[] = ['protected-absent'];

export interface Diagnosis {
  readonly sandbox: SandboxName;
  readonly tier: Tier;
  /** `good` only when every guarantee that the best tier holds is held and proven, and no check is weaker. */
  readonly conclusion: Conclusion;
  readonly guarantees: readonly GuaranteeFinding[];
  readonly checks: readonly CheckFinding[];
}
