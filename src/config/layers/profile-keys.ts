// The keys of `profiles`: which values of a document's configuration tighten. Without a file the document's default holds,
// so a value is compared with that if no weaker file sets the key.

import { SECURITY_LEVELS } from '../../core/failure.ts';
import {
  type BashConfig,
  type BashConfiguration,
  DEFAULT_BASH_CONFIG,
  DEFAULT_BASH_CONFIGURATION,
} from '../../core/profile-configuration.ts';
import type { KeyRule } from './key-rule.ts';

const OWN: KeyRule = { merge: 'single', untrusted: 'never' };
const ADDS: KeyRule = { merge: 'list', untrusted: 'always' };
const RESTRICTS: KeyRule = { merge: 'common', untrusted: 'always' };
const NEUTRAL: KeyRule = { merge: 'single', untrusted: 'always' };
const DOCUMENT_PATH = { isPath: true, isAbsoluteWithSlash: true } as const;
const onlyAt = (strict: boolean): KeyRule => ({ merge: 'single', untrusted: (value) => value === strict });
const upTo = (standard: number): KeyRule => ({
  merge: 'single',
  untrusted: (value, weaker) => Number(value) <= Number(weaker ?? standard),
});

function isStricterLevel(value: unknown, weaker: unknown): boolean {
  const rank = (level: unknown): number => (SECURITY_LEVELS as readonly unknown[]).indexOf(level);
  return rank(value) >= rank(weaker ?? DEFAULT_BASH_CONFIGURATION.securityLevel);
}

const layered = DEFAULT_BASH_CONFIGURATION;
const LAYERED: Readonly<Record<keyof BashConfiguration, KeyRule>> = {
  enableSandbox: onlyAt(true),
  commandWhitelist: RESTRICTS,
  allowedPaths: { ...RESTRICTS, ...DOCUMENT_PATH },
  securityLevel: { merge: 'single', untrusted: isStricterLevel },
  defaultTimeout: upTo(layered.defaultTimeout),
  maxOutputSize: upTo(layered.maxOutputSize),
  enableStreaming: NEUTRAL,
  maxMemoryUsage: upTo(layered.maxMemoryUsage),
  maxCpuUsage: upTo(layered.maxCpuUsage),
  maxProcesses: upTo(layered.maxProcesses),
  maxFileDescriptors: upTo(layered.maxFileDescriptors),
  preserveEnvironment: onlyAt(false),
  // Another folder or shell gives the same command another meaning.
  defaultWorkingDirectory: { ...OWN, ...DOCUMENT_PATH },
  defaultShell: OWN,
  enableMonitoring: onlyAt(true),
  // They have one value.
  enableAuditing: NEUTRAL,
  logLevel: NEUTRAL,
};

const PROPOSAL_0028: Readonly<Record<keyof BashConfig, KeyRule>> = {
  defaultTimeout: upTo(DEFAULT_BASH_CONFIG.defaultTimeout),
  maxTimeout: upTo(DEFAULT_BASH_CONFIG.maxTimeout),
  maxOutputSize: upTo(DEFAULT_BASH_CONFIG.maxOutputSize),
  blockedCommands: ADDS,
  requireDescription: onlyAt(true),
  sandboxMode: onlyAt(true),
};

const keysOf = (name: string, rules: Readonly<Record<string, KeyRule>>) =>
  Object.entries(rules).map(([key, rule]) => [`profiles.${name}.${key}`, rule] as const);

export function profileKeyRules(): Readonly<Record<string, KeyRule>> {
  return Object.fromEntries([...keysOf('layered', LAYERED), ...keysOf('proposal-0028', PROPOSAL_0028)]);
}
