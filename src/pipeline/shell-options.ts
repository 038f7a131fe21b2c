// What a shell tool is made with and asked for → complete values. Wrong ones are the caller's mistake and are thrown.

import { availableParallelism } from 'node:os';
import { isAbsolute } from 'node:path';
import type { Broker } from '../approve/broker.ts';
import { parseRule as parseDomain } from '../confine/network/rules/rules.ts';
import { SANDBOXES } from '../core/confinement.ts';
import { HardshellError } from '../core/errors.ts';
import { SHELLS } from '../core/facts.ts';
import type { ShellObserver } from '../core/observer.ts';
import { MODES } from '../core/policy.ts';
import { OUTPUT_VIEWS, type OutputView, type RunOptions } from '../core/running.ts';
import type { Runner } from '../run/port.ts';
import type { QueueLimits } from '../run/queue.ts';
import type { Classifier } from './check.ts';

export interface ShellOptions {
  /** Instead of the keeper, or of Node's spawn where there is no keeper. It is closed with the tool. */
  readonly runner?: Runner;
  /** How many shells may be loaded ahead, 0 to 4 (docs/decisions/0006-prestarted-pool.md). Default: the settings', or 2. */
  readonly pool?: number;
  /** Who is asked. Without one, whatever would be asked about is denied, and the answer says how to allow it. */
  readonly broker?: Broker;
  readonly classifier?: Classifier;
  /** Told of every step of every request: audit, metrics, alerts. */
  readonly observers?: readonly ShellObserver[];
  /** What the settings say is recorded and told: `openRecording({ cwd })`. It is closed with the tool. */
  readonly recording?: { readonly observers: readonly ShellObserver[]; close(): Promise<unknown> };
  /** How many commands run and wait at once, and in which order those of one session do. */
  readonly queue?: Partial<QueueLimits>;
  /** Background tasks of this tool that may run at once. */
  readonly maxTasks?: number;
  /** Instead of `~/.local/state/hardshell/tasks`. */
  readonly tasksFolder?: string;
  /** How long output is shown. Default `req`. */
  readonly view?: OutputView;
  readonly defaultTimeoutMs?: number;
  readonly maxTimeoutMs?: number;
  /** How much of an output is kept: the first and the last half of it. */
  readonly keepBytes?: number;
  /** For requests that do not say it. */
  readonly originalCwd?: string;
  /** A settings file besides the ones that hold in the folder. */
  readonly settingsFile?: string;
  /** The variables of the host; default `process.env`. */
  readonly hostEnvironment?: Readonly<Record<string, string | undefined>>;
}

export interface ShellSetup extends ShellOptions {
  readonly queue: QueueLimits;
  readonly maxTasks: number;
  readonly view: OutputView;
  readonly defaultTimeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly keepBytes: number;
  readonly hostEnvironment: Readonly<Record<string, string | undefined>>;
}

/** Halves of it are divided into pages and bits. */
const KEEP_STEP = 16 << 10;
const MAX_TIMER_MS = 2 ** 31 - 1;

export function completeOptions(options: ShellOptions): ShellSetup {
  const { view = 'req', defaultTimeoutMs = 120_000, maxTimeoutMs = 600_000, keepBytes = 64 << 20 } = options;
  if (!OUTPUT_VIEWS.includes(view)) throw wrong(`view must be one of ${OUTPUT_VIEWS.join(', ')}.`);
  checkMilliseconds('defaultTimeoutMs', defaultTimeoutMs);
  checkMilliseconds('maxTimeoutMs', maxTimeoutMs);
  if (!Number.isSafeInteger(keepBytes) || keepBytes < KEEP_STEP)
    throw wrong(`keepBytes must be a whole number of at least ${KEEP_STEP}.`);
  if (options.originalCwd !== undefined) checkFolder('originalCwd', options.originalCwd);
  if (options.tasksFolder !== undefined) checkFolder('tasksFolder', options.tasksFolder);
  const maxTasks = options.maxTasks ?? 64;
  if (!Number.isSafeInteger(maxTasks) || maxTasks < 0) throw wrong('maxTasks must be a whole number.');
  return {
    ...options,
    observers: [...(options.recording?.observers ?? []), ...(options.observers ?? [])],
    queue: { concurrent: Math.max(16, 2 * availableParallelism()), ...options.queue },
    maxTasks,
    view,
    defaultTimeoutMs,
    maxTimeoutMs,
    keepBytes: Math.ceil(keepBytes / KEEP_STEP) * KEEP_STEP,
    hostEnvironment: options.hostEnvironment ?? process.env,
  };
}

/** Nothing is believed for its type: requests may come from programs without types. */
export function checkRequest(command: string, options: RunOptions): void {
  if (typeof command !== 'string') throw wrong('The command must be text.');
  if (command.trim() === '')
    throw new HardshellError('empty', 'The command is empty.', { hint: 'Give a command, for example `ls -l`.' });
  if (typeof options !== 'object' || options === null) throw wrong('The options must be an object with `cwd`.');
  checkFolder('cwd', options.cwd);
  if (options.originalCwd !== undefined) checkFolder('originalCwd', options.originalCwd);
  if (options.view !== undefined && !OUTPUT_VIEWS.includes(options.view))
    throw wrong(`view must be one of ${OUTPUT_VIEWS.join(', ')}.`);
  if (options.mode !== undefined && !MODES.includes(options.mode))
    throw wrong(`mode must be one of ${MODES.join(', ')}.`);
  const { viewCharacters } = options;
  if (viewCharacters !== undefined && !(viewCharacters >= 2 && viewCharacters <= 30_000))
    throw wrong('viewCharacters must be a number from 2 to 30000.');
  const { args, shell, timeoutMs, backgroundAfterMs, env, stdin, streams } = options;
  if (args !== undefined && !(Array.isArray(args) && args.every((word) => typeof word === 'string')))
    throw wrong('args must be a list of texts.');
  if (args !== undefined && shell !== undefined) throw wrong('With args there is no shell: leave one of them out.');
  if (shell !== undefined && !SHELLS.includes(shell)) throw wrong(`shell must be one of ${SHELLS.join(', ')}.`);
  if (timeoutMs !== undefined) checkMilliseconds('timeoutMs', timeoutMs);
  if (backgroundAfterMs !== undefined) checkMilliseconds('backgroundAfterMs', backgroundAfterMs);
  if (env !== undefined && Object.values(env).some((value) => typeof value !== 'string'))
    throw wrong('env must be an object of texts.');
  if (stdin !== undefined && typeof stdin !== 'string' && !(stdin instanceof Uint8Array))
    throw wrong('stdin must be text or bytes.');
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
  // It throws what is wrong with a pattern.
  for (const host of allowDomains) parseDomain(host);
  for (const port of [...allowPorts, ...publishPorts])
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw wrong(`${port} is not a port.`);
  const wider = [allowWrite, allowDomains, allowPorts, publishPorts].some((list) => list.length > 0);
  if (name === 'restricted' && wider)
    throw new HardshellError('invalid-argument', 'The restricted sandbox cannot be widened.', {
      hint: 'Use the sandbox workspace, which may write and reach what you name.',
    });
}

function checkFolder(name: string, path: unknown): void {
  if (typeof path !== 'string' || !isAbsolute(path) || path.includes('\0'))
    throw wrong(`${name} must be an absolute path.`);
}

function checkMilliseconds(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value <= 0 || value > MAX_TIMER_MS)
    throw wrong(`${name} must be a whole number of milliseconds, greater than 0.`);
}

function wrong(message: string): HardshellError {
  return new HardshellError('invalid-argument', message);
}
