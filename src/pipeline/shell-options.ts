// Options of a shell tool → complete values. Invalid ones are thrown.

import { availableParallelism } from 'node:os';
import { isAbsolute } from 'node:path';
import type { Broker } from '../approve/broker.ts';
import { HardshellError } from '../core/errors.ts';
import type { ShellObserver } from '../core/observer.ts';
import { OUTPUT_VIEWS, type OutputView } from '../core/running.ts';
import type { Runner } from '../run/port.ts';
import type { QueueLimits } from '../run/queue.ts';
import type { Classifier } from './check.ts';

export interface ShellOptions {
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
  /** How long output is shortened. Default `req`. */
  readonly view?: OutputView;
  readonly defaultTimeoutMs?: number;
  readonly maxTimeoutMs?: number;
  /** How much of an output is kept: the first and the last half of it. */
  readonly keepBytes?: number;
  /** For requests without one. */
  readonly originalCwd?: string;
  /** A settings file in addition to those of the folder. */
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

export function checkFolder(name: string, path: unknown): void {
  if (typeof path !== 'string' || !isAbsolute(path) || path.includes('\0'))
    throw wrong(`${name} must be an absolute path.`);
}

export function checkMilliseconds(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value <= 0 || value > MAX_TIMER_MS)
    throw wrong(`${name} must be a whole number of milliseconds, greater than 0.`);
}

export function wrong(message: string): HardshellError {
  return new HardshellError('invalid-argument', message);
}
