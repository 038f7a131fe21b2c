// The vocabulary of running: requests, events during a run, and results. Data and ports only.

import type { Answer } from './approval.ts';
import type { Enforcement, SandboxName, SandboxOverrides, SandboxViolation } from './confinement.ts';
import type { Facts, Shell } from './facts.ts';
import type { Failure } from './failure.ts';
import type { Mode, Narrowing, Policy } from './policy.ts';
import type { ProfileConfiguration } from './profile-configuration.ts';
import type { ProfileName } from './profile-names.ts';
import type { RunStatus } from './run-status.ts';
import type { RunChanges, StagingMode } from './staging.ts';
import type { TaskHandle, TaskInfo } from './tasks.ts';
import type { AppliedLimit, RunUsage } from './usage.ts';
import type { Verdict } from './verdict.ts';

export { RUN_STATUSES, type RunStatus } from './run-status.ts';
export type {
  ChangedFile,
  ChangeKind,
  ChangesAct,
  ChangesActor,
  HeldBack,
  HeldReason,
  RunChanges,
  StageState,
  StagingMode,
  StagingTool,
} from './staging.ts';
export type { TaskHandle, TaskInfo } from './tasks.ts';
export type { AppliedLimit, LimitEnforcement, MemoryMeasure, RunUsage, TreeUsage, UsageName } from './usage.ts';

/** Who runs it and where. A tool keeps no conversation state; `createShell` sets what a call leaves out. */
export interface RunContext {
  /** An absolute path. Default: the folder of the shell tool. */
  readonly cwd?: string;
  /** Fallback if the folder no longer exists, and the folder that `cd` must not leave unless the policy allows it. */
  readonly originalCwd?: string;
  readonly session?: string;
  readonly user?: string;
  readonly signal?: AbortSignal;
  /** The surface call that it belongs to, for surfaces that show questions only to the client that caused them. */
  readonly caller?: string;
  /** Replaces the settings of the folder; whatever the managed settings forbid stays forbidden. */
  readonly policy?: Policy;
  /** Overrides the mode in the settings, unless the managed settings set it; `bypass` only if they allow it. */
  readonly mode?: Mode;
  /** The profile: its timeouts, its view of long output, its limits and its restrictions apply. */
  readonly profile?: ProfileName;
  /** Configuration objects of profiles, in addition to those of the settings: the stricter value of each key applies. */
  readonly profiles?: ProfileConfiguration | readonly ProfileConfiguration[];
  /** Additional restrictions: can only make the settings stricter. */
  readonly narrowing?: Narrowing | readonly Narrowing[];
}

export const OUTPUT_VIEWS = ['req', 'proposal-0028', 'claude-code'] as const;
/** Which rule limits the displayed output. */
export type OutputView = (typeof OUTPUT_VIEWS)[number];

export const LIMITS = [
  'timeoutMs',
  'memoryBytes',
  'cpuPercent',
  'cpuSeconds',
  'processes',
  'openFiles',
  'fileSizeBytes',
  'outputBytes',
] as const;
/** Limits that settings and requests may set; the smallest value of each applies. */
export type LimitName = (typeof LIMITS)[number];

