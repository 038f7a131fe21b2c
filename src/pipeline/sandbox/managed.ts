// What the machine's own settings fix → what neither a request nor a caller's policy may widen. Narrowing stays allowed.
// The attack: `--sandbox unrestricted`, `allowWrite`, a policy of one's own. Who tries is refused, and told by which file.

import { realpathSync } from 'node:fs';
import { type Held, type HeldSandbox, heldMode, heldValue } from '../../config/held.ts';
import { isStricterSandbox } from '../../config/layers/keys.ts';
import type { LoadedSettings } from '../../config/load.ts';
import type { SandboxName, SandboxWish } from '../../core/confinement.ts';
import type { Policy } from '../../core/policy.ts';
import type { RunOptions } from '../../core/running.ts';
import { type Finding, strictest, type Verdict, type VerdictName } from '../../core/verdict.ts';
import type { NamedPaths } from '../../decide/paths/named-paths.ts';
import { isAtOrBelow } from './boundary.ts';

/** `managed`: the machine's own file alone; `null` where there is none. */
export function heldSandbox(
  { sandbox, origins }: Pick<LoadedSettings, 'sandbox' | 'origins'>,
  managed: Pick<LoadedSettings, 'policy' | 'sandbox'> | null,
): HeldSandbox {
  if (managed === null) return sandbox;
  const held = <T>(key: string): Held<T> | null => heldValue<T>(origins, key);
  const isOn = (key: string): Held<true> | null => {
    const found = held<boolean>(key);
    return found?.value === true ? { ...found, value: true } : null;
  };
  const { denyRead = [], allowRead = [] } = managed.sandbox.filesystem ?? {};
  const fixed = {
    name: held<SandboxName>('sandbox.name'),
    paths: isOn('managedPathsOnly'),
    hosts: isOn('managedDomainsOnly'),
    hidden: [...managed.policy.secretPaths, ...denyRead],
    shown: allowRead,
  };
  return { ...sandbox, fixed };
}

/** The sandbox in which a request runs. A verdict refuses one that is wider than allowed; here it does not even count. */
export function sandboxNameOf({ sandbox }: Pick<RunOptions, 'sandbox'>, settings: HeldSandbox): SandboxName {
  const wished = sandbox?.name;
  if (wished === undefined || isTooWide(wished, settings)) return settings.name ?? 'workspace';
  return wished;
}

/** The same for whoever describes it: the name that holds for a wish, given the settings of the folder. */
export function sandboxThatHolds(settings: LoadedSettings, wished: SandboxName | undefined): SandboxName {
  const options = wished === undefined ? {} : { sandbox: { name: wished } };
  return sandboxNameOf(options, heldSandbox(settings, settings));
}

/** Whether the machine has settings of its own; most have none. */
export function isManaged({ sources }: Pick<LoadedSettings, 'sources'>): boolean {
  return sources.some(({ layer, settings }) => layer === 'managed' && settings !== null);
}

function isTooWide(wished: SandboxName, { fixed }: HeldSandbox): boolean {
  return fixed?.name != null && !isStricterSandbox(wished, fixed.name.value);
}

/** The verdict on a request that wants more than the machine's own settings leave: a no. */
export function judgeWidening(verdict: Verdict, options: RunOptions, settings: HeldSandbox, policy: Policy): Verdict {
  const findings = options.sandbox === undefined ? [] : wideningsOf(options.sandbox, options, settings, policy);
  if (findings.length === 0) return verdict;
  const all = [...findings, ...verdict.findings];
  return { ...verdict, verdict: 'deny', risk: 'high', action: 'block', findings: all, suggestions: [] };
}

function wideningsOf(wish: SandboxWish, options: RunOptions, settings: HeldSandbox, policy: Policy): Finding[] {
  const { name: wished, allowWrite = [], allowDomains = [], allowPorts = [] } = wish;
  const { name, paths, hosts } = settings.fixed ?? {};
  const findings: Finding[] = [];
  if (name && wished !== undefined && isTooWide(wished, settings))
    findings.push(refusal(name, `asks for the sandbox ${wished}`, `sandbox.name is fixed as ${name.value}`));
  const folders = paths ? allowWrite.filter((path) => !isWithin(path, managedPlaces(options, settings, policy))) : [];
  if (paths && folders.length > 0)
    findings.push(refusal(paths, `asks to write in ${folders.join(', ')}`, 'managedPathsOnly is on'));
  const { allowPorts: known = [] } = settings.network ?? {};
  const places = hosts
    ? [
        ...allowDomains.filter((host) => !policy.domains.allow.includes(host)),
        ...allowPorts.filter((port) => !known.includes(port)).map((port) => `localhost:${port}`),
      ]
    : [];
  if (hosts && places.length > 0)
    findings.push(refusal(hosts, `asks to reach ${places.join(', ')}`, 'managedDomainsOnly is on'));
  return findings;
}

