// For every key: how the values of several files become one, and what a file may say in a folder that is not trusted.
// The attack: a repository brings its own settings. It may make things stricter, never laxer; a key without a row is refused.

import { SANDBOXES, type SandboxName } from '../../core/confinement.ts';
import type { Mode } from '../../core/policy.ts';
import { LIMITS } from '../../core/running.ts';
import { VERDICTS, type VerdictName } from '../../core/verdict.ts';
import type { FileLayer } from '../settings.ts';

export interface KeyRule {
  /** `single`: the strongest file wins. `list`: all together. `common`: what all name. `strictest`: false wins. */
  readonly merge: 'single' | 'list' | 'common' | 'strictest';
  /**
   * What counts from a folder that is not trusted. A function compares with the value that holds without it
   * (`undefined`: nobody says anything) and is true when the new value is at least as strict.
   */
  readonly untrusted: 'always' | 'never' | ((value: unknown, weaker: unknown) => boolean);
  readonly isPath?: true;
  /** Files in which it counts; without it, in all. */
  readonly layers?: readonly FileLayer[];
  /** The managed switch that leaves only the managed values. */
  readonly switch?: 'managedRulesOnly' | 'managedDomainsOnly' | 'managedPathsOnly';
  /** A way around this single value: where the managed settings say it, other files may only tighten here. */
  readonly around?: 'sandbox.name';
}

const LOOSE: KeyRule = { merge: 'list', untrusted: 'never' };
const STRICT: KeyRule = { merge: 'list', untrusted: 'always' };
const LOOSE_PATHS: KeyRule = { ...LOOSE, isPath: true, switch: 'managedPathsOnly' };
const STRICT_PATHS: KeyRule = { ...STRICT, isPath: true };
const OWN: KeyRule = { merge: 'single', untrusted: 'never' };
const ONLY_TRUE: KeyRule = { merge: 'single', untrusted: (value, weaker) => value === true || weaker !== true };
const ONLY_FALSE: KeyRule = { merge: 'single', untrusted: (value) => value === false };
const ONLY_SMALLER: KeyRule = {
  merge: 'single',
  untrusted: (value, weaker) => weaker === undefined || Number(value) <= Number(weaker),
};
/** Where records go is for the person to say: a project could send every command away, or keep others from being told. */
const PERSONAL: KeyRule = { merge: 'single', untrusted: 'never', layers: ['managed', 'flags', 'user'] };
const SWITCH: KeyRule = { merge: 'single', untrusted: 'never', layers: ['managed'] };
const RULES = { switch: 'managedRulesOnly' } as const;

/** From the strictest. A question that nobody answers is refused, so `plan`, which allows least, comes first. */
const MODES_BY_STRICTNESS: readonly Mode[] = ['plan', 'dont-ask', 'default', 'accept-edits', 'bypass'];

export function isStricterMode(value: unknown, weaker: unknown): boolean {
  const rank = (mode: unknown): number => MODES_BY_STRICTNESS.indexOf(mode as Mode);
  return rank(value) <= rank(weaker ?? 'default');
}

/** A check that nobody changed may find worse than its usual verdict, so only `deny` is stricter for certain. */
function isStricterVerdict(value: unknown, weaker: unknown): boolean {
  const rank = (verdict: unknown): number => VERDICTS.indexOf(verdict as VerdictName);
  return weaker === undefined ? value === 'deny' : rank(value) >= rank(weaker);
}

/** From the strictest, as they are listed. */
export function isStricterSandbox(value: unknown, weaker: unknown): boolean {
  const rank = (name: unknown): number => SANDBOXES.indexOf(name as SandboxName);
  return rank(value) <= rank(weaker ?? 'workspace');
}

