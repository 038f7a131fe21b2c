// Options of a shell tool → complete values. Invalid ones are thrown.

import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { type Broker, createBroker } from '../approve/broker.ts';
import { callbackSurface, type OnAsk } from '../approve/callback-surface.ts';
import type { ShellObserver } from '../core/observer.ts';
import {
  between,
  type Check,
  type ChecksOf,
  callback,
  checkOptions,
  count,
  countOrZero,
  environment,
  folder,
  listOf,
  milliseconds,
  objectWith,
  oneOf,
  recordOf,
  text,
  wrong,
} from '../core/option-checks.ts';
import { joinConfigurations } from '../core/profile-rules.ts';
import type { Runner } from '../run/port.ts';
import type { QueueLimits } from '../run/queue.ts';
import { currentFolder } from '../terms/current-folder.ts';
import { checkCombination, DEFAULT_CHECKS, defaultsOf, type ShellDefaults, withoutUndefined } from './call-options.ts';
import type { Classifier } from './check.ts';

export interface ShellOptions extends ShellDefaults {
  /** Instead of the keeper, or of Node's spawn if there is no keeper. It is closed with the tool. */
  readonly runner?: Runner;
  /** How many shells may be started ahead, 0 to 4 (docs/decisions/0006-prestarted-pool.md). Default: from the settings, or 2. */
  readonly pool?: number;
  /** Answers questions. Without a broker, commands that need approval are denied, and the answer says how to allow them. */
  readonly broker?: Broker;
  /** Instead of a broker: a function that answers questions with `'allow'`, `'deny'` or a reply. */
  readonly onAsk?: OnAsk;
  readonly classifier?: Classifier;
  /** Notified of every step of every request, in addition to the recording: metrics, alerts, your own. */
  readonly observers?: readonly ShellObserver[];
  /**
   * Default: the audit log, alerts and telemetry as configured in the settings of `cwd`, opened with the first request.
   * `false`: nothing is recorded. Or a recording that you opened; it is closed with the tool.
   */
  readonly recording?: ShellRecording | false;
  /** How many commands run and wait at once, and in which order those of one session run. */
  readonly queue?: Partial<QueueLimits>;
  /** Maximum number of background tasks of this tool at once. */
  readonly maxTasks?: number;
  /** Instead of `~/.local/state/hardshell/tasks`. */
  readonly tasksFolder?: string;
  /** The longest `timeout` of a command in the foreground, in milliseconds. Default: as the profile says, or ten minutes; that of `timeout` is two. */
  readonly maxTimeout?: number;
  /** How much of an output is kept: three quarters of it from the beginning, the rest from the end. */
  readonly keepBytes?: number;
  /** A settings file in addition to those that apply in the folder. */
  readonly settingsFile?: string;
  /** The variables of the host; default `process.env`. */
  readonly hostEnvironment?: Readonly<Record<string, string | undefined>>;
}

export interface ShellRecording {
  readonly observers: readonly ShellObserver[];
  close(): Promise<unknown>;
}

export interface ShellSetup extends Omit<ShellOptions, keyof ShellDefaults | 'onAsk' | 'maxTimeout'> {
  /** False for learning: an approved command may not access what it names unless the settings allow it. */
  readonly doesApprovalOpen: boolean;
  /** The broker is closed with the tool. */
  readonly ownsBroker: boolean;
  /** Without `timeout`: it is not for tasks. */
  readonly defaults: Omit<ShellDefaults, 'timeout'>;
  readonly queue: QueueLimits;
  readonly maxTasks: number;
  /** `undefined`: as the profile says. */
  readonly timeout: number | undefined;
  readonly maxTimeout: number | undefined;
  readonly keepBytes: number;
  readonly hostEnvironment: Readonly<Record<string, string | undefined>>;
}

/**
 * The folder of the profile's configuration, or the current one at creation. If that no longer exists, the first call that
 * needs it fails, not `createShell`.
 */
function folderOf({ cwd, profile, profiles }: ShellDefaults): { readonly cwd?: string } {
  try {
    const { defaultWorkingDirectory = '' } =
      profile === 'layered' ? (joinConfigurations({ given: profiles }).layered ?? {}) : {};
    return { cwd: cwd ?? resolve(currentFolder(), defaultWorkingDirectory) };
  } catch {
    return {};
  }
}

/** `keepBytes` is split into two halves, each a whole number of pages and of bitmap bytes. */
const KEEP_STEP = 16 << 10;

const OBSERVED: ChecksOf<ShellObserver> = {
  onVerdict: callback,
  onAnswer: callback,
  onStart: callback,
  onViolation: callback,
  onOperation: callback,
  onEnd: callback,
};

/** A misspelled `onVerdict` would never be called. Names that are not those of steps may be the observer's own. */
const observer: Check = (name, value) => {
  if (typeof value !== 'object' || value === null) throw wrong(`${name} must be a list of observers.`);
  const steps = Object.fromEntries(Object.entries(value).filter(([each]) => /^on[A-Z]/.test(each)));
  recordOf(OBSERVED)(name, steps);
};
const observers = listOf(observer, 'observers');

const SHELL_OPTIONS: ChecksOf<ShellOptions> = {
  ...DEFAULT_CHECKS,
  runner: objectWith(['start', 'guarantees', 'close'], 'A runner has start, guarantees and close.'),
  pool: between(0, 4),
  broker: objectWith(['ask', 'attach', 'grants', 'pending'], 'Pass createBroker().'),
  onAsk: callback,
  classifier: callback,
  observers,
  recording: (name, value) => {
    if (value === false) return;
    objectWith(['close'], 'Pass openRecording(…) of hardshell/audit, or false.')(name, value);
    observers(`${name}.observers`, (value as ShellRecording).observers);
  },
  queue: recordOf({
    concurrent: count,
    waiting: countOrZero,
    waitingPerSession: countOrZero,
    order: oneOf(['strict', 'writes', 'none']),
  } satisfies ChecksOf<QueueLimits>),
  maxTasks: countOrZero,
  tasksFolder: folder,
  maxTimeout: milliseconds,
  keepBytes: (name, value) => {
    if (!Number.isSafeInteger(value) || (value as number) < KEEP_STEP)
      throw wrong(`${name} must be a whole number of at least ${KEEP_STEP}.`);
  },
  settingsFile: text,
  hostEnvironment: environment,
};

function brokerOf(onAsk: OnAsk, given: Broker | undefined): Broker {
  if (given !== undefined)
    throw wrong('broker and onAsk cannot be combined.', 'Use broker.attach(callbackSurface(onAsk)).');
  const broker = createBroker();
  broker.attach(callbackSurface(onAsk));
  return broker;
}

export function completeOptions(given: ShellOptions): ShellSetup {
  checkOptions(given, SHELL_OPTIONS);
  const options = withoutUndefined(given);
  checkCombination(options);
  const { onAsk, ...rest } = options;
  const { timeout, maxTimeout, keepBytes = 64 << 20, maxTasks = 64 } = options;
  const { timeout: _, ...defaults } = defaultsOf(options);
  return {
    ...rest,
    ...(onAsk === undefined ? {} : { broker: brokerOf(onAsk, options.broker) }),
    doesApprovalOpen: true,
    ownsBroker: options.broker === undefined,
    defaults: { ...folderOf(options), ...defaults },
    queue: { concurrent: Math.max(16, 2 * availableParallelism()), ...options.queue },
    maxTasks,
    timeout,
    maxTimeout,
    keepBytes: Math.ceil(keepBytes / KEEP_STEP) * KEEP_STEP,
    hostEnvironment: options.hostEnvironment ?? process.env,
  };
}
