// P28's `BashConfig` with its defaults, and its mapping to engine options.

import type { Narrowing } from '../../core/policy.ts';

export interface BashConfig {
  /** Milliseconds. */
  readonly defaultTimeout: number;
  readonly maxTimeout: number;
  /** Characters of a stream that are shown; at most 30,000. */
  readonly maxOutputSize: number;
  readonly blockedCommands: readonly string[];
  readonly requireDescription: boolean;
  /** Requests the sandbox if the settings have none. It never removes one. */
  readonly sandboxMode: boolean;
}

export const DEFAULT_BASH_CONFIG: BashConfig = {
  defaultTimeout: 120_000,
  maxTimeout: 600_000,
  maxOutputSize: 30_000,
  blockedCommands: ['rm -rf /', 'mkfs', 'dd if=/dev/zero', ':(){:|:&};:'],
  requireDescription: false,
  sandboxMode: false,
};

export function createNarrowing({ blockedCommands }: BashConfig): Narrowing {
  return { blacklist: { commands: blockedCommands } };
}