/** By key, with `*` for names that the file chooses. */
export const KEYS: Readonly<Record<string, KeyRule>> = {
  $schema: { merge: 'single', untrusted: 'always' },
  mode: { merge: 'single', untrusted: isStricterMode },
  'permissions.allow': { ...LOOSE, ...RULES },
  'permissions.ask': { ...STRICT, ...RULES },
  'permissions.deny': { ...STRICT, ...RULES },
  roots: LOOSE_PATHS,
  confineReads: ONLY_TRUE,
  protectedPaths: STRICT_PATHS,
  secretPaths: STRICT_PATHS,
  // Each list forbids the rest: only what all of them name may run, so that no file widens another.
  allowedCommands: { merge: 'common', untrusted: 'always' },
  'blacklist.commands': STRICT,
  'blacklist.directories': STRICT_PATHS,
  'domains.allow': { ...LOOSE, switch: 'managedDomainsOnly' },
  'domains.deny': STRICT,
  // Where users are named, nobody else may do anything: naming one more is never a restriction.
  'users.*.allow': { ...LOOSE, ...RULES },
  'users.*.ask': { ...LOOSE, ...RULES },
  'users.*.deny': { ...LOOSE, ...RULES },
  'users.*.roots': LOOSE_PATHS,
  'users.*.limits.*': OWN,
  'checks.*': { merge: 'single', untrusted: isStricterVerdict },
  requireConfirmation: ONLY_TRUE,
  // A wait of a second would only keep the person from answering.
  'approval.timeoutSeconds': OWN,
  trustedFolders: { ...LOOSE, isPath: true, layers: ['managed', 'flags', 'user'] },
  managedRulesOnly: SWITCH,
  managedDomainsOnly: SWITCH,
  managedPathsOnly: SWITCH,
  allowBypass: { merge: 'strictest', untrusted: (value) => value === false },
  'environment.set.*': OWN,
  'environment.keep': LOOSE,
  // Variables restrict too (npm_config_ignore_scripts), so leaving one out can loosen.
  'environment.drop': LOOSE,
  waitingShells: ONLY_SMALLER,
  'audit.enabled': { merge: 'single', untrusted: (value) => value === true },
  // A project must not decide how long the records of a person live.
  'audit.level': OWN,
  'audit.fsync': OWN,
  'audit.retentionDays': OWN,
  'audit.retainBytes': OWN,
  'audit.hook': OWN,
  'audit.verifyMinutes': OWN,
  'alerts.kinds': PERSONAL,
  'alerts.minSeverity': PERSONAL,
  'alerts.perMinute': PERSONAL,
  'alerts.webhook.url': PERSONAL,
  'alerts.webhook.secretVariable': PERSONAL,
  'alerts.webhook.secretFile': { ...PERSONAL, isPath: true },
  'telemetry.enabled': PERSONAL,
  'telemetry.withCommand': PERSONAL,
  ...Object.fromEntries(LIMITS.map((name) => [`limits.${name}`, ONLY_SMALLER])),
  'sandbox.name': { merge: 'single', untrusted: isStricterSandbox },
  // Some hold less than others.
  'sandbox.backend': { ...OWN, around: 'sandbox.name' },
  'sandbox.excludedCommands': { ...LOOSE, around: 'sandbox.name' },
  'sandbox.allowUnsandboxed': { ...ONLY_FALSE, around: 'sandbox.name' },
  'sandbox.failIfUnavailable': { merge: 'single', untrusted: (value) => value === true, around: 'sandbox.name' },
  'sandbox.filesystem.allowWrite': LOOSE_PATHS,
  'sandbox.filesystem.denyWrite': STRICT_PATHS,
  'sandbox.filesystem.denyRead': STRICT_PATHS,
  'sandbox.filesystem.allowRead': LOOSE_PATHS,
  'sandbox.network.allowAddresses': { ...LOOSE, switch: 'managedDomainsOnly' },
  'sandbox.network.allowPorts': { ...LOOSE, switch: 'managedDomainsOnly' },
  'sandbox.network.publishPorts': LOOSE,
  'sandbox.network.allowUnixSockets': LOOSE_PATHS,
  'sandbox.network.allowAllUnixSockets': { ...ONLY_FALSE, switch: 'managedPathsOnly' },
  'sandbox.network.allowLocalBinding': ONLY_FALSE,
};

/** Names that a file chooses stand where these keys have a star. */
const MAPS = ['users', 'users.*.limits', 'checks', 'environment.set'];

/** The row for a key of a file: `users.anna.allow` → `users.*.allow`. A group of keys has none. */
export function patternOf(path: readonly string[]): string {
  let pattern = '';
  for (const part of path) pattern = pattern === '' ? part : `${pattern}.${MAPS.includes(pattern) ? '*' : part}`;
  return pattern;
}

/** A key as people read it; names with dots are quoted, so that no two keys look the same. */
export function keyOf(path: readonly string[]): string {
  return path.map((part) => (part.includes('.') ? JSON.stringify(part) : part)).join('.');
}
