// Options of a shell tool → complete values. Invalid ones are thrown.

import { availableParallelism } from 'node:os';
import type { Broker } from '../approve/broker.ts';
import type { ShellObserver } from '../core/observer.ts';
import type { Runner } from '../run/port.ts';
import type { QueueLimits } from '../run/queue.ts';
import { currentFolder } from '../terms/current-folder.ts';
import {
  checkFolder,
  checkMilliseconds,
  checkNames,
  checkValues,
  DEFAULT_NAMES,
  defaultsOf,
  type ShellDefaults,
  withoutUndefined,
  wrong,
} from './call-options.ts';
import type { Classifier } from './check.ts';

export interface ShellOptions extends ShellDefaults {
  /** Instead of the keeper, or of Node's spawn if there is no keeper. It is closed with the tool. */
  readonly runner?: Runner;
  /** How many shells may be started ahead, 0 to 4 (docs/decisions/0006-prestarted-pool.md). Default: from the settings, or 2. */
  readonly pool?: number;
  /** Answers questions. Without a broker, commands that need approval are denied, and the answer says how to allow them. */
  readonly broker?: Broker;
  readonly classifier?: Classifier;
  /** Told of every step of every request: audit, metrics, alerts. */
  readonly observers?: readonly ShellObserver[];
  /** Records and alerts as the settings require: `openRecording({ cwd })`. It is closed with the tool. */
  readonly recording?: { readonly observers: readonly ShellObserver[]; close(): Promise<unknown> };
  /** How many commands run and wait at once, and in which order those of one session run. */
  readonly queue?: Partial<QueueLimits>;
  /** Maximum number of background tasks of this tool at once. */
  readonly maxTasks?: number;
  /** Instead of `~/.local/state/hardshell/tasks`. */
  readonly tasksFolder?: string;
  /** No command in the foreground takes longer, in milliseconds. Default ten minutes; `timeout` is two unless it is said. */
  readonly maxTimeout?: number;
  /** How much of an output is kept: the first and the last half of it. */
  readonly keepBytes?: number;
  /** A settings file besides the ones that hold in the folder. */
  readonly settingsFile?: string;
  /** The variables of the host; default `process.env`. */
  readonly hostEnvironment?: Readonly<Record<string, string | undefined>>;
}

export interface ShellSetup extends Omit<ShellOptions, keyof ShellDefaults> {
  /** Without `timeout`: it is not for tasks. */
  readonly defaults: Omit<ShellDefaults, 'timeout'>;
  readonly queue: QueueLimits;
  readonly maxTasks: number;
  readonly timeout: number;
  readonly maxTimeout: number;
  readonly keepBytes: number;
  readonly hostEnvironment: Readonly<Record<string, string | undefined>>;
}

/** Where it is made. A folder that is gone by then is missed by the first call that needs it. */
function folderOf({ cwd }: ShellDefaults): { readonly cwd?: string } {
  try {
    return { cwd: cwd ?? currentFolder() };
  } catch {
    return {};
  }
}

/** Halves of it are divided into pages and bits. */
const KEEP_STEP = 16 << 10;

const SHELL_OPTIONS = {
  ...Object.fromEntries(DEFAULT_NAMES.map((name) => [name, true])),
  runner: true,
  pool: true,
  broker: true,
  classifier: true,
  observers: true,
  recording: true,
  queue: true,
  maxTasks: true,
  tasksFolder: true,
  maxTimeout: true,
  keepBytes: true,
  settingsFile: true,
  hostEnvironment: true,
} satisfies Record<Exclude<keyof ShellOptions, keyof ShellDefaults>, true>;

export function completeOptions(given: ShellOptions): ShellSetup {
  checkNames(given, SHELL_OPTIONS);
  const options = withoutUndefined(given);
  const { timeout = 120_000, maxTimeout = 600_000, keepBytes = 64 << 20 } = options;
  checkValues(options);
  checkMilliseconds('timeout', timeout);
  checkMilliseconds('maxTimeout', maxTimeout);
  if (!Number.isSafeInteger(keepBytes) || keepBytes < KEEP_STEP)
    throw wrong(`keepBytes must be a whole number of at least ${KEEP_STEP}.`);
  if (options.tasksFolder !== undefined) checkFolder('tasksFolder', options.tasksFolder);
  const maxTasks = options.maxTasks ?? 64;
  if (!Number.isSafeInteger(maxTasks) || maxTasks < 0) throw wrong('maxTasks must be a whole number.');
  const { timeout: _, ...defaults } = defaultsOf(options);
  return {
    ...options,
    defaults: { view: 'req', ...folderOf(options), ...defaults },
    observers: [...(options.recording?.observers ?? []), ...(options.observers ?? [])],
    queue: { concurrent: Math.max(16, 2 * availableParallelism()), ...options.queue },
    maxTasks,
    timeout,
    maxTimeout,
    keepBytes: Math.ceil(keepBytes / KEEP_STEP) * KEEP_STEP,
    hostEnvironment: options.hostEnvironment ?? process.env,
  };
}
