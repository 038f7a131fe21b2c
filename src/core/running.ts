// The vocabulary of running: what is asked for, what happens meanwhile, and what a run gives back. Data and ports only.

import type { Answer } from './approval.ts';
import type { Enforcement, SandboxOverrides, SandboxViolation } from './confinement.ts';
import type { Facts, Shell } from './facts.ts';
import type { Failure } from './failure.ts';
import type { Mode, Narrowing, Policy } from './policy.ts';
import type { ProfileName } from './profile-names.ts';
import type { TaskHandle, TaskInfo } from './tasks.ts';
import type { Verdict } from './verdict.ts';

export type { TaskHandle, TaskInfo } from './tasks.ts';

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

/** Who runs it and where. A tool holds no conversation state: what a call leaves out, `createShell` has said. */
export interface RunContext {
  /** Absolute: relative to what would be a guess. Default: the folder of the shell tool. */
  readonly cwd?: string;
  /** Where to go when the folder has vanished, and what `cd` may not leave unless the policy says so. */
  readonly originalCwd?: string;
  readonly session?: string;
  readonly user?: string;
  readonly signal?: AbortSignal;
  /** The call of a surface that it comes from: one that shows questions only to whoever caused them knows it by this. */
  readonly caller?: string;
  /** Instead of the settings of the folder; what the machine's own settings forbid stays forbidden. */
  readonly policy?: Policy;
  /** Instead of the mode that the settings name, unless the machine's own settings do; `bypass` only where they allow it. */
  readonly mode?: Mode;
  /** The profile whose document may ask for more than the settings say. */
  readonly profile?: ProfileName;
  /** What holds besides the settings: never less than they ask for. */
  readonly narrowing?: Narrowing | readonly Narrowing[];
}

export const OUTPUT_VIEWS = ['req', 'proposal-0028', 'claude-code'] as const;
/** Whose rule says how long output is shown. */
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
/** Limits that settings and requests may name; the smallest of each counts. */
export type LimitName = (typeof LIMITS)[number];

export interface RunOptions extends RunContext {
  /** How long output is shown; what the tool was made with unless it is said. */
  readonly view?: OutputView;
  /** Of the view `proposal-0028`: this many characters instead of 30,000; not more. */
  readonly viewCharacters?: number;
  readonly shell?: Shell;
  /** Without a shell: the command is a program and these are its words. */
  readonly args?: readonly string[];
  /** Milliseconds, as every time among the options. */
  readonly timeout?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly preserveEnvironment?: boolean;
  /** What the command reads from its standard input. Default: nothing. */
  readonly input?: string | Uint8Array;
  /** Of a task in the background: its input stays open after `input`, for `write`. Otherwise it is at its end. */
  readonly isInputOpen?: boolean;
  /** `split` keeps stdout and stderr apart; `merged` keeps their exact order. Default `merged`. */
  readonly streams?: 'merged' | 'split';
  /** A foreground command that takes longer goes on as a task and is answered with `running`. */
  readonly backgroundAfter?: number;
  /** Passing `outputBytes` ends the command. */
  readonly limits?: Readonly<Partial<Record<Exclude<LimitName, 'timeoutMs'>, number>>>;
  /** What it may touch, where that is to differ from the settings. */
  readonly sandbox?: SandboxOverrides;
  /** Asks to run outside of the sandbox: refused unless the settings allow such requests, and then put to a person. */
  readonly withoutSandbox?: boolean;
  readonly stripAnsi?: boolean;
  /** The result gets `details`. */
  readonly wantsDetails?: boolean;
  readonly description?: string;
  /** Called with every event, in order; a returned promise holds back the command's output. */
  readonly onEvent?: (event: ShellEvent) => void | Promise<void>;
  /** Answers a question with yes; a refusal stays one. */
  readonly assumeYes?: boolean;
}

export const EVENT_TYPES = ['stdout', 'stderr', 'status', 'resource', 'violation', 'error'] as const;

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
  | (EventBase & { readonly type: 'violation' } & SandboxViolation)
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

