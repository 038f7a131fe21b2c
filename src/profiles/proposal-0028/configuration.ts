// P28's `BashConfig` with its defaults, and its mapping to engine options.

import {
  type Check,
  type ChecksOf,
  checkOptions,
  flag,
  listOf,
  milliseconds,
  wrong,
} from '../../core/option-checks.ts';
import type { Narrowing } from '../../core/policy.ts';
import { defined } from '../../core/values/defined.ts';

export interface BashConfig {
  /** Milliseconds. */
  readonly defaultTimeout: number;
  readonly maxTimeout: number;
  /** Characters of a stream that are shown; 2 to 1,000,000. */
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

const MAX_OUTPUT_SIZE = 1_000_000;

const outputSize: Check = (name, value) => {
  if (!Number.isSafeInteger(value) || (value as number) < 2 || (value as number) > MAX_OUTPUT_SIZE)
    throw wrong(`${name} must be a whole number of characters, from 2 to ${MAX_OUTPUT_SIZE}.`);
};

/** An empty entry would match every command, or none. */
const blocked: Check = (name, value) => {
  if (typeof value !== 'string' || value.trim() === '') throw wrong(`${name} must be a list of commands.`);
};

export const BASH_CONFIG_CHECKS: ChecksOf<BashConfig> = {
  defaultTimeout: milliseconds,
  maxTimeout: milliseconds,
  maxOutputSize: outputSize,
  blockedCommands: listOf(blocked, 'commands'),
  requireDescription: flag,
  sandboxMode: flag,
};

/** With the document's defaults. Invalid values are thrown here, not reported by every later call. */
export function completeConfig(given: Partial<BashConfig>): BashConfig {
  checkOptions(given, BASH_CONFIG_CHECKS);
  return { ...DEFAULT_BASH_CONFIG, ...defined(given) };
}

export function createNarrowing({ blockedCommands }: BashConfig): Narrowing {
  return { blacklist: { commands: blockedCommands } };
}
