// Merged values → the policy, and values for other stages: paths resolved, rules with their expiry.

import { DEFAULT_POLICY } from '../../core/default-policy.ts';
import type { Mode, Policy, PolicyRule, UserPolicy } from '../../core/policy.ts';
import type { ProfileConfiguration } from '../../core/profile-configuration.ts';
import type { LimitName } from '../../core/running.ts';
import { DEFAULT_STAGING_TOOLS, type StagingMode, type StagingTool } from '../../core/staging.ts';
import { defined } from '../../core/values/defined.ts';
import { VERDICTS, type VerdictName } from '../../core/verdict.ts';
import { quote, toError } from '../document/problem.ts';
import { parseUntil } from '../document/validate.ts';
import type {
  AlertSettings,
  AuditSettings,
  EnvironmentSettings,
  RuleEntry,
  SandboxSettings,
  StagingStoreSettings,
  TelemetrySettings,
} from '../settings.ts';
import { joinKey, keyRules } from './keys.ts';
import type { Merged, Value } from './merge.ts';
import { resolveSettingsPath } from './paths.ts';

export interface Assembled {
  readonly policy: Policy;
  readonly approval: { readonly timeoutSeconds: number | null; readonly askToApply: boolean };
  readonly environment: Required<EnvironmentSettings>;
  readonly limits: Readonly<Partial<Record<LimitName, number>>>;
  readonly keepOutput: boolean;
  /** Null: not set in any file. */
  readonly waitingShells: number | null;
  readonly staging: StagingMode;
  readonly stagingStore: StagingStoreSettings;
  readonly stagingTools: Readonly<Record<StagingTool, boolean>>;
  readonly audit: AuditSettings;
  readonly alerts: AlertSettings;
  readonly telemetry: TelemetrySettings;
  readonly sandbox: SandboxSettings;
  readonly profiles: ProfileConfiguration;
}

export interface Here {
  readonly cwd: string;
  readonly home: string | null;
  /** Users that a file names without settings for them. */
  readonly userNames: Iterable<string>;
}

export function assemble(merged: Merged, here: Here): Assembled {
  const { values } = merged;
  const one = <T>(key: string, otherwise: T): T => (values.get(key)?.[0]?.value ?? otherwise) as T;
  const many: Many = (key) => [...new Set(values.get(key)?.map((value) => toText(value, here)) ?? [])];
  const set = (key: string): readonly string[] | null => (values.has(key) ? many(key) : null);
  /** The names that files define in a group such as `checks`. */
  const named = <T>(...group: readonly string[]): Record<string, T> => {
    const members = [...merged.paths].filter(([, path]) => isIn(path, group));
    return Object.fromEntries(members.map(([key, path]) => [path.at(-1) as string, values.get(key)?.[0]?.value as T]));
  };
  const alerts: AlertSettings = assembleGroup('alerts', merged, many);
  const { secretFile, secretVariable } = alerts.webhook ?? {};
  return {
    policy: {
      ...DEFAULT_POLICY,
      mode: one<Mode>('mode', DEFAULT_POLICY.mode),
      rules: VERDICTS.flatMap((list) => (values.get(`permissions.${list}`) ?? []).map((value) => toRule(value, list))),
      roots: set('roots'),
      confineReads: one('confineReads', DEFAULT_POLICY.confineReads),
      protectedPaths: many('protectedPaths'),
      // Anyone who has the secret can forge alerts.
      secretPaths: [...many('secretPaths'), ...(secretFile === undefined ? [] : [secretFile])],
      allowedCommands: set('allowedCommands'),
      blacklist: { commands: many('blacklist.commands'), directories: many('blacklist.directories') },
      domains: { allow: many('domains.allow'), deny: many('domains.deny') },
      users: Object.fromEntries([...here.userNames].map((name) => [name, assembleUser(name)])),
      checks: named<VerdictName>('checks'),
      requireConfirmation: one('requireConfirmation', DEFAULT_POLICY.requireConfirmation),
      allowBypass: one('allowBypass', DEFAULT_POLICY.allowBypass),
    },
    approval: {
      timeoutSeconds: one<number | null>('approval.timeoutSeconds', null),
      askToApply: one<boolean>('approval.askToApply', false),
    },
    environment: {
      set: named<string>('environment', 'set'),
      keep: many('environment.keep'),
      drop: [...many('environment.drop'), ...(secretVariable === undefined ? [] : [secretVariable])],
    },
    limits: named<number>('limits') as Assembled['limits'],
    keepOutput: one('keepOutput', true),
    waitingShells: one<number | null>('waitingShells', null),
    staging: one<StagingMode>('staging', 'off'),
    stagingStore: assembleGroup('stagingStore', merged, many),
    stagingTools: { ...DEFAULT_STAGING_TOOLS, ...assembleGroup('stagingTools', merged, many) },
    audit: assembleGroup('audit', merged, many),
    alerts,
    telemetry: assembleGroup('telemetry', merged, many),
    sandbox: assembleGroup('sandbox', merged, many),
    profiles: assembleGroup('profiles', merged, many),
  };

  function assembleUser(name: string): UserPolicy {
    const of = (field: string): string => joinKey(['users', name, field]);
    return {
      allow: many(of('allow')),
      ask: many(of('ask')),
      deny: many(of('deny')),
      roots: set(of('roots')),
      limits: named<number>('users', name, 'limits'),
    };
  }
}

type Many = (key: string) => readonly string[];

function isIn(path: readonly string[], group: readonly string[]): boolean {
  return path.length === group.length + 1 && group.every((part, index) => part === path[index]);
}

/** All keys below one, as they are in the files. */
function assembleGroup(name: string, { values, paths }: Merged, many: Many): Record<string, unknown> {
  const whole: Record<string, unknown> = {};
  for (const [key, path] of paths) {
    if (path[0] !== name) continue;
    let group = whole;
    for (const part of path.slice(1, -1)) {
      group[part] ??= {};
      group = group[part] as Record<string, unknown>;
    }
    const { merge, isPath } = keyRules()[key] ?? {};
    const one = isPath ? many(key)[0] : values.get(key)?.[0]?.value;
    group[path.at(-1) as string] = merge === 'list' || merge === 'common' ? many(key) : one;
  }
  return whole;
}

function toText({ value, source, rule, line, column }: Value, here: Here): string {
  const text = value as string;
  if (rule.isPath !== true) return text;
  const base = rule.isAbsoluteWithSlash === true && text.startsWith('/') ? '/' : source.base;
  const path = resolveSettingsPath(text, { ...here, base });
  if (path !== null) return path;
  const message = `${quote(text)} is below home, but no home folder is known.`;
  throw toError([{ file: source.file, line, column, message, fix: 'Set HOME, or write //absolute.' }]);
}

function toRule({ value, source, line }: Value, list: VerdictName): PolicyRule {
  const { rule, until, because, staging }: RuleEntry =
    typeof value === 'string' ? { rule: value } : (value as RuleEntry);
  return {
    text: rule,
    list,
    origin: { layer: source.layer, file: source.file, line },
    until: until === undefined ? null : parseUntil(until),
    base: source.folder === null ? null : source.base,
    because: because ?? null,
    ...defined({ staging }),
  };
}
