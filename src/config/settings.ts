// The content of a settings file, after validation. Data only; the schema describes the same for machines.

import type { BackendName, SandboxName } from '../core/confinement.ts';
import type { AlertKind, AuditLevel, FsyncPolicy } from '../core/observer.ts';
import type { Mode } from '../core/policy.ts';
import type { ProfileConfiguration } from '../core/profile-configuration.ts';
import type { LimitName } from '../core/running.ts';
import type { StagingMode, StagingTool } from '../core/staging.ts';
import type { Origin, SettingsLayer, Severity, VerdictName } from '../core/verdict.ts';

export interface RuleEntry {
  readonly rule: string;
  readonly until?: string;
  readonly because?: string;
  /** Changes of the commands that it matches are staged at least like this. */
  readonly staging?: 'apply' | 'review';
}

export interface UserSettings {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly roots?: readonly string[];
  readonly limits?: Readonly<Record<string, number>>;
}

export interface SandboxSettings {
  readonly name?: SandboxName;
  readonly backend?: BackendName;
  readonly excludedCommands?: readonly string[];
  readonly allowUnsandboxed?: boolean;
  readonly failIfUnavailable?: boolean;
  readonly filesystem?: {
    readonly allowWrite?: readonly string[];
    readonly denyWrite?: readonly string[];
    readonly denyRead?: readonly string[];
    readonly allowRead?: readonly string[];
  };
  readonly network?: {
    readonly allowAddresses?: readonly string[];
    readonly allowPorts?: readonly number[];
    readonly publishPorts?: readonly number[];
    readonly allowUnixSockets?: readonly string[];
    readonly allowAllUnixSockets?: boolean;
    readonly allowLocalBinding?: boolean;
  };
}

export interface AuditSettings {
  readonly enabled?: boolean;
  readonly level?: AuditLevel;
  readonly fsync?: FsyncPolicy;
  readonly retentionDays?: number;
  readonly retainBytes?: number;
  readonly hook?: boolean;
  readonly verifyMinutes?: number;
}

export interface AlertSettings {
  readonly kinds?: readonly AlertKind[];
  readonly minSeverity?: Severity;
  readonly perMinute?: number;
  readonly webhook?: {
    readonly url?: string;
    readonly secretVariable?: string;
    readonly secretFile?: string;
  };
}

export interface TelemetrySettings {
  readonly enabled?: boolean;
  readonly withCommand?: boolean;
}

export interface EnvironmentSettings {
  readonly set?: Readonly<Record<string, string>>;
  readonly keep?: readonly string[];
  readonly drop?: readonly string[];
}

export interface StagingStoreSettings {
  readonly maxMegabytes?: number;
  readonly maxDays?: number;
}

export interface Settings {
  readonly $schema?: string;
  readonly mode?: Mode;
  readonly permissions?: Readonly<Partial<Record<VerdictName, readonly (string | RuleEntry)[]>>>;
  readonly roots?: readonly string[];
  readonly confineReads?: boolean;
  readonly protectedPaths?: readonly string[];
  readonly secretPaths?: readonly string[];
  readonly allowedCommands?: readonly string[];
  readonly blacklist?: { readonly commands?: readonly string[]; readonly directories?: readonly string[] };
  readonly domains?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  readonly users?: Readonly<Record<string, UserSettings>>;
  readonly checks?: Readonly<Record<string, VerdictName>>;
  readonly requireConfirmation?: boolean;
  readonly approval?: { readonly timeoutSeconds?: number; readonly askToApply?: boolean };
  readonly trustedFolders?: readonly string[];
  readonly managedRulesOnly?: boolean;
  readonly managedDomainsOnly?: boolean;
  readonly managedPathsOnly?: boolean;
  readonly allowBypass?: boolean;
  readonly environment?: EnvironmentSettings;
  readonly keepOutput?: boolean;
  readonly waitingShells?: number;
  readonly staging?: StagingMode;
  readonly stagingStore?: StagingStoreSettings;
  readonly stagingTools?: Readonly<Partial<Record<StagingTool, boolean>>>;
  readonly audit?: AuditSettings;
  readonly alerts?: AlertSettings;
  readonly telemetry?: TelemetrySettings;
  readonly limits?: Readonly<Partial<Record<LimitName, number>>>;
  readonly sandbox?: SandboxSettings;
  readonly profiles?: ProfileConfiguration;
}

/** Layers that are files. */
export type FileLayer = Exclude<SettingsLayer, 'session' | 'defaults'>;

/** Something the user should know: a value that has no effect, or another effect than it seems. */
export interface Notice extends Origin {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** `permissions.allow[0]`; empty if it is about the whole file. */
  readonly key: string;
  readonly why: string;
  /** How to fix it. */
  readonly hint: string | null;
}

/** One value of one file, and its state. */
export interface SettingOrigin extends Origin {
  readonly key: string;
  readonly value: unknown;
  readonly state: 'used' | 'overridden' | 'ignored';
  readonly why: string | null;
}
