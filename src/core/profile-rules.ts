// A profile × its configuration → what holds for each of its commands, whichever surface chose the profile.
// Numbers are those of the documents. Configurations of several sources are joined key by key: the stricter value holds.

import type { Shell } from './facts.ts';
import { SECURITY_LEVELS } from './failure.ts';
import type { Narrowing } from './policy.ts';
import {
  type BashConfig,
  type BashConfiguration,
  DEFAULT_BASH_CONFIG,
  DEFAULT_BASH_CONFIGURATION,
  type ProfileConfiguration,
  shellOfPath,
} from './profile-configuration.ts';
import type { ProfileName } from './profile-names.ts';
import type { LimitName, OutputView } from './running.ts';
import { MAX_TIMER_MS } from './values/timers.ts';

export interface ProfileRules {
  readonly view: OutputView;
  /** Only if it is fewer than the view shows by itself. */
  readonly viewCharacters?: number;
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  /** Between SIGTERM and SIGKILL, if the document defines it. */
  readonly graceMs?: number;
  readonly limits: Readonly<Partial<Record<Exclude<LimitName, 'timeoutMs'>, number>>>;
  readonly narrowing: readonly Narrowing[];
  readonly requiresDescription: boolean;
  /** Commands run in a sandbox, even if the settings have none. */
  readonly requiresSandbox: boolean;
  /** Requests that do not say otherwise ask to run outside the sandbox. */
  readonly leavesSandbox: boolean;
  /** The document runs commands without asking: what the sandbox holds inside its folders needs no rule. */
  readonly runsInsideUnasked: boolean;
  /** Where nothing can confine commands, they run unrestricted, and the result says so. */
  readonly runsWithoutSandbox: boolean;
  readonly preservesEnvironment: boolean;
  /** Tags with hints for the host are removed from the output. */
  readonly readsHints: boolean;
  /** `null`: the usual one. */
  readonly shell: Shell | null;
}

/** `settings`: of the files. `given`: by the program that uses hardshell, the weakest first. */
export interface Configurations {
  readonly settings?: ProfileConfiguration | undefined;
  readonly given?: ProfileConfiguration | readonly ProfileConfiguration[] | undefined;
}

const PLAIN = {
  limits: {},
  narrowing: [],
  requiresDescription: false,
  requiresSandbox: false,
  leavesSandbox: false,
  runsInsideUnasked: false,
  runsWithoutSandbox: false,
  preservesEnvironment: false,
  readsHints: false,
  shell: null,
} as const;

const MINUTE_MS = 60_000;

export function rulesOfProfile(name: ProfileName, configurations: Configurations = {}): ProfileRules {
  switch (name) {
    case 'req':
      // REQ-BASH-009: without Landlock its commands run unrestricted.
      return { ...PLAIN, view: 'req', timeoutMs: 30_000, maxTimeoutMs: 15 * MINUTE_MS, runsWithoutSandbox: true };
    case 'claude-code':
      return {
        ...PLAIN,
        view: 'claude-code',
        timeoutMs: 2 * MINUTE_MS,
        maxTimeoutMs: 10 * MINUTE_MS,
        readsHints: true,
      };
    case 'mcp-guide':
      return {
        ...PLAIN,
        view: 'proposal-0028',
        timeoutMs: 5 * MINUTE_MS,
        maxTimeoutMs: 60 * MINUTE_MS,
        runsInsideUnasked: true,
      };
    case 'proposal-0028':
      return rulesOfProposal(joinBashConfig(configurations));
    case 'layered':
      return rulesOfLayered(configurations);
  }
}

/** As options of `createShell`. */
export function engineOf(name: ProfileName, given: ProfileConfiguration = {}) {
  const { view, timeoutMs, maxTimeoutMs } = rulesOfProfile(name, { given });
  return { view, timeout: timeoutMs, maxTimeout: maxTimeoutMs };
}

function rulesOfProposal(config: BashConfig): ProfileRules {
  const { maxOutputSize, maxTimeout, defaultTimeout, blockedCommands, requireDescription, sandboxMode } = config;
  return {
    ...PLAIN,
    view: 'proposal-0028',
    viewCharacters: maxOutputSize,
    timeoutMs: Math.min(defaultTimeout, maxTimeout),
    maxTimeoutMs: maxTimeout,
    narrowing: [{ blacklist: { commands: blockedCommands } }],
    requiresDescription: requireDescription,
    requiresSandbox: sandboxMode,
    runsInsideUnasked: true,
  };
}

function rulesOfLayered(configurations: Configurations): ProfileRules {
  const config = joinBashConfiguration(configurations);
  return {
    ...PLAIN,
    view: 'req',
    timeoutMs: config.defaultTimeout,
    // The document defines no maximum.
    maxTimeoutMs: MAX_TIMER_MS,
    graceMs: 5_000,
    limits: {
      outputBytes: config.maxOutputSize,
      memoryBytes: config.maxMemoryUsage,
      cpuPercent: config.maxCpuUsage,
      processes: config.maxProcesses,
      openFiles: config.maxFileDescriptors,
    },
    narrowing: [
      ...narrowingOf(configurations.settings?.layered, { isEmptyOpen: false }),
      ...givenOf(configurations).flatMap(({ layered }) => narrowingOf(layered, { isEmptyOpen: true })),
      ...(config.securityLevel === 'high' ? [{ requireConfirmation: true } as const] : []),
    ],
    leavesSandbox: !config.enableSandbox,
    runsInsideUnasked: true,
    preservesEnvironment: config.preserveEnvironment,
    shell: shellOfPath(config.defaultShell),
  };
}