function refusal({ file, line }: Held<unknown>, what: string, why: string): Finding {
  return {
    id: 'managed-sandbox',
    layer: 'sandbox',
    verdict: 'deny',
    severity: 'high',
    message: `The request ${what}, but in the managed settings (${file}:${line}) ${why}.`,
    instead: 'Leave it out of the request, or ask whoever manages this machine.',
    span: null,
    command: null,
    rule: null,
    confidence: null,
  };
}

function managedPlaces(options: RunOptions, settings: HeldSandbox, policy: Policy): readonly string[] {
  const roots = policy.roots ?? [options.originalCwd ?? options.cwd];
  return [...roots, ...(settings.filesystem?.allowWrite ?? [])];
}

/** Links are followed first: one inside may lead outside. What does not exist opens nothing. */
function isWithin(path: string, places: readonly string[]): boolean {
  const real = realPath(path);
  return real !== null && places.some((place) => isAtOrBelow(real, realPath(place) ?? place));
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** What a command names opens for it once it is allowed; where the machine fixes paths, only what was open. */
export function withoutOpening(
  named: NamedPaths,
  options: RunOptions,
  settings: HeldSandbox,
  policy: Policy,
): NamedPaths {
  if (!settings.fixed?.paths) return named;
  const places = managedPlaces(options, settings, policy);
  const isInside = (path: string) => isWithin(path, places) || isAtOrBelowAny(path, places);
  return {
    reads: named.reads.filter(isInside),
    writes: named.writes.filter(({ path }) => isInside(path)),
    deletes: named.deletes.filter(({ path }) => isInside(path)),
  };
}

/** A file that is still to be made has no links yet. */
function isAtOrBelowAny(path: string, places: readonly string[]): boolean {
  return realPath(path) === null && places.some((place) => isAtOrBelow(path, place));
}

/** A caller's own policy stands in for all settings but the machine's: what these forbid stays forbidden. */
export function holdManaged(policy: Policy, managed: LoadedSettings): Policy {
  if (!isManaged(managed)) return policy;
  const { policy: held, switches } = managed;
  const stricter = (id: string, verdict: VerdictName) => strictest([verdict, policy.checks[id] ?? verdict]);
  const common = (mine: readonly string[], theirs: readonly string[]) => mine.filter((item) => theirs.includes(item));
  const isDropped = ({ list, text }: Policy['rules'][number]) =>
    list === 'allow' &&
    (switches.managedRulesOnly ||
      (switches.managedPathsOnly && /^\s*(?:Read|Edit|Write)\b/.test(text)) ||
      (switches.managedDomainsOnly && /^\s*(?:WebFetch|Network)\b/.test(text)));
  return {
    ...policy,
    mode: heldMode(managed, policy.mode),
    rules: [...held.rules.filter(({ list }) => list !== 'allow'), ...policy.rules.filter((rule) => !isDropped(rule))],
    roots: switches.managedPathsOnly ? heldRoots(policy.roots, held.roots) : policy.roots,
    confineReads: policy.confineReads || held.confineReads,
    protectedPaths: [...held.protectedPaths, ...policy.protectedPaths],
    secretPaths: [...held.secretPaths, ...policy.secretPaths],
    allowedCommands:
      policy.allowedCommands === null || held.allowedCommands === null
        ? (policy.allowedCommands ?? held.allowedCommands)
        : common(policy.allowedCommands, held.allowedCommands),
    blacklist: {
      commands: [...held.blacklist.commands, ...policy.blacklist.commands],
      directories: [...held.blacklist.directories, ...policy.blacklist.directories],
    },
    domains: {
      allow: switches.managedDomainsOnly ? common(policy.domains.allow, held.domains.allow) : policy.domains.allow,
      deny: [...held.domains.deny, ...policy.domains.deny],
    },
    users: { ...policy.users, ...held.users },
    checks: {
      ...policy.checks,
      ...Object.fromEntries(Object.entries(held.checks).map(([id, verdict]) => [id, stricter(id, verdict)])),
    },
    requireConfirmation: policy.requireConfirmation || held.requireConfirmation,
    allowBypass: policy.allowBypass && held.allowBypass,
  };
}

/** Null: the folder of the request. */
function heldRoots(mine: readonly string[] | null, theirs: readonly string[] | null): readonly string[] | null {
  if (mine === null || theirs === null) return theirs;
  return mine.filter((root) => isWithin(root, theirs));
}
