// The runner port: a launch request goes in, events come out, and an exit or an error ends it.
// Knows no shell, no policy and no profile: argv, folder, environment and limits are already decided.

import type { Server } from 'node:net';
import type { ConfinementSpec, ConfineReport } from '../confine/port.ts';
import type { Unended } from '../core/unended.ts';
import type { TreeUsage } from '../core/usage.ts';
import type { KeptOutput, OutputStream } from './output.ts';

/** Hard limits of the kernel (rlimits), per process; a command that hits one sees an ordinary error or signal. */
export interface ProcessLimits {
  readonly addressSpaceBytes?: number;
  readonly dataBytes?: number;
  readonly cpuSeconds?: number;
  /** Per user, not per command: the kernel counts it that way. */
  readonly userProcesses?: number;
  readonly openFiles?: number;
  readonly fileSizeBytes?: number;
  readonly coreBytes?: number;
  readonly stackBytes?: number;
}

/**
 * Limits of the whole process tree; exceeding one ends the command with that cause. The kernel holds those for which
 * `started` names a feature; the others are polled. `cpuSeconds`, a limit of each process, is also polled for the tree.
 */
export interface TreeLimits {
  readonly memoryBytes?: number;
  readonly cpuPercent?: number;
  /** At the same time; threads count. */
  readonly processes?: number;
  readonly outputBytes?: number;
}

export interface RunRequest {
  /** A path, or a name that is looked up in the request's own PATH. */
  readonly program: string;
  /** Starts with argv[0], the name that the program sees. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Closed when absent; `open` keeps it open for `write`. */
  readonly stdin?: Uint8Array | 'open';
  /** `merged`: one pipe, exact order. `split`: two, each exact, in the order in which they were read. */
  readonly streams?: 'merged' | 'split';
  readonly timeoutMs?: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** What happens to processes that the command leaves running. */
  readonly leftovers?: 'kill' | 'wait' | 'leave';
  /** How long they may continue before they are killed. */
  readonly lingerMs?: number;
  /** File for output that is longer than what a handle keeps; without it only the first bytes are kept. */
  readonly spool?: { readonly path: string; readonly headBytes?: number; readonly tailBytes?: number };
  /** Continues when the host ends. Needs a spool; `fields` are copied into the record. */
  readonly background?: boolean;
  readonly record?: { readonly path: string; readonly fields: Readonly<Record<string, unknown>> };
  /** The command waits for the consumer of events, so that the consumer misses no live output. */
  readonly isPaced?: boolean;
  /** The listener wants everything except output, which then need not be sent. */
  readonly isQuiet?: boolean;
  readonly limits?: ProcessLimits & TreeLimits;
  /** Interval of resource events; none if absent. */
  readonly sampleMs?: number;
  readonly umask?: number;
  /** Use a cgroup if possible; `started` says what was available. */
  readonly useCgroup?: boolean;
  /** What the command may access. A runner that cannot confine refuses the request. */
  readonly confinement?: ConfinementSpec;
  /** The socket of the world whose network the command shares, if `confinement.isShared`; created if it does not exist. */
  readonly world?: string;
  /** Names the rights that only this process knows: commands of the same world with the same name share their processes. */
  readonly room?: string;
  /**
   * Takes the listener at `confinement.proxyPort` of a private network; the command runs when this has settled, and
   * does not run if it throws. The listener belongs to this command only; the function that takes it must close it.
   */
  readonly onListener?: (server: Server) => void | Promise<void>;
}

export const END_CAUSES = [
  'none',
  'timeout',
  'cancelled',
  'host-gone',
  'output-limit',
  'memory-limit',
  'cpu-limit',
  'process-limit',
  'disk',
  'stopped',
  'exposed',
  'cpu-time-limit',
] as const;
export type EndCause = (typeof END_CAUSES)[number];

/**
 * The kernel cannot tell threads from processes. Its limit is this many times that of processes, which is polled: a Node
 * program has ten threads. As in native/request.h.
 */
export const THREADS_PER_PROCESS = 64;

export interface RunStarted {
  /** The command's own process, which leads its own process group. */
  readonly pid: number;
  /** The first process of its session: the same, or the init of its namespaces. */
  readonly firstPid: number;
  /** Signal this process to stop a background task from another host; the Node runner has none. */
  readonly supervisorPid: number | null;
  readonly startedAtMs: number;
  readonly cgroup: readonly CgroupFeature[];
  /** The kernel holds a limit of processes and threads together, by a cgroup or for the user namespace. */
  readonly hasProcessLimit: boolean;
  /** The enforced parts of the confinement; absent if none was requested. */
  readonly confinement?: ConfineReport;
  /** What it shares with other commands of its `world`: also their network, if it shares processes. Absent = nothing. */
  readonly shares?: 'network' | 'processes';
  /** It should share processes, but could not. */
  readonly missesProcesses?: true;
}

export type CgroupFeature = 'kill' | 'memory' | 'processes' | 'cpu';

export interface RunExit extends TreeUsage {
  readonly exitCode: number | null;
  readonly signal: number | null;
  /** Why the runner ended it; `none` if it ended on its own. */
  readonly cause: EndCause;
  /** The longest time for which limits that the kernel does not hold were not checked; null if they never are. */
  readonly uncheckedMs: number | null;
  readonly leftoversKilled: number;
  readonly hasLeftovers: boolean;
  /** Processes that were killed and have not ended. */
  readonly unended?: Unended;
  readonly output: KeptOutput;
  /** Name of the error that stopped the storing of output (`ENOSPC` …), or null. */
  readonly spoolError: string | null;
}