/**
 * Each source restricts by itself. For the document an empty list is no restriction; files cannot have one, so an empty list
 * of the settings is what lists of several files have in common: nothing.
 */
function narrowingOf(
  { commandWhitelist, allowedPaths }: Partial<BashConfiguration> = {},
  { isEmptyOpen }: { readonly isEmptyOpen: boolean },
): readonly Narrowing[] {
  const isOpen = (list: readonly string[] | undefined) => list === undefined || (isEmptyOpen && list.length === 0);
  return [
    ...(isOpen(commandWhitelist) ? [] : [{ allowedCommands: commandWhitelist as readonly string[] }]),
    ...(isOpen(allowedPaths) ? [] : [{ roots: allowedPaths as readonly string[] }]),
  ];
}

/** What the sources say together, without the defaults: for the tools of a profile. */
export function joinConfigurations(configurations: Configurations): ProfileConfiguration {
  const proposals = sourcesOf(configurations, 'proposal-0028');
  const layered = sourcesOf(configurations, 'layered');
  const isBlocking = proposals.some(({ blockedCommands }) => blockedCommands !== undefined);
  const { blockedCommands } = joinBashConfig(configurations);
  return {
    layered: joinAll<BashConfiguration>(layered, BASH_CONFIGURATION),
    'proposal-0028': { ...joinAll<BashConfig>(proposals, BASH_CONFIG), ...(isBlocking ? { blockedCommands } : {}) },
  };
}

/** The complete configuration of P28 that holds. Files add to the blocked commands; a program may replace the document's. */
function joinBashConfig(configurations: Configurations): BashConfig {
  const sources = sourcesOf(configurations, 'proposal-0028');
  const joined = joinAll<BashConfig>(sources, BASH_CONFIG);
  const given = givenOf(configurations).flatMap((each) => each['proposal-0028']?.blockedCommands ?? []);
  const isReplaced = givenOf(configurations).some((each) => each['proposal-0028']?.blockedCommands !== undefined);
  const own = configurations.settings?.['proposal-0028']?.blockedCommands ?? [];
  const base = isReplaced ? given : DEFAULT_BASH_CONFIG.blockedCommands;
  return { ...DEFAULT_BASH_CONFIG, ...joined, blockedCommands: [...new Set([...base, ...own])] };
}

/** The complete configuration of LAYER that holds. Of several whitelists the common part; the rules apply each of them. */
function joinBashConfiguration(configurations: Configurations): BashConfiguration {
  return {
    ...DEFAULT_BASH_CONFIGURATION,
    ...joinAll<BashConfiguration>(sourcesOf(configurations, 'layered'), BASH_CONFIGURATION),
  };
}

function givenOf({ given = [] }: Configurations): readonly ProfileConfiguration[] {
  return [given].flat();
}

function sourcesOf<Name extends keyof ProfileConfiguration>(
  configurations: Configurations,
  name: Name,
): readonly NonNullable<ProfileConfiguration[Name]>[] {
  const all = [configurations.settings ?? {}, ...givenOf(configurations)];
  return all.flatMap((each) => each[name] ?? []) as NonNullable<ProfileConfiguration[Name]>[];
}

type Join<Value> = (one: Value, other: Value) => Value;
type Joins<Config> = { readonly [Key in keyof Config]: Join<Config[Key]> };

function joinAll<Config extends object>(sources: readonly Partial<Config>[], joins: Joins<Config>): Partial<Config> {
  const joined: Partial<Config> = {};
  for (const source of sources)
    for (const key of Object.keys(source) as (keyof Config)[]) {
      const [before, value] = [joined[key], source[key]];
      if (value !== undefined) joined[key] = before === undefined ? value : joins[key](before, value);
    }
  return joined;
}

const smaller: Join<number> = (one, other) => Math.min(one, other);
const both: Join<boolean> = (one, other) => one && other;
const either: Join<boolean> = (one, other) => one || other;
const all: Join<readonly string[]> = (one, other) => [...new Set([...one, ...other])];
const latest = <Value>(_: Value, other: Value): Value => other;

/** An empty list is no restriction. */
const common: Join<readonly string[]> = (one, other) => {
  const shared = one.filter((each) => other.includes(each));
  if (one.length === 0) return other;
  return shared.length === 0 ? one : shared;
};

const BASH_CONFIG: Joins<BashConfig> = {
  defaultTimeout: smaller,
  maxTimeout: smaller,
  maxOutputSize: smaller,
  blockedCommands: all,
  requireDescription: either,
  sandboxMode: either,
};

const BASH_CONFIGURATION: Joins<BashConfiguration> = {
  enableSandbox: either,
  commandWhitelist: common,
  allowedPaths: common,
  securityLevel: (one, other) => (SECURITY_LEVELS.indexOf(one) > SECURITY_LEVELS.indexOf(other) ? one : other),
  defaultTimeout: smaller,
  maxOutputSize: smaller,
  enableStreaming: both,
  maxMemoryUsage: smaller,
  maxCpuUsage: smaller,
  maxProcesses: smaller,
  maxFileDescriptors: smaller,
  preserveEnvironment: both,
  defaultWorkingDirectory: latest,
  defaultShell: latest,
  enableMonitoring: either,
  enableAuditing: either,
  logLevel: latest,
};