/**
 * Files that are different after the run, of those that the command was expected to touch and those that the sandbox
 * saw: for editors and caches. A command that cannot be understood may have changed others; then `isComplete` is false.
 */
export interface FileChanges {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
  readonly isComplete: boolean;
}

/** What few callers want to know, and what should not lie around in records. */
export interface RunDetails {
  readonly parentPid: number | null;
  /** As the command got them; values of variables whose names say that they are secrets are left out. */
  readonly environment: Readonly<Record<string, string>>;
  /** Direct children that were there when it wrote something, or at the look once a second. */
  readonly childPids: readonly number[];
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
  readonly signal: string | null;
  /** What the exit code means for this command, where that is known. */
  readonly meaning: string | null;
  /** `grep` without matches exits with 1 and is no error. */
  readonly isError: boolean;
  /** Combined output: all of it, or its two ends. The whole is in `outputFile`. Of `running`: what it wrote so far. */
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
  /** What held this command; `tier` is `none` when nothing did, or when it never ran. */
  readonly enforcement: Enforcement;
  readonly violations: readonly SandboxViolation[];
  readonly files: FileChanges;
  /** Why it was ended or could not be run: one of the closed set, with what to do. */
  readonly failure: Failure | null;
  /** Of a command that goes on as a task: what a person was asked about it and has not answered. It waits for that. */
  readonly question?: { readonly code: string; readonly message: string };
  /** Present if `wantsDetails` was set and the command ran. */
  readonly details?: RunDetails;
}

export type ShellStream = AsyncIterable<ShellEvent> & { readonly result: Promise<RunResult> };

/** A folder that moves with `cd`, and a name under which answers hold: what a conversation needs, in the caller's hands. */
export interface ShellSession {
  readonly id: string;
  readonly cwd: string;
  /** Where it began, and where it goes back to. */
  readonly originalCwd: string;
  /** The same session, with these options for each of its commands that does not say otherwise. */
  with(options: SessionOptions): ShellSession;
  /** The request that a command of this session would be run with. */
  complete(options?: SessionOptions): RunOptions & { readonly cwd: string };
  run(command: string, options?: SessionOptions): Promise<RunResult>;
  stream(command: string, options?: SessionOptions): ShellStream;
  start(command: string, options?: SessionOptions): Promise<RunResult>;
}

/** `cwd` is for this command alone, which then does not move the session. */
export type SessionOptions = Omit<RunOptions, 'originalCwd' | 'session'>;

export interface Permission {
  readonly isAllowed: boolean;
  readonly facts: Facts;
  readonly verdict: Verdict;
  /** `null` when nobody had to be asked. */
  readonly answer: Answer | null;
}

export interface ShellTool {
  analyze(command: string, options?: Pick<RunOptions, 'cwd' | 'shell'>): Facts;
  /** The verdict that `run` would start with. Runs nothing and asks nobody. */
  check(command: string, options?: RunOptions): { readonly facts: Facts; readonly verdict: Verdict };
  /** What `run` would go by: verdict and answer, asking whoever can be asked. Runs nothing. */
  permit(command: string, options?: RunOptions): Promise<Permission>;
  /** The policy that holds for a request. */
  policy(options?: RunOptions): Policy;
  session(options?: RunContext): ShellSession;
  /** What would hold a command that is run so, on this machine: for descriptions and reports. */
  enforcement(options?: RunOptions): Promise<Enforcement>;
  run(command: string, options?: RunOptions): Promise<RunResult>;
  /** Events as they come; `result` is there when they have ended. Leaving the loop early ends the command. */
  stream(command: string, options?: RunOptions): ShellStream;
  /** In the background: answers at once, and goes on when this process is gone. */
  start(command: string, options?: RunOptions): Promise<RunResult>;
  tasks(): Promise<readonly TaskInfo[]>;
  /** Tasks of this user, whoever started them. */
  task(id: string): Promise<TaskHandle | null>;
  /** Ends what runs in the foreground, and no task. `await using shell = createShell()` does it by itself. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