/** In the order of native/task.h. */
export const EXPOSURES = ['hidden', 'protected', 'appeared', 'unwatched'] as const;
export type Exposure = (typeof EXPOSURES)[number];

/** In the order of native/task.h. */
export const STAGED_STATES = ['empty', 'running', 'held', 'landed', 'failed'] as const;
export type StagedState = (typeof STAGED_STATES)[number];

export type RunEvent =
  | ({ readonly type: 'started' } & RunStarted)
  /** A jump of `offset` means that live output was skipped; it is in the spool. */
  | { readonly type: 'output'; readonly stream: OutputStream; readonly offset: number; readonly bytes: Buffer }
  | {
      readonly type: 'resource';
      readonly elapsedMs: number;
      /** Since the last one. */
      readonly cpuPercent: number;
      /** Now. */
      readonly memoryBytes: number;
      readonly processes: number;
      readonly outputBytes: number;
      /** So far. */
      readonly usage: TreeUsage;
    }
  /** A protected name that the command created was removed: moved, deleted (null), or, `isLeft`, could not be removed. */
  | { readonly type: 'undone'; readonly path: string; readonly movedTo: string | null; readonly isLeft?: true }
  /** A file is no longer hidden or protected as planned. Unless it is `unwatched`, the command is ended. */
  | { readonly type: 'exposed'; readonly how: Exposure; readonly path: string }
  /** A process of another command, with its PID inside, or one outside (0), traces one of this command, which is being ended. */
  | { readonly type: 'traced'; readonly pid: number; readonly name: string }
  /**
   * What became of staged changes, before the exit. `empty`: there were none. `running`: processes of the command continue.
   * `failed`: they stay in the stage. `landed` counts what was moved, `held` and `names` are names in the journal.
   */
  | {
      readonly type: 'staged';
      readonly state: StagedState;
      readonly landed: number;
      readonly held: number;
      readonly names: number;
    }
  /** The search of a writable folder for protected names stopped here; by default because it is too large or unreadable. */
  | { readonly type: 'unsearched'; readonly path: string; readonly why?: string }
  | { readonly type: 'violation'; readonly cause: EndCause; readonly limit: number; readonly seen: number }
  /** What the confinement refused; each is reported once, at most a hundred. */
  | {
      readonly type: 'refusal';
      readonly operation: RefusedOperation;
      /** `127.0.0.1:5432`, `[::1]:80`, a path, `@name` for an abstract socket, the kind of socket, or `process 123`. */
      readonly target: string;
      /** With `configure`: the setting that is not known to run nothing; empty if the file itself is the reason. */
      readonly setting?: string;
      /** The error that the command saw: `EACCES`, `EPERM`; for a file in namespaces it may be another one than `EROFS`. */
      readonly error: string;
    }
  /** Attempts of the command, with `confinement.observe`; whether they succeeded is not known. Each is reported once. */
  | { readonly type: 'observed'; readonly operation: ObservedOperation; readonly target: string }
  /** How many further ones were not reported; comes last. */
  | { readonly type: 'untold'; readonly what: 'refusal' | 'observed'; readonly count: number };

/** `write` changes content, `create` and `delete` names, `change` modes, owners, times and attributes. */
export const OBSERVED_OPERATIONS = ['write', 'create', 'delete', 'change', 'read', 'execute', 'connect'] as const;
export type ObservedOperation = (typeof OBSERVED_OPERATIONS)[number];

/** In the order of native/refusal.h. */
export const REFUSED_OPERATIONS = [
  'connect',
  'send',
  'bind',
  'write',
  'create',
  'delete',
  'change',
  'signal',
  'configure',
] as const;
export type RefusedOperation = (typeof REFUSED_OPERATIONS)[number];

/** A returned promise delays further live output until it settles. */
export type RunListener = (event: RunEvent) => void | Promise<void>;

export interface RunHandle {
  /** Rejects if the command could not be started. */
  readonly started: Promise<RunStarted>;
  /** Rejects if the command could not be started, or if its runner was lost. */
  readonly done: Promise<RunExit>;
  /** Ends the whole process tree: SIGTERM, then SIGKILL after the grace period. */
  kill(options?: { graceMs?: number }): void;
  signal(signal: number): void;
  /** Resolves when the command's stdin has taken the bytes; false if it is closed. */
  write(bytes: Uint8Array): Promise<boolean>;
  endInput(): void;
  /** From then on it continues when the host ends; needs a spool. */
  detach(): void;
  /** The process that is the proxy of a background task: it ends with the task, even if it was stopped. */
  noteProxy(pid: number): void;
  /** The current output, for observers; without a spool only its beginning. */
  peek(): Promise<KeptOutput>;
}

export interface Guarantee {
  readonly name: string;
  readonly isHeld: boolean;
  readonly why: string | null;
}

export interface Runner {
  start(request: RunRequest, listener?: RunListener): RunHandle;
  guarantees(): Promise<readonly Guarantee[]>;
  /** Ends all foreground commands. */
  close(): Promise<void>;
}
