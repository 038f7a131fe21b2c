// What a call can say: its options, completed by what the shell tool was made with. Wrong ones are thrown.

import { isAbsolute } from 'node:path';
import { parseRule as parseDomain } from '../confine/network/rules/rules.ts';
import { SANDBOXES } from '../core/confinement.ts';
import { HardshellError } from '../core/errors.ts';
import { SHELLS } from '../core/facts.ts';
import { refuseUnknown } from '../core/option-names.ts';
import { MODES } from '../core/policy.ts';
import { OUTPUT_VIEWS, type RunOptions } from '../core/running.ts';
import { currentFolder } from '../terms/current-folder.ts';

/**
 * What calls of the tool have unless they say otherwise. `env`, `limits` and `sandbox` of a call are added to these, key by
 * key; `narrowing` of both holds. `timeout` is for commands in the foreground: a task has none unless its call says so.
 */
export type ShellDefaults = Omit<
  RunOptions,
  'args' | 'input' | 'isInputOpen' | 'withoutSandbox' | 'description' | 'caller'
>;

const RUN_OPTIONS = {
  cwd: 'default',
  originalCwd: 'default',
  session: 'default',
  user: 'default',
  signal: 'default',
  caller: 'call',
  policy: 'default',
  mode: 'default',
  profile: 'default',
  narrowing: 'default',
  view: 'default',
  viewCharacters: 'default',
  shell: 'default',
  args: 'call',
  timeout: 'default',
  env: 'default',
  preserveEnvironment: 'default',
  input: 'call',
  isInputOpen: 'call',
  streams: 'default',
  backgroundAfter: 'default',
  limits: 'default',
  sandbox: 'default',
  withoutSandbox: 'call',
  keepOutput: 'default',
  stripAnsi: 'default',
  wantsDetails: 'default',
  description: 'call',
  onEvent: 'default',
  assumeYes: 'default',
} as const satisfies { [Name in keyof RunOptions]-?: Name extends keyof ShellDefaults ? 'default' : 'call' };

/** A call with everything that the tool adds to it. */
export type CompleteOptions = RunOptions & { readonly cwd: string };

/** The defaults among the options of a shell tool. */
export function defaultsOf(options: ShellDefaults): ShellDefaults {
  const names = new Set<string>(DEFAULT_NAMES);
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.has(name)));
}

export const DEFAULT_NAMES = Object.entries(RUN_OPTIONS).flatMap(([name, kind]) => (kind === 'default' ? [name] : []));

export function checkCommand(command: unknown): void {
  if (typeof command !== 'string') throw wrong('The command must be a string.');
  if (command.trim() === '')
    throw new HardshellError('empty', 'The command is empty.', { hint: 'Pass a command, for example `ls -l`.' });
}

/** Nothing below here looks at the process for a folder. */
export function completeCall(given: RunOptions, defaults: ShellDefaults): CompleteOptions {
  checkNames(given, RUN_OPTIONS);
  const call = withoutUndefined(given);
  const { env, limits, sandbox } = { ...defaults, ...call };
  const narrowing = [defaults.narrowing ?? [], call.narrowing ?? []].flat();
  const complete = {
    ...defaults,
    ...call,
    ...(env === undefined ? {} : { env: { ...defaults.env, ...call.env } }),
    ...(limits === undefined ? {} : { limits: { ...defaults.limits, ...call.limits } }),
    ...(sandbox === undefined ? {} : { sandbox: { ...defaults.sandbox, ...call.sandbox } }),
    ...(narrowing.length === 0 ? {} : { narrowing }),
    cwd: call.cwd ?? defaults.cwd ?? currentFolder(),
  };
  checkValues(complete);
  return complete;
}

export function checkNames(options: unknown, known: Readonly<Record<string, unknown>>): void {
  if (typeof options !== 'object' || options === null) throw wrong('The options must be an object.');
  refuseUnknown(options, known);
}

/** `{ cwd: undefined }` says nothing. */
export function withoutUndefined<Options extends object>(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
}

/** Types are not trusted: calls may come from programs that have none. */
export function checkValues(options: RunOptions): void {
  if (options.cwd !== undefined) checkFolder('cwd', options.cwd);
  if (options.originalCwd !== undefined) checkFolder('originalCwd', options.originalCwd);
  if (options.view !== undefined && !OUTPUT_VIEWS.includes(options.view))
    throw wrong(`view must be one of ${OUTPUT_VIEWS.join(', ')}.`);
  if (options.mode !== undefined && !MODES.includes(options.mode))
    throw wrong(`mode must be one of ${MODES.join(', ')}.`);
  const { viewCharacters } = options;
  if (viewCharacters !== undefined && !(viewCharacters >= 2 && viewCharacters <= 30_000))
    throw wrong('viewCharacters must be a number from 2 to 30000.');
  const { args, shell, timeout, backgroundAfter, env, input, streams } = options;
  if (args !== undefined && !(Array.isArray(args) && args.every((word) => typeof word === 'string')))
    throw wrong('args must be a list of strings.');
  if (args !== undefined && shell !== undefined)
    throw wrong('args and shell cannot be combined: leave one of them out.');
  if (shell !== undefined && !SHELLS.includes(shell)) throw wrong(`shell must be one of ${SHELLS.join(', ')}.`);
  if (timeout !== undefined) checkMilliseconds('timeout', timeout);
  if (backgroundAfter !== undefined) checkMilliseconds('backgroundAfter', backgroundAfter);
  if (env !== undefined && Object.values(env).some((value) => typeof value !== 'string'))
    throw wrong('env must be an object of strings.');
  if (input !== undefined && typeof input !== 'string' && !(input instanceof Uint8Array))
    throw wrong('input must be a string or bytes.');
  checkSandbox(options);
  if (streams !== undefined && streams !== 'merged' && streams !== 'split')
    throw wrong('streams must be merged or split.');
  for (const [name, value] of Object.entries(options.limits ?? {}))
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw wrong(`limits.${name} must be a whole number greater than 0.`);
}

function checkSandbox({ sandbox }: RunOptions): void {
  const { name, allowWrite = [], allowDomains = [], allowPorts = [], publishPorts = [] } = sandbox ?? {};
  if (name !== undefined && !SANDBOXES.includes(name))
    throw wrong(`sandbox.name must be one of ${SANDBOXES.join(', ')}.`);
  for (const path of allowWrite) checkFolder('sandbox.allowWrite', path);
  // Throws if a pattern is invalid.
  for (const host of allowDomains) parseDomain(host);
  for (const port of [...allowPorts, ...publishPorts])
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw wrong(`${port} is not a port.`);
  const wider = [allowWrite, allowDomains, allowPorts, publishPorts].some((list) => list.length > 0);
  if (name === 'restricted' && wider)
    throw new HardshellError('invalid-argument', 'The restricted sandbox cannot be widened.', {
      hint: 'Use the sandbox workspace, which can write to the folders and reach the hosts that you name.',
    });
}

export function checkFolder(name: string, path: unknown): void {
  if (typeof path !== 'string' || !isAbsolute(path) || path.includes('\0'))
    throw new HardshellError('invalid-argument', `${name} must be an absolute path.`, {
      hint: 'Use path.resolve(…) for a relative one.',
    });
}

/** Node's timers cannot wait longer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function checkMilliseconds(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value <= 0 || value > MAX_TIMER_MS)
    throw wrong(`${name} must be a whole number of milliseconds, greater than 0.`);
}

export function wrong(message: string): HardshellError {
  return new HardshellError('invalid-argument', message);
}
