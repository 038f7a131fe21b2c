// The options of a call, completed by those of the shell tool. Invalid ones are thrown.

import { parseRule as parseDomain } from '../confine/network/rules/rules.ts';
import { SANDBOXES, type SandboxName, type SandboxOverrides } from '../core/confinement.ts';
import { HardshellError } from '../core/errors.ts';
import { SHELLS } from '../core/facts.ts';
import {
  between,
  type Check,
  type ChecksOf,
  callback,
  checkOptions,
  count,
  flag,
  folder,
  listOf,
  milliseconds,
  oneOf,
  port,
  recordOf,
  signal,
  text,
  texts,
  variables,
  wrong,
} from '../core/option-checks.ts';
import { MODES } from '../core/policy.ts';
import { checkConfiguration } from '../core/profile-configuration.ts';
import { PROFILES } from '../core/profile-names.ts';
import { type CompleteRunOptions, LIMITS, OUTPUT_VIEWS, type RunOptions } from '../core/running.ts';
import { STAGING_MODES } from '../core/staging.ts';
import { currentFolder } from '../terms/current-folder.ts';
import { checkNarrowing, checkPolicy } from './policy-check.ts';

/**
 * Defaults for the calls of a tool. `env`, `limits` and `sandbox` of a call are merged with these, key by key, and both
 * `narrowing` and `profiles` lists apply. `timeout` is for commands in the foreground: a task has none unless its own call sets one.
 */
export type ShellDefaults = Omit<
  RunOptions,
  'args' | 'input' | 'isInputOpen' | 'withoutSandbox' | 'description' | 'caller'
>;

/** Options that are not defaults of a tool. */
const CALL_ONLY = {
  args: true,
  input: true,
  isInputOpen: true,
  withoutSandbox: true,
  description: true,
  caller: true,
} as const satisfies Record<Exclude<keyof RunOptions, keyof ShellDefaults>, true>;

const domain: Check = (name, value) => {
  text(name, value);
  // Throws if a pattern is invalid.
  parseDomain(value as string);
};

const SANDBOX: ChecksOf<SandboxOverrides> = {
  name: oneOf(SANDBOXES),
  allowWrite: listOf(folder, 'absolute paths'),
  allowDomains: listOf(domain, 'hosts'),
  allowPorts: listOf(port, 'ports'),
  publishPorts: listOf(port, 'ports'),
};

const RUN_OPTIONS: ChecksOf<RunOptions> = {
  cwd: folder,
  originalCwd: folder,
  session: text,
  user: text,
  signal,
  caller: text,
  policy: checkPolicy,
  mode: oneOf(MODES),
  profile: oneOf(PROFILES),
  profiles: (name, value) => {
    for (const each of [value].flat()) checkConfiguration(name, each);
  },
  narrowing: checkNarrowing,
  view: oneOf(OUTPUT_VIEWS),
  viewCharacters: between(2, 1_000_000),
  shell: oneOf(SHELLS),
  args: texts,
  timeout: milliseconds,
  keepTimeout: flag,
  env: variables,
  preserveEnvironment: flag,
  input: (name, value) => {
    if (typeof value !== 'string' && !(value instanceof Uint8Array)) throw wrong(`${name} must be a string or bytes.`);
  },
  isInputOpen: flag,
  streams: oneOf(['merged', 'split']),
  backgroundAfter: milliseconds,
  limits: recordOf(Object.fromEntries(LIMITS.filter((name) => name !== 'timeoutMs').map((name) => [name, count]))),
  sandbox: (name, value) => {
    if (typeof value === 'string') oneOf(SANDBOXES)(name, value);
    else recordOf(SANDBOX)(name, value);
  },
  withoutSandbox: flag,
  keepOutput: flag,
  staging: oneOf(STAGING_MODES),
  stripAnsi: flag,
  wantsDetails: flag,
  description: text,
  onEvent: callback,
  assumeYes: flag,
};

