// The configuration objects of the documents that have one, with the documents' names and defaults, and their checks.
// Settings, options and tools all use these; src/core/profile-rules.ts says what they mean for a command.

import { posix } from 'node:path';
import { isAnalyzed, SHELLS, type Shell } from './facts.ts';
import { SECURITY_LEVELS, type SecurityLevel } from './failure.ts';
import {
  between,
  type Check,
  type ChecksOf,
  count,
  flag,
  milliseconds,
  oneOf,
  recordOf,
  text,
  wrong,
} from './option-checks.ts';

/** LAYER's `BashConfiguration`. A request can only lower these limits. */
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

/** P28's `BashConfig`. */
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

/** The configuration objects by profile; missing values have the document's defaults. */
export interface ProfileConfiguration {
  readonly layered?: Partial<BashConfiguration>;
  readonly 'proposal-0028'?: Partial<BashConfig>;
}

/** What a view of `proposal-0028` can show. */
export const MAX_VIEW_CHARACTERS = 1_000_000;

/** Shells whose commands are understood before they run. */
export const CONFIGURABLE_SHELLS = SHELLS.filter(isAnalyzed);

/** Of a name, or of a path in /bin or /usr/bin: the engine chooses the program, so a path elsewhere would be ignored. */
export function shellOfPath(path: string): Shell | null {
  const name = posix.basename(path);
  const isKnownPlace = path === name || ['/bin', '/usr/bin'].includes(posix.dirname(path));
  return isKnownPlace ? (CONFIGURABLE_SHELLS.find((each) => each === name) ?? null) : null;
}

const shell: Check = (name, value) => {
  text(name, value);
  if (shellOfPath(value as string) === null)
    throw wrong(`${name} must be ${CONFIGURABLE_SHELLS.join(', ')}: a name, or a path in /bin or /usr/bin.`);
};

/** The settings decide what is allowed: a profile can be stricter, not laxer. */
export const securityLevel: Check = (name, value) => {
  oneOf(SECURITY_LEVELS)(name, value);
  if (value === 'none' || value === 'low')
    throw wrong(
      `${name} cannot be ${value}: it would be less than what the settings require.`,
      'Use medium, which means as the settings say, or high.',
    );
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

/** Entries without a character would match every command, or none. */
const names: Check = (name, value) => {
  if (!Array.isArray(value) || value.some((each) => typeof each !== 'string' || each.trim() === ''))
    throw wrong(`${name} must be a list of strings that are not empty.`);
};

const characters: Check = (name, value) => {
  if (!Number.isSafeInteger(value) || (value as number) < 2 || (value as number) > MAX_VIEW_CHARACTERS)
    throw wrong(`${name} must be a whole number of characters, from 2 to ${MAX_VIEW_CHARACTERS}.`);
};

const LAYERED: ChecksOf<BashConfiguration> = {
  enableSandbox: flag,
  commandWhitelist: names,
  allowedPaths: names,
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

const PROPOSAL_0028: ChecksOf<BashConfig> = {
  defaultTimeout: milliseconds,
  maxTimeout: milliseconds,
  maxOutputSize: characters,
  blockedCommands: names,
  requireDescription: flag,
  sandboxMode: flag,
};

const CONFIGURATION: ChecksOf<ProfileConfiguration> = {
  layered: recordOf(LAYERED),
  'proposal-0028': recordOf(PROPOSAL_0028),
};

/** A misspelled entry, such as of a list of blocked commands, must not be ignored. */
export const checkConfiguration: Check = recordOf(CONFIGURATION);

/** The checks of each, for a tool that is made with one of them. */
export const CONFIGURATION_CHECKS = { layered: LAYERED, 'proposal-0028': PROPOSAL_0028 } as const;