export interface RunOptions extends RunContext {
  /** How much output is shown. Default: as the tool was created, or as the profile says. */
  readonly view?: OutputView;
  /** For the view `proposal-0028`: this many characters instead of 30,000, at most a million. */
  readonly viewCharacters?: number;
  readonly shell?: Shell;
  /** Without a shell: the command is a program and these are its words. */
  readonly args?: readonly string[];
  /** Milliseconds, as every time among the options. */
  readonly timeout?: number;
  /** The timeout also ends a command that continues as a task, even after this process has ended. */
  readonly keepTimeout?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly preserveEnvironment?: boolean;
  /** What the command reads from its standard input. Default: nothing. */
  readonly input?: string | Uint8Array;
  /** For a background task: stdin stays open after `input`, for `write`. Otherwise it is closed. */
  readonly isInputOpen?: boolean;
  /** `split` keeps stdout and stderr apart; `merged` keeps their exact order. Default `merged`. */
  readonly streams?: 'merged' | 'split';
  /** A foreground command that takes longer continues as a task; the result is `running`. */
  readonly backgroundAfter?: number;
  /** Exceeding `outputBytes` kills the command. */
  readonly limits?: Readonly<Partial<Record<Exclude<LimitName, 'timeoutMs'>, number>>>;
  /** The sandbox, by its name or with what it opens in addition to the settings. */
  readonly sandbox?: SandboxName | SandboxOverrides;
  /** Asks to run outside of the sandbox: refused unless the settings allow such requests, and then a person is asked. */
  readonly withoutSandbox?: boolean;
  /** False: output that is shown whole is not kept for later. True changes nothing where the settings say false. */
  readonly keepOutput?: boolean;
  /** What becomes of the changes of a command in the foreground; beyond the managed settings it has no effect. */
  readonly staging?: StagingMode;
  readonly stripAnsi?: boolean;
  /** The result gets `details`. */
  readonly wantsDetails?: boolean;
  readonly description?: string;
  /** Called with every event, in order; a returned promise delays the command's output. */
  readonly onEvent?: (event: ShellEvent) => void | Promise<void>;
  /** Approves a question; a denial stays a denial. */
  readonly assumeYes?: boolean;
}

/** Options to which the tool has added its defaults. */
export type CompleteRunOptions = Omit<RunOptions, 'cwd' | 'sandbox'> & {
  readonly cwd: string;
  readonly sandbox?: SandboxOverrides;
};

export const EVENT_TYPES = ['stdout', 'stderr', 'status', 'resource', 'violation', 'error'] as const;

export interface EventBase {
  readonly task: string;
  /** Counts from 0 without gaps. */
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly time: number;
}

export type ShellEvent =
  | (EventBase & {
      readonly type: 'stdout' | 'stderr';
      /** Whole characters only: a character split across chunks is emitted with its last byte. */
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
      /** Since the last event. */
      readonly cpuPercent: number;
      /** Now; of processes, the living ones. */
      readonly memoryBytes: number;
      readonly processes: number;
      readonly outputBytes: number;
      /** So far. */
      readonly usage: RunUsage;
    })
  | (EventBase & { readonly type: 'violation' } & SandboxViolation)
  | (EventBase & { readonly type: 'error'; readonly message: string; readonly violation: string | null });

/**
 * Files that changed while the command ran: those that it was expected to touch, and with `wantsDetails` all that the
 * sandbox lets it change. `isComplete` is false if there may be others.
 */
export interface FileChanges {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
  readonly isComplete: boolean;
  /** Why there may be others; null if the lists are complete. */
  readonly why: string | null;
}

/** Details that few callers need and that should not be kept in records. */
export interface RunDetails {
  readonly parentPid: number | null;
  /** As passed to the command; values of variables with secret names are left out. */
  readonly environment: Readonly<Record<string, string>>;
  /** Direct children seen when it wrote output, or by a check once a second. */
  readonly childPids: readonly number[];
}