/** A call with everything that the tool adds to it. */
export type CompleteOptions = CompleteRunOptions;

/** The checks of the options that a tool has as defaults. */
export const DEFAULT_CHECKS = Object.fromEntries(
  Object.entries(RUN_OPTIONS).filter(([name]) => !Object.hasOwn(CALL_ONLY, name)),
) as ChecksOf<ShellDefaults>;

/** The defaults among the options of a shell tool. */
export function defaultsOf(options: ShellDefaults): ShellDefaults {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(DEFAULT_CHECKS, name)));
}

export function checkCommand(command: unknown): void {
  if (typeof command !== 'string') throw wrong('The command must be a string.');
  if (command.trim() === '')
    throw new HardshellError('empty', 'The command is empty.', { hint: 'Pass a command, for example `ls -l`.' });
}

/** Below here, the folder of the process is not used. */
export function completeCall(given: RunOptions, defaults: ShellDefaults): CompleteOptions {
  const { sandbox, ...joined } = joinOptions(defaults, given);
  const complete = {
    ...joined,
    ...(sandbox === undefined ? {} : { sandbox: sandboxOf(sandbox) }),
    cwd: joined.cwd ?? currentFolder(),
  };
  checkCombination(complete);
  return complete;
}

/**
 * The options of a call over defaults that are valid: `env`, `limits` and `sandbox` key by key; `narrowing` and `profiles` of both apply;
 * `{ cwd: undefined }` leaves the default; of `args` and `shell`, which exclude each other, the one of the call applies.
 */
export function joinOptions<Options extends RunOptions>(defaults: Options, given: Options): Options {
  // As in spawn(program, args): a list must not be taken for an object without options.
  if (Array.isArray(given)) throw wrong('The options must be an object.', 'Pass arguments as { args: […] }.');
  checkOptions(given, RUN_OPTIONS);
  const call = withoutUndefined(given);
  const { args, shell, ...rest } = defaults;
  const isReplaced = call.args !== undefined || call.shell !== undefined;
  const { env, limits, sandbox } = { ...defaults, ...call };
  const narrowing = [defaults.narrowing ?? [], call.narrowing ?? []].flat();
  const profiles = [defaults.profiles ?? [], call.profiles ?? []].flat();
  return {
    ...(isReplaced ? rest : defaults),
    ...call,
    ...(env === undefined ? {} : { env: { ...defaults.env, ...call.env } }),
    ...(limits === undefined ? {} : { limits: { ...defaults.limits, ...call.limits } }),
    ...(sandbox === undefined ? {} : { sandbox: joinSandboxes(defaults.sandbox, call.sandbox) }),
    ...(narrowing.length === 0 ? {} : { narrowing }),
    ...(profiles.length === 0 ? {} : { profiles }),
  };
}

/** A call in the restricted sandbox gets nothing that the defaults open. */
function joinSandboxes(defaults: RunOptions['sandbox'], byCall: RunOptions['sandbox']): SandboxOverrides {
  const call = withoutUndefined(sandboxOf(byCall));
  return call.name === 'restricted' ? call : { ...withoutUndefined(sandboxOf(defaults)), ...call };
}

function sandboxOf(said: SandboxName | SandboxOverrides = {}): SandboxOverrides {
  return typeof said === 'string' ? { name: said } : said;
}

/** Options of a call or of a tool that are valid, but not together. */
export function checkCombination({ args, shell, sandbox }: RunOptions): void {
  if (args !== undefined && shell !== undefined)
    throw wrong('args and shell cannot be combined: leave one of them out.');
  const { name, ...wider } = sandboxOf(sandbox);
  if (name === 'restricted' && Object.values(wider).some((list) => list.length > 0))
    throw new HardshellError('invalid-argument', 'The restricted sandbox cannot be widened.', {
      hint: 'Use the sandbox workspace, which can write to the folders and reach the hosts that you name.',
    });
}

export function withoutUndefined<Options extends object>(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
}
