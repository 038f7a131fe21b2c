// What a learning run gives back: what the command needs beyond the settings, as settings, and what nobody should give it.

import type { Settings } from '../../config/settings.ts';
import type { Answer } from '../../core/approval.ts';
import type { Enforcement } from '../../core/confinement.ts';
import type { RunResult } from '../../core/running.ts';
import type { Verdict } from '../../core/verdict.ts';

export type Need =
  /** A folder, or a file that exists. `uses`: some of the paths that the command tried to change there. */
  | { readonly kind: 'write'; readonly path: string; readonly uses: readonly string[] }
  /** As in `domains.allow`: a host, with its port where that is neither 80 nor 443. */
  | { readonly kind: 'domain'; readonly host: string }
  /** Of this machine's loopback. */
  | { readonly kind: 'port'; readonly port: number }
  /** On which it wants to be reached. */
  | { readonly kind: 'publish'; readonly port: number }
  | { readonly kind: 'socket'; readonly path: string };

/** Something that it tried and that learning never grants. */
export interface Beyond {
  readonly operation: 'write' | 'read' | 'connect';
  readonly target: string;
  /** A sentence: why not, and what to do. */
  readonly why: string;
}

export interface Lesson {
  readonly command: string;
  readonly verdict: Verdict;
  /** `null` when nobody had to be asked. */
  readonly answer: Answer | null;
  /** False when it was denied: then nothing ran and nothing is known. */
  readonly isAllowed: boolean;
  /** How often the command ran. */
  readonly runs: number;
  /** Of the last run. */
  readonly result: RunResult | null;
  readonly enforcement: Enforcement | null;
  /** The last run wanted nothing beyond what it had: what is listed was enough for it. */
  readonly isSettled: boolean;
  /** False when there was more to tell than was told. */
  readonly isComplete: boolean;
  /** Each need was left out once, and then the command failed. */
  readonly isProven: boolean;
  readonly needs: readonly Need[];
  /** Hidden files that it tried to read: in `settings` only when that was asked for. */
  readonly secrets: readonly string[];
  readonly beyond: readonly Beyond[];
  /** What to add to the current settings; empty when nothing is needed. */
  readonly settings: Settings;
}
