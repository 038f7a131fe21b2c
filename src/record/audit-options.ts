// The options of an audit log → complete values. Invalid ones are errors of the caller and are thrown.

import { HardshellError } from '../core/errors.ts';
import { AUDIT_LEVELS, type AuditLevel, FSYNC_POLICIES, type FsyncPolicy } from '../core/observer.ts';
import { type ChecksOf, checkOptions, environment, folder as isFolder, unchecked } from '../core/option-checks.ts';
import { type AuditPlaces, auditPlaces } from '../local/places.ts';
import type { Retention } from './chain/retention.ts';

export interface AuditOptions {
  /** Instead of `audit` in the state folder. */
  readonly folder?: string;
  /** Instead of `keys` in the state folder. */
  readonly keyFolder?: string;
  /** Default `detailed`. */
  readonly level?: AuditLevel;
  /** Default `interval`. */
  readonly fsync?: FsyncPolicy;
  /** A longer segment is followed by a new one. Default 64 MB. */
  readonly rotateBytes?: number;
  /** Segments whose last line is older are deleted. Default: never. */
  readonly retentionDays?: number;
  /** The oldest segments are deleted if the total is larger. */
  readonly retainBytes?: number;
  /** A signed line after this many others. Default 1000. */
  readonly checkpointEvery?: number;
  /** Variables with secret names, whose values are removed from everything. Default `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export interface AuditSetup extends AuditPlaces {
  readonly level: AuditLevel;
  readonly fsync: FsyncPolicy;
  readonly rotateBytes: number;
  readonly checkpointEvery: number;
  readonly retention: Retention;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const DAY_MS = 86_400_000;

/** Counts and choices are checked below. */
const AUDIT_OPTIONS: ChecksOf<AuditOptions> = {
  folder: isFolder,
  keyFolder: isFolder,
  level: unchecked,
  fsync: unchecked,
  rotateBytes: unchecked,
  retentionDays: unchecked,
  retainBytes: unchecked,
  checkpointEvery: unchecked,
  environment,
};

export function completeOptions(options: AuditOptions): AuditSetup {
  checkOptions(options, AUDIT_OPTIONS);
  const { folder, keyFolder, retentionDays, retainBytes } = options;
  const places = folder === undefined || keyFolder === undefined ? auditPlaces() : { folder, keyFolder };
  checkCount('retentionDays', retentionDays ?? 1);
  checkCount('retainBytes', retainBytes ?? 1);
  return {
    folder: folder ?? places.folder,
    keyFolder: keyFolder ?? places.keyFolder,
    level: checkChoice('level', options.level ?? 'detailed', AUDIT_LEVELS),
    fsync: checkChoice('fsync', options.fsync ?? 'interval', FSYNC_POLICIES),
    rotateBytes: checkCount('rotateBytes', options.rotateBytes ?? 64 << 20),
    checkpointEvery: checkCount('checkpointEvery', options.checkpointEvery ?? 1000),
    retention: {
      maxAgeMs: retentionDays === undefined ? null : retentionDays * DAY_MS,
      maxBytes: retainBytes ?? null,
    },
    environment: options.environment ?? process.env,
  };
}

function checkChoice<T extends string>(name: string, value: T, choices: readonly T[]): T {
  if (choices.includes(value)) return value;
  throw new HardshellError('invalid-argument', `${name} must be one of ${choices.join(', ')}.`);
}

function checkCount(name: string, value: number): number {
  if (!Number.isSafeInteger(value) || value <= 0)
    throw new HardshellError('invalid-argument', `${name} must be a whole number greater than 0.`);
  return value;
}
