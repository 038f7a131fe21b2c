// The result of a learning run: what the command needs beyond the settings, as settings, and what is never granted.

import type { Settings } from '../config/settings.ts';
import type { Answer } from '../core/approval.ts';
import type { Enforcement } from '../core/confinement.ts';
import type { Facts } from '../core/facts.ts';
import type { RunResult } from '../core/running.ts';
import type { Verdict } from '../core/verdict.ts';

export type Need =
  /** A folder, or a file that exists. `uses`: some of the paths that the command tried to change there. */
  | { readonly kind: 'write'; readonly path: string; readonly uses: readonly string[] }
  /** As in `domains.allow`: a host, with its port unless that is 80 or 443. */
  | { readonly kind: 'domain'; readonly host: string }
  /** On this machine's loopback. */
  | { readonly kind: 'port'; readonly port: number }
  /** On which it wants to be reachable. */
  | { readonly kind: 'publish'; readonly port: number }
  | { readonly kind: 'socket'; readonly path: string };

/** Something that it tried to access and that learning never grants. */
export interface Excess {
  readonly operation: 'write' | 'read' | 'connect';
  readonly target: string;
  /** A sentence: why not, and what to do. */
  readonly why: string;
}

export const LEARN_ENDS = [
  /** The last run needed nothing beyond what it had: the listed needs were enough. */
  'settled',
  /** It needed more than it had, and was not run again: further needs are not known. */
  'more-wanted',
  /** After a run the verdict of the command changed, so that the approval no longer applied to it. */
  'judged-differently',
  'cancelled',
  /** It could not be run; `result.failure` says why. */
  'failed',
  /** Nothing ran, and nothing is known. */
  'denied',
] as const;
export type LearnEnd = (typeof LEARN_ENDS)[number];

export interface LearnReport {
  /** Exactly what ran, as shell text. */
  readonly command: string;
  readonly facts: Facts;
  readonly verdict: Verdict;
  /** `null` if no one had to be asked. */
  readonly answer: Answer | null;
  /** How often the command ran. */
  readonly runs: number;
  /** Of the last run. */
  readonly result: RunResult | null;
  readonly enforcement: Enforcement | null;
  readonly end: LearnEnd;
  /** False if some attempts were not reported. */
  readonly isComplete: boolean;
  /** Each need was left out once, and then the command failed. */
  readonly isProven: boolean;
  readonly needs: readonly Need[];
  /** Hidden files that it tried to read: in `settings` only on request. */
  readonly secrets: readonly string[];
  readonly beyond: readonly Excess[];
  /** What to add to the current settings; empty if nothing is needed. */
  readonly settings: Settings;
  /** The current settings in the same places. */
  readonly current: Settings;
}
