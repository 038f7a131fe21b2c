// The port of running: a launch request goes in, events come out, and an exit or an error ends it.
// Knows no shell, no policy and no profile: argv, folder, environment and limits are already decided.

import type { Server } from 'node:net';
import type { ConfinementSpec, ConfineReport } from '../confine/port.ts';
import type { KeptOutput, OutputStream } from './output.ts';

/** Hard limits of the kernel (rlimits), per process; a command that hits one sees an ordinary error or signal. */
export interface ProcessLimits {
  readonly addressSpaceBytes?: number;
  readonly dataBytes?: number;
  readonly cpuSeconds?: number;
  /** Of the user, not of the command: the kernel counts so. */
  readonly userProcesses?: number;
  readonly openFiles?: number;
  readonly fileSizeBytes?: number;
  readonly coreBytes?: number;
  readonly stackBytes?: number;
}

/** Limits of the whole tree, looked at once a second; passing one ends the command with that cause. */
export interface TreeLimits {
  readonly memoryBytes?: number;
  readonly cpuPercent?: number;
  readonly processes?: number;
  readonly outputBytes?: number;
}

export interface RunRequest {
  /** A path, or a name that is looked up in the request's own PATH. */
  readonly program: string;
  /** With the name that the program sees as its own in front. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Closed when absent; `open` keeps it open for `write`. */
  readonly stdin?: Uint8Array | 'open';
  /** `merged`: one pipe, exact order. `split`: two, each exact, order between them as it was read. */
  readonly streams?: 'merged' | 'split';
  readonly timeoutMs?: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** What happens to processes that the command leaves behind. */
  readonly leftovers?: 'kill' | 'wait' | 'leave';
  /** How long they may go on by themselves before `kill` begins. */
  readonly lingerMs?: number;
  /** Where output goes that is longer than what a handle holds; without it only the first bytes are kept. */
  readonly spool?: { readonly path: string; readonly headBytes?: number; readonly tailBytes?: number };
  /** Goes on when the host is gone. Needs a spool; `fields` are put into the record as they are. */
  readonly background?: boolean;
  readonly record?: { readonly path: string; readonly fields: Readonly<Record<string, unknown>> };
  /** The command waits for the consumer of events, instead of the consumer missing live output. */
  readonly isPaced?: boolean;
  /** The listener wants everything but the output, which then need not come over. */
  readonly isQuiet?: boolean;
  readonly limits?: ProcessLimits & TreeLimits;
  /** How often a resource event comes; never when absent. */
  readonly sampleMs?: number;
  readonly umask?: number;
  /** Use a cgroup where one can be had; `started` says what was had. */
  readonly useCgroup?: boolean;
  /** What the command may touch. A runner that cannot confine refuses the request. */
  readonly confinement?: ConfinementSpec;
  /**
   * Takes the listener at `confinement.proxyPort` of a network of its own; the command runs when this has settled, and
   * does not run when it throws. The listener belongs to this command alone; whoever takes it closes it.
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
] as const;
export type EndCause = (typeof END_CAUSES)[number];

export interface RunStarted {
  readonly pid: number;
  /** Signal this process to stop a background task from another host; the Node runner has none. */
  readonly supervisorPid: number | null;
  readonly startedAtMs: number;
  readonly cgroup: readonly CgroupFeature[];
  /** What held of the confinement; absent when none was asked for. */
  readonly confinement?: ConfineReport;
}

export type CgroupFeature = 'kill' | 'memory' | 'processes' | 'cpu';

export interface RunExit {
  readonly exitCode: number | null;
  readonly signal: number | null;
  /** Why we ended it; `none` when it ended by itself. */
  readonly cause: EndCause;
  readonly wallMs: number;
  readonly userMs: number;
  readonly systemMs: number;
  /** Null where the runner cannot measure it. */
  readonly peakMemoryBytes: number | null;
  readonly readBytes: number | null;
  readonly writeBytes: number | null;
  readonly leftoversKilled: number;
  readonly hasLeftovers: boolean;
  readonly output: KeptOutput;
  /** Name of the error that stopped the keeping of output (`ENOSPC` …), or null. */
  readonly spoolError: string | null;
}

/** In the order of native/task.h. */
export const EXPOSURES = ['hidden', 'protected', 'appeared', 'unwatched'] as const;
export type Exposure = (typeof EXPOSURES)[number];

export type RunEvent =
  | ({ readonly type: 'started' } & RunStarted)
  /** A jump of `offset` means that live output was skipped; it is in the spool. */
  | { readonly type: 'output'; readonly stream: OutputStream; readonly offset: number; readonly bytes: Buffer }
  | {
      readonly type: 'resource';
      readonly elapsedMs: number;
      readonly cpuMs: number;
      readonly cpuPercent: number;
      readonly memoryBytes: number;
      readonly processes: number;
      readonly readBytes: number;
      readonly writeBytes: number;
      readonly outputBytes: number;
    }
  /** A protected name that the command made was taken away again: moved, removed (null), or, `isLeft`, it could not be. */
  | { readonly type: 'undone'; readonly path: string; readonly movedTo: string | null; readonly isLeft?: true }
  /** A file is no longer hidden or protected as it was planned. Unless it is `unwatched`, the command is ended. */
  | { readonly type: 'exposed'; readonly how: Exposure; readonly path: string }
  /** From here on a writable folder was not searched for protected names; by default: it is too large, or cannot be read. */
  | { readonly type: 'unsearched'; readonly path: string; readonly why?: string }
  | { readonly type: 'violation'; readonly cause: EndCause; readonly limit: number; readonly seen: number }
  /** A connection, a datagram or a port that the confinement refused; each is told once, and no more than a hundred. */
  | {
      readonly type: 'refusal';
      readonly operation: RefusedOperation;
      /** `127.0.0.1:5432`, `[::1]:80`, a path, `@name` for an abstract socket, or what kind of socket it was. */
      readonly target: string;
      /** What the command saw: `EACCES`, `EPERM`. */
      readonly error: string;
    }
  /** What the command tried, with `confinement.observe`; whether it worked is not known. Each is told once. */
  | { readonly type: 'observed'; readonly operation: ObservedOperation; readonly target: string }
  /** How many further ones were not told; comes last. */
  | { readonly type: 'untold'; readonly what: 'refusal' | 'observed'; readonly count: number };

/** `write` changes content, `create` and `delete` names, `change` modes, owners, times and attributes. */
export const OBSERVED_OPERATIONS = ['write', 'create', 'delete', 'change', 'read', 'execute', 'connect'] as const;
export type ObservedOperation = (typeof OBSERVED_OPERATIONS)[number];

export const REFUSED_OPERATIONS = ['connect', 'send', 'bind'] as const;
export type RefusedOperation = (typeof REFUSED_OPERATIONS)[number];

/** A returned promise holds back further live output until it settles. */
export type RunListener = (event: RunEvent) => void | Promise<void>;

export interface RunHandle {
  /** Rejects when the command could not be started. */
  readonly started: Promise<RunStarted>;
  /** Rejects when the command could not be started, or when its runner was lost. */
  readonly done: Promise<RunExit>;
  /** Ends the whole tree: SIGTERM, then SIGKILL after the grace period. */
  kill(options?: { graceMs?: number }): void;
  signal(signal: number): void;
  /** Resolves when the command's stdin has taken the bytes; false when it is closed. */
  write(bytes: Uint8Array): Promise<boolean>;
  endInput(): void;
  /** From now on it goes on when the host is gone; needs a spool. */
  detach(): void;
  /** The output as it is now, for whoever looks on; without a spool no more than its beginning. */
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
