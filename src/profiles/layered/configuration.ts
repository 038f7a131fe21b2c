// LAYER's `BashConfiguration` with its defaults. A request can only lower these limits.

import { basename, dirname } from 'node:path';
import { SHELLS, type Shell } from '../../core/facts.ts';
import { SECURITY_LEVELS, type SecurityLevel } from '../../core/failure.ts';
import {
  between,
  type Check,
  type ChecksOf,
  checkOptions,
  count,
  flag,
  milliseconds,
  oneOf,
  text,
  texts,
  wrong,
} from '../../core/option-checks.ts';

export interface BashConfiguration {
  readonly enableSandbox: boolean;
  /** Empty: everything that the settings allow. */
  readonly commandWhitelist: readonly string[];
  /** Empty: everything that the settings allow. */
  readonly allowedPaths: readonly string[];
  /** `medium`: as the settings say. `high`: risky commands are asked about, even if a rule allows them. Not lower. */
  readonly securityLevel: SecurityLevel;
  /** Milliseconds. */
  readonly defaultTimeout: number;
  /** Bytes; a command that writes more is ended. */
  readonly maxOutputSize: number;
  readonly enableStreaming: boolean;
  readonly maxMemoryUsage: number;
  /** Percent of one CPU. */
  readonly maxCpuUsage: number;
  readonly maxProcesses: number;
  readonly maxFileDescriptors: number;
  readonly preserveEnvironment: boolean;
  /** Empty: the folder of the session. */
  readonly defaultWorkingDirectory: string;
  /** bash, sh or zsh: its name, or its path in /bin or /usr/bin. */
  readonly defaultShell: string;
  /** Resource updates while a command runs. Limits apply in any case. */
  readonly enableMonitoring: boolean;
  /** Always true: whether commands are recorded is decided by the settings (`audit`). */
  readonly enableAuditing: boolean;
  /** Always `info`: what is recorded is decided by the settings (`audit.level`). */
  readonly logLevel: 'info';
}

export const DEFAULT_BASH_CONFIGURATION: BashConfiguration = {
  enableSandbox: true,
  commandWhitelist: [],
  allowedPaths: [],
  securityLevel: 'medium',
  defaultTimeout: 30_000,
  maxOutputSize: 10 << 20,
  enableStreaming: true,
  maxMemoryUsage: 1 << 30,
  maxCpuUsage: 80,
  maxProcesses: 10,
  maxFileDescriptors: 1000,
  preserveEnvironment: false,
  defaultWorkingDirectory: '',
  defaultShell: '/bin/bash',
  enableMonitoring: true,
  enableAuditing: true,
  logLevel: 'info',
};

/** The longest possible timer: the document defines no maximum. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The settings decide what is allowed: a profile can be stricter, not laxer. */
export const securityLevel: Check = (name, value) => {
  oneOf(SECURITY_LEVELS)(name, value);
  if (value === 'none' || value === 'low')
    throw wrong(
      `${name} cannot be ${value}: it would be less than what the settings require.`,
      'Use medium, which means as the settings say, or high.',
    );
};

const shell: Check = (name, value) => {
  text(name, value);
  if (readShell(value as string) === null)
    throw wrong(`${name} must be bash, sh or zsh: a name, or a path in /bin or /usr/bin.`);
};

export const recordedBySettings: Check = (name, value) => {
  flag(name, value);
  if (value === false)
    throw wrong(
      `${name} cannot be false: the settings decide whether commands are recorded.`,
      'Set audit.enabled in the settings, or pass recording: false to createShell.',
    );
};

const logLevel: Check = (name, value) => {
  if (value !== 'info')
    throw wrong(`${name} can only be info: the profile has no log of its own.`, 'Set audit.level in the settings.');
};

export const CONFIGURATION_CHECKS: ChecksOf<BashConfiguration> = {
  enableSandbox: flag,
  commandWhitelist: texts,
  allowedPaths: texts,
  securityLevel,
  defaultTimeout: milliseconds,
  maxOutputSize: count,
  enableStreaming: flag,
  maxMemoryUsage: count,
  maxCpuUsage: between(1, Number.MAX_SAFE_INTEGER),
  maxProcesses: count,
  maxFileDescriptors: count,
  preserveEnvironment: flag,
  defaultWorkingDirectory: text,
  defaultShell: shell,
  enableMonitoring: flag,
  enableAuditing: recordedBySettings,
  logLevel,
};

/** With the document's defaults. Throws if a value is invalid, or if it would have no effect. */
export function completeConfiguration(given: Partial<BashConfiguration> = {}): BashConfiguration {
  checkOptions(given, CONFIGURATION_CHECKS);
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_BASH_CONFIGURATION, ...Object.fromEntries(known) };
}

export function findShell({ defaultShell }: BashConfiguration): Shell {
  return readShell(defaultShell) ?? 'bash';
}

/** The engine chooses the program: a path elsewhere would be ignored. */
function readShell(given: string): Shell | null {
  const isKnownPlace = given === basename(given) || ['/bin', '/usr/bin'].includes(dirname(given));
  return isKnownPlace ? (SHELLS.find((name) => name === basename(given)) ?? null) : null;
}
