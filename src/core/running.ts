// The vocabulary of running: what is asked for, what happens meanwhile, and what a run gives back. Data and ports only.

import type { Answer } from './approval.ts';
import type { Facts, Shell } from './facts.ts';
import type { Failure } from './failure.ts';
import type { Policy } from './policy.ts';
import type { Verdict } from './verdict.ts';

export const RUN_STATUSES = [
  'exited',
  'signalled',
  'timed-out',
  'cancelled',
  'limited',
  'running',
  'denied',
  'failed',
] as const;
/**
 * How a run ended, or that it goes on. `limited`: it passed a limit and was ended. `running`: it goes on as a task.
 * `denied`: it never ran. `failed`: we failed, not the command; `failure` says how.
 */
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Who runs it and where. A tool holds no conversation state: everything comes with each call. */
export interface RunContext {
  /** Absolute. */
  readonly cwd: string;
  /** Where to go when the folder has vanished, and what `cd` may not leave unless the policy says so. */
  readonly originalCwd?: string;
  readonly session?: string;
  readonly user?: string;
  readonly signal?: AbortSignal;
  /** Instead of the settings of the folder. */
  readonly policy?: Policy;
}

export interface RunOptions extends RunContext {
  readonly shell?: Shell;
  /** Without a shell: the command is a program and these are its words. */
  readonly args?: readonly string[];
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly preserveEnvironment?: boolean;
  readonly stdin?: string | Uint8Array;
  /** Of a task in the background: its input stays open after `stdin`, for `write`. Otherwise it is at its end. */
  readonly isInputOpen?: boolean;
  /** `split` keeps stdout and stderr apart; `merged` keeps their exact order. Default `merged`. */
  readonly streams?: 'merged' | 'split';
  /** A foreground command that takes longer goes on as a task and is answered with `running`. */
  readonly backgroundAfterMs?: number;
  readonly limits?: {
    readonly memoryBytes?: number;
    readonly cpuPercent?: number;
    readonly cpuSeconds?: number;
    readonly processes?: number;
    readonly openFiles?: number;
    readonly fileSizeBytes?: number;
    /** Passing it ends the command. */
    readonly outputBytes?: number;
  };
  readonly stripAnsi?: boolean;
  readonly description?: string;
  /** Called with every event, in order; a returned promise holds back the command's output. */
  readonly onEvent?: (event: ShellEvent) => void | Promise<void>;
  /** Answers a question with yes; a refusal stays one. */
  readonly assumeYes?: boolean;
}

export const EVENT_TYPES = ['stdout', 'stderr', 'status', 'resource', 'error'] as const;

interface EventBase {
  readonly task: string;
  /** Counts from 0 without gaps. */
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly time: number;
}

export type ShellEvent =
  | (EventBase & {
      readonly type: 'stdout' | 'stderr';
      /** Whole characters only: one that is split over chunks comes with its end. */
      readonly text: string;
      /** Where it begins in the combined output. */
      readonly byteOffset: number;
      /** Number of the line in which it begins, from 1. */
      readonly line: number;
    })
  | (EventBase & {
      readonly type: 'status';
      readonly status: 'waiting' | 'asking' | 'started' | RunStatus;
      readonly pid: number | null;
    })
  | (EventBase & {
      readonly type: 'resource';
      readonly elapsedMs: number;
      readonly cpuPercent: number;
      readonly memoryBytes: number;
      readonly processes: number;
      readonly outputBytes: number;
    })
  | (EventBase & { readonly type: 'error'; readonly message: string; readonly violation: string | null });

export interface RunUsage {
  readonly wallMs: number;
  readonly userMs: number;
  readonly systemMs: number;
  /** Null where it cannot be measured. */
  readonly peakMemoryBytes: number | null;
  readonly readBytes: number | null;
  readonly writeBytes: number | null;
}

/** What a run gives back, whatever happened: a failure has the same shape as a success. */
export interface RunResult {
  /** Id of the task; its output is kept under it. */
  readonly task: string;
  readonly command: string;
  readonly display: string;
  readonly status: RunStatus;
  readonly facts: Facts;
  readonly verdict: Verdict;
  /** `null` when nobody had to be asked. */
  readonly answer: Answer | null;
  readonly exitCode: number | null;
  /** `SIGKILL` … */
  readonly signal: string | null;
  /** What the exit code means for this command, where that is known. */
  readonly meaning: string | null;
  /** `grep` without matches exits with 1 and is no error. */
  readonly isError: boolean;
  /** Combined output: all of it, or its two ends. The whole is in `outputFile`. */
  readonly output: string;
  readonly isTruncated: boolean;
  readonly stdout: string | null;
  readonly stderr: string | null;
  readonly outputBytes: number;
  readonly outputFile: string | null;
  readonly pid: number | null;
  readonly pgid: number | null;
  readonly startedAt: number | null;
  readonly usage: RunUsage | null;
  /** The folder in which the next command of the session begins. */
  readonly cwd: string;
  readonly cwdCause: 'kept' | 'changed' | 'outside' | 'vanished';
  readonly hints: readonly Readonly<Record<string, string>>[];
  readonly image: { readonly mediaType: string; readonly base64: string } | null;
  readonly leftoversKilled: number;
  /** Why it was ended or could not be run: one of the closed set, with what to do. */
  readonly failure: Failure | null;
}

export interface TaskInfo {
  readonly id: string;
  readonly command: string;
  readonly description: string | null;
  readonly state: 'running' | 'finished' | 'lost';
  readonly pid: number;
  readonly pgid: number;
  readonly cwd: string;
  readonly session: string | null;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly outputFile: string;
  readonly outputBytes: number;
}

export interface TaskHandle {
  readonly id: string;
  info(): Promise<TaskInfo>;
  /** Output from a byte on; `cursor` is where to go on reading. */
  read(options?: { readonly cursor?: number; readonly limitBytes?: number }): Promise<{
    readonly text: string;
    readonly cursor: number;
    readonly isAtEnd: boolean;
  }>;
  /** False when its input is closed, or belongs to another process. */
  write(text: string): Promise<boolean>;
  endInput(): void;
  wait(options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal }): Promise<TaskInfo>;
  /** SIGTERM, then SIGKILL, to the whole tree; false when it had already ended. */
  stop(): Promise<boolean>;
  /** Forgets it and deletes its output; only when it has ended. */
  remove(): Promise<void>;
}

export interface ShellTool {
  run(command: string, options: RunOptions): Promise<RunResult>;
  /** Events as they come; `result` is there when they have ended. Leaving the loop early ends the command. */
  stream(command: string, options: RunOptions): AsyncIterable<ShellEvent> & { readonly result: Promise<RunResult> };
  /** In the background: answers at once, and goes on when this process is gone. */
  start(command: string, options: RunOptions): Promise<RunResult>;
  tasks(): Promise<readonly TaskInfo[]>;
  /** Tasks of this user, whoever started them. */
  task(id: string): Promise<TaskHandle | null>;
  close(): Promise<void>;
}
