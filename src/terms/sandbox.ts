// The sandbox and the network of one command: from settings and request, within the managed settings.
// Narrowing is always possible. A request beyond the managed settings has no effect, and is denied later.

import { isStricterSandbox } from '../config/layers/keys.ts';
import type { LoadedLayers, LoadedSettings } from '../config/load.ts';
import { type Managed, managedValue } from '../config/managed.ts';
import type { BackendName, SandboxName, SandboxOverrides } from '../core/confinement.ts';
import type { Policy } from '../core/policy.ts';
import type { ProfileRules } from '../core/profile-rules.ts';

export interface SandboxTerms {
  readonly name: SandboxName;
  readonly backend: BackendName;
  /** If this machine has no sandbox, the command does not run. */
  readonly isRequired: boolean;
  /** The request asks to run outside. */
  readonly isLeaving: boolean;
  /** The settings allow such requests. */
  readonly canLeave: boolean;
  readonly excludedCommands: readonly string[];
  readonly allowWrite: readonly string[];
  /** Folders that the request names, absolute. */
  readonly requestedWrites: readonly string[];
  readonly denyWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly allowRead: readonly string[];
  readonly managed: ManagedSandbox | null;
}

/** What the managed settings fix about the sandbox. */
export interface ManagedSandbox {
  readonly name: Managed<SandboxName> | null;
  /** `managedPathsOnly`: no other paths open, for any caller. */
  readonly paths: Managed<true> | null;
  /** Where commands may write if `paths` is set. */
  readonly places: readonly string[];
  /** `managedDomainsOnly`: no other hosts, addresses and ports of this machine. */
  readonly hosts: Managed<true> | null;
  /** Paths that they hide, and exceptions that they make: no other layer shows more. */
  readonly hidden: readonly string[];
  readonly shown: readonly string[];
  /** Requests beyond `name`; `null`: none. */
  readonly refusedName: SandboxName | null;
  /** Beyond `hosts`: hosts, and ports of this machine as `localhost:PORT`. */
  readonly refusedHosts: readonly string[];
}

/** What a command may reach, in addition to what rules and the command itself name. */
export interface NetworkTerms {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly allowAddresses: readonly string[];
  /** Only the managed settings open hosts and ports. */
  readonly areHostsFixed: boolean;
  /** Ports of this machine that the command may reach. */
  readonly hostPorts: readonly number[];
  /** Ports that the command publishes: those of the settings go to the first command, those of the request to this one. */
  readonly publishPorts: { readonly settings: readonly number[]; readonly request: readonly number[] };
  readonly unixSockets: { readonly isAny: boolean; readonly paths: readonly string[] };
}

export interface AskedSandbox {
  readonly sandbox?: SandboxOverrides;
  readonly withoutSandbox?: boolean;
}

export interface SandboxInputs extends LoadedLayers {
  readonly asked: AskedSandbox;
  readonly policy: Policy;
  readonly profile: Pick<ProfileRules, 'requiresSandbox' | 'leavesSandbox' | 'runsWithoutSandbox'> | null;
  readonly project: string;
}

export function resolveSandbox(inputs: SandboxInputs): SandboxTerms {
  const { asked, settings, policy, profile, project } = inputs;
  const { backend = 'auto', excludedCommands = [], allowUnsandboxed, failIfUnavailable, filesystem } = settings.sandbox;
  const { allowWrite = [], denyWrite = [], denyRead = [], allowRead = [] } = filesystem ?? {};
  const managed = resolveManaged(inputs, [...(policy.roots ?? [project]), ...allowWrite]);
  const fixed = managed?.name ?? null;
  const wanted = nameWithin(fixed, asked.sandbox?.name, settings);
  const name = profile?.requiresSandbox === true && wanted === 'unrestricted' ? 'workspace' : wanted;
  // For some documents commands run unrestricted without Landlock, unless the settings or the administrator say otherwise.
  const isRequired = failIfUnavailable ?? (profile?.runsWithoutSandbox !== true || fixed !== null);
  const isLeaving = asked.withoutSandbox ?? profile?.leavesSandbox ?? false;
  return {
    name,
    backend,
    isRequired: isRequired || name === 'restricted',
    isLeaving: isLeaving && name !== 'unrestricted',
    canLeave: allowUnsandboxed === true,
    excludedCommands,
    allowWrite,
    requestedWrites: asked.sandbox?.allowWrite ?? [],
    denyWrite,
    denyRead,
    allowRead,
    managed,
  };
}

/** The effective sandbox if a request asks for one, given the settings of its folder. */
export function effectiveSandbox(settings: LoadedSettings, asked: SandboxName | undefined): SandboxName {
  return nameWithin(managedValue(settings.origins, 'sandbox.name'), asked, settings);
}

function nameWithin(
  fixed: Managed<SandboxName> | null,
  asked: SandboxName | undefined,
  { sandbox }: Pick<LoadedSettings, 'sandbox'>,
): SandboxName {
  return asked === undefined || isTooWide(asked, fixed) ? (sandbox.name ?? 'workspace') : asked;
}

function isTooWide(asked: SandboxName, fixed: Managed<SandboxName> | null): boolean {
  return fixed !== null && !isStricterSandbox(asked, fixed.value);
}

function resolveManaged(
  { asked, settings, managed, policy }: SandboxInputs,
  places: readonly string[],
): ManagedSandbox | null {
  if (managed === null) return null;
  const { origins } = settings;
  const switchedOn = (key: string): Managed<true> | null => {
    const found = managedValue<boolean>(origins, key);
    return found?.value === true ? { ...found, value: true } : null;
  };
  const name = managedValue<SandboxName>(origins, 'sandbox.name');
  const hosts = switchedOn('managedDomainsOnly');
  const { denyRead = [], allowRead = [] } = managed.sandbox.filesystem ?? {};
  const { name: askedName, allowDomains = [], allowPorts = [] } = asked.sandbox ?? {};
  const knownPorts = settings.sandbox.network?.allowPorts ?? [];
  const beyond = [
    ...allowDomains.filter((host) => !policy.domains.allow.includes(host)),
    ...allowPorts.filter((port) => !knownPorts.includes(port)).map((port) => `localhost:${port}`),
  ];
  return {
    name,
    paths: switchedOn('managedPathsOnly'),
    places,
    hosts,
    hidden: [...managed.policy.secretPaths, ...denyRead],
    shown: allowRead,
    refusedName: askedName !== undefined && isTooWide(askedName, name) ? askedName : null,
    refusedHosts: hosts === null ? [] : beyond,
  };
}

/** `null`: the sandbox has no network. */
export function resolveNetwork(
  { asked, settings, policy }: SandboxInputs,
  { name }: Pick<SandboxTerms, 'name'>,
): NetworkTerms | null {
  if (name === 'restricted') return null;
  const { network = {} } = settings.sandbox;
  const { allowDomains = [], allowPorts = [], publishPorts = [] } = asked.sandbox ?? {};
  const areHostsFixed = settings.switches.managedDomainsOnly;
  return {
    allow: [...policy.domains.allow, ...(areHostsFixed ? [] : allowDomains)],
    deny: policy.domains.deny,
    allowAddresses: network.allowAddresses ?? [],
    areHostsFixed,
    hostPorts: [...(network.allowPorts ?? []), ...(areHostsFixed ? [] : allowPorts)],
    publishPorts: { settings: network.publishPorts ?? [], request: publishPorts },
    unixSockets: { isAny: network.allowAllUnixSockets === true, paths: network.allowUnixSockets ?? [] },
  };
}
