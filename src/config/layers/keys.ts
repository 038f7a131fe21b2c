// For every key: how the values of several files are merged, and what a file in an untrusted folder may set.
// The attack: a repository ships its own settings. They may be stricter, never laxer; a key without a row is refused.

import { SANDBOXES, type SandboxName } from '../../core/confinement.ts';
import type { Mode } from '../../core/policy.ts';
import { LIMITS } from '../../core/running.ts';
import { STAGING_MODES, STAGING_TOOLS, type StagingMode } from '../../core/staging.ts';
import { once } from '../../core/values/once.ts';
import { VERDICTS, type VerdictName } from '../../core/verdict.ts';
import { type KeyRule, PERSONAL_LAYERS } from './key-rule.ts';
import { profileKeyRules } from './profile-keys.ts';

const LOOSE: KeyRule = { merge: 'list', untrusted: 'never' };
const STRICT: KeyRule = { merge: 'list', untrusted: 'always' };
const LOOSE_PATHS: KeyRule = { ...LOOSE, isPath: true, switch: 'managedPathsOnly' };
const STRICT_PATHS: KeyRule = { ...STRICT, isPath: true };
const OWN: KeyRule = { merge: 'single', untrusted: 'never' };
const ONLY_TRUE: KeyRule = { merge: 'single', untrusted: (value, weaker) => value === true || weaker !== true };
const ONLY_FALSE: KeyRule = { merge: 'single', untrusted: (value) => value === false };
const FALSE_WINS: KeyRule = { merge: 'strictest', untrusted: (value) => value === false };
const ONLY_SMALLER: KeyRule = {
  merge: 'single',
  untrusted: (value, weaker) => weaker === undefined || Number(value) <= Number(weaker),
};
/** The user decides where records go: a project could send every command away, or suppress notifications. */
const PERSONAL: KeyRule = { merge: 'single', untrusted: 'never', layers: PERSONAL_LAYERS };
const SWITCH: KeyRule = { merge: 'single', untrusted: 'never', layers: ['managed'] };
const RULES = { switch: 'managedRulesOnly' } as const;

/** From the strictest. An unanswered question is denied, so `plan`, which allows least, comes first. */
const MODES_BY_STRICTNESS: readonly Mode[] = ['plan', 'dont-ask', 'default', 'accept-edits', 'auto', 'bypass'];

/** Of `accept-edits` and `auto` neither is stricter: one asks about programs, the other about work without a copy. */
export function isStricterMode(value: unknown, weaker: unknown): boolean {
  if (value === 'accept-edits' && weaker === 'auto') return false;
  const rank = (mode: unknown): number => MODES_BY_STRICTNESS.indexOf(mode as Mode);
  return rank(value) <= rank(weaker ?? 'default');
}

/** An unchanged check can be stricter than its usual verdict, so only `deny` is always at least as strict. */
function isStricterVerdict(value: unknown, weaker: unknown): boolean {
  const rank = (verdict: unknown): number => VERDICTS.indexOf(verdict as VerdictName);
  return weaker === undefined ? value === 'deny' : rank(value) >= rank(weaker);
}

/** From the strictest, in their listed order. */
export function isStricterSandbox(value: unknown, weaker: unknown): boolean {
  const rank = (name: unknown): number => SANDBOXES.indexOf(name as SandboxName);
  return rank(value) <= rank(weaker ?? 'workspace');
}

/** From the laxest, in their listed order. */
export function isStricterStaging(value: unknown, weaker: unknown): boolean {
  const rank = (mode: unknown): number => STAGING_MODES.indexOf(mode as StagingMode);
  return rank(value) >= rank(weaker ?? 'off');
}

/** By key, with `*` for names defined by the file. */
export const keyRules = once(
  (): Readonly<Record<string, KeyRule>> => ({
    $schema: { merge: 'single', untrusted: 'always' },
    mode: { merge: 'single', untrusted: isStricterMode, personalValues: ['auto'] },
    'permissions.allow': { ...LOOSE, ...RULES },
    'permissions.ask': { ...STRICT, ...RULES },
    'permissions.deny': { ...STRICT, ...RULES },
    roots: LOOSE_PATHS,
    confineReads: ONLY_TRUE,
    protectedPaths: STRICT_PATHS,
    secretPaths: STRICT_PATHS,
    // Each list forbids everything else: only programs in all lists may run, so no file widens another.
    allowedCommands: { merge: 'common', untrusted: 'always' },
    'blacklist.commands': STRICT,
    'blacklist.directories': STRICT_PATHS,
    'domains.allow': { ...LOOSE, switch: 'managedDomainsOnly' },
    'domains.deny': STRICT,
    // If users are listed, all others may do nothing: listing one more is never a restriction.
    'users.*.allow': { ...LOOSE, ...RULES },
    'users.*.ask': { ...LOOSE, ...RULES },
    'users.*.deny': { ...LOOSE, ...RULES },
    'users.*.roots': LOOSE_PATHS,
    'users.*.limits.*': OWN,
    'checks.*': { merge: 'single', untrusted: isStricterVerdict },
    requireConfirmation: ONLY_TRUE,
    // A timeout of one second would prevent the user from answering.
    'approval.timeoutSeconds': OWN,
    'approval.askToApply': OWN,
    trustedFolders: { ...LOOSE, isPath: true, layers: ['managed', 'flags', 'user'] },
    managedRulesOnly: SWITCH,
    managedDomainsOnly: SWITCH,
    managedPathsOnly: SWITCH,
    allowBypass: FALSE_WINS,
    'environment.set.*': OWN,
    'environment.keep': LOOSE,
    // Variables can restrict too (npm_config_ignore_scripts), so removing one can loosen.
    'environment.drop': LOOSE,
    keepOutput: FALSE_WINS,
    waitingShells: ONLY_SMALLER,
    staging: { merge: 'single', untrusted: isStricterStaging },
    // A small store would delete what the user may want to undo.
    'stagingStore.maxMegabytes': OWN,
    'stagingStore.maxDays': OWN,
    ...Object.fromEntries(STAGING_TOOLS.map((name) => [`stagingTools.${name}`, ONLY_FALSE])),
    'audit.enabled': { merge: 'single', untrusted: (value) => value === true },
    // A project must not decide how long the user's records are kept.
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
    // `landlock` and `bubblewrap` enforce fewer guarantees than `keeper`.
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
    ...profileKeyRules(),
  }),
);

/** Keys with a star stand for names defined by the file. */
const MAPS = ['users', 'users.*.limits', 'checks', 'environment.set'];

/** The row for a key of a file: `users.anna.allow` → `users.*.allow`. `null` for a group of keys. */
export function findPattern(path: readonly string[]): string {
  let pattern = '';
  for (const part of path) pattern = pattern === '' ? part : `${pattern}.${MAPS.includes(pattern) ? '*' : part}`;
  return pattern;
}

/** A key for display; names with dots are quoted, so that no two keys look the same. */
export function joinKey(path: readonly string[]): string {
  return path.map((part) => (part.includes('.') ? JSON.stringify(part) : part)).join('.');
}