/** The result of a run: a failure has the same shape as a success. */
export interface RunResult {
  /** Id of the task; its output is kept under it. */
  readonly task: string;
  readonly command: string;
  readonly display: string;
  readonly status: RunStatus;
  readonly facts: Facts;
  readonly verdict: Verdict;
  /** `null` if no question was asked. */
  readonly answer: Answer | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** What the exit code means for this command, if known. */
  readonly meaning: string | null;
  /** `grep` without matches exits with 1; that is not an error. */
  readonly isError: boolean;
  /** Combined output: all of it, or its two ends. The whole is in `outputFile`. For `running`: the output so far. */
  readonly output: string;
  readonly isTruncated: boolean;
  readonly stdout: string | null;
  readonly stderr: string | null;
  readonly outputBytes: number;
  readonly outputFile: string | null;
  /** How much of the output was not kept: of a very long one, only the beginning and the end are. */
  readonly missingOutputBytes: number;
  readonly pid: number | null;
  readonly pgid: number | null;
  readonly startedAt: number | null;
  readonly usage: RunUsage | null;
  /** The limits of the command, and what enforced each of them. Empty if it never ran. */
  readonly limits: readonly AppliedLimit<LimitName>[];
  /** The folder in which the next command of the session starts. */
  readonly cwd: string;
  readonly cwdCause: 'kept' | 'changed' | 'outside' | 'vanished';
  readonly hints: readonly Readonly<Record<string, string>>[];
  readonly image: { readonly mediaType: string; readonly base64: string } | null;
  readonly leftoversKilled: number;
  /** What enforced the sandbox; `tier` is `none` if nothing did, or if the command never ran. */
  readonly enforcement: Enforcement;
  readonly violations: readonly SandboxViolation[];
  /** How many refused attempts are not listed, because there were too many. */
  readonly omittedViolations: number;
  readonly files: FileChanges;
  /** What a staged command changed; `null` if it changed nothing, or was not staged. */
  readonly changes: RunChanges | null;
  /** Why changes of the command cannot be undone; `null` if they can, or if there are none. */
  readonly whyNoUndo: string | null;
  /** Variables of the request that the command did not get, because they could make it run other code. */
  readonly withheld: readonly string[];
  /** Why it was killed or could not run: one of the closed set, with suggestions. */
  readonly failure: Failure | null;
  /** For a command that continues as a task: the unanswered question that it waits for. */
  readonly question?: { readonly code: string; readonly message: string };
  /** Present if `wantsDetails` was set and the command ran. */
  readonly details?: RunDetails;
}

export type ShellStream = AsyncIterable<ShellEvent> & { readonly result: Promise<RunResult> };

/** A folder that follows `cd`, and an id that answers apply to: the state of a conversation, owned by the caller. */
export interface ShellSession {
  readonly id: string;
  readonly cwd: string;
  /** Where it started, and what it falls back to. */
  readonly originalCwd: string;
  /** The same session, with these default options for its commands. */
  with(options: SessionOptions): ShellSession;
  /** The request that a command of this session would be run with. */
  complete(options?: SessionOptions): CompleteRunOptions;
  run(command: string, options?: SessionOptions): Promise<RunResult>;
  stream(command: string, options?: SessionOptions): ShellStream;
  start(command: string, options?: SessionOptions): Promise<RunResult>;
}

/** `cwd` is for this command only, which then does not move the session. */
export type SessionOptions = Omit<RunOptions, 'originalCwd' | 'session'>;

export interface Permission {
  readonly isAllowed: boolean;
  readonly facts: Facts;
  readonly verdict: Verdict;
  /** `null` if no question was asked. */
  readonly answer: Answer | null;
}

export interface ShellTool {
  analyze(command: string, options?: Pick<RunOptions, 'cwd' | 'shell'>): Facts;
  /** The verdict that `run` would start with. Runs nothing and asks no questions. */
  check(command: string, options?: RunOptions): { readonly facts: Facts; readonly verdict: Verdict };
  /** The verdict and the answer that `run` would use; asks if needed. Runs nothing. */
  permit(command: string, options?: RunOptions): Promise<Permission>;
  /** The effective policy for a request. */
  policy(options?: RunOptions): Policy;
  session(options?: RunContext): ShellSession;
  /** Which guarantees would apply to a command that is run this way, on this machine: for descriptions and reports. */
  enforcement(options?: RunOptions): Promise<Enforcement>;
  run(command: string, options?: RunOptions): Promise<RunResult>;
  /** Events as they come; `result` is set when they have ended. Leaving the loop early kills the command. */
  stream(command: string, options?: RunOptions): ShellStream;
  /** In the background: returns immediately; the task outlives this process. */
  start(command: string, options?: RunOptions): Promise<RunResult>;
  tasks(): Promise<readonly TaskInfo[]>;
  /** A task of this user, from any process, or a foreground command whose output was kept. */
  task(id: string): Promise<TaskHandle | null>;
  /** Ends what runs in the foreground, and no task. `await using shell = createShell()` does it by itself. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
