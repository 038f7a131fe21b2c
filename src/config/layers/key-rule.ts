// How the values of one key are merged, and what a file in an untrusted folder may set.

import type { FileLayer } from '../settings.ts';

/** What a person sets, and no repository. */
export const PERSONAL_LAYERS: readonly FileLayer[] = ['managed', 'flags', 'user'];

export interface KeyRule {
  /** `single`: the strongest file wins. `list`: union. `common`: intersection. `strictest`: false wins. */
  readonly merge: 'single' | 'list' | 'common' | 'strictest';
  /**
   * What counts from an untrusted folder. A function compares with the value that applies without it
   * (`undefined`: not set) and returns true if the new value is at least as strict.
   */
  readonly untrusted: 'always' | 'never' | ((value: unknown, weaker: unknown) => boolean);
  readonly isPath?: true;
  /** The value of a document, in which `/srv` is the absolute path and not a folder next to the settings. */
  readonly isAbsoluteWithSlash?: true;
  /** Files in which it counts; default: all. */
  readonly layers?: readonly FileLayer[];
  /** Values that count in the user's own, flag and managed files only, even if the folder is trusted. */
  readonly personalValues?: readonly unknown[];
  /** The managed switch that leaves only the managed values in effect. */
  readonly switch?: 'managedRulesOnly' | 'managedDomainsOnly' | 'managedPathsOnly';
  /** An exception to this single value: if the managed settings set it, other files can only tighten here. */
  readonly around?: 'sandbox.name';
}
