// A task: a command in the background, or one in the foreground whose output was kept. Data and ports only.

import type { RunStatus } from './run-status.ts';

export interface TaskInfo {
  readonly id: string;
  readonly command: string;
  readonly description: string | null;
  readonly state: 'running' | 'finished' | 'lost';
  /** How it ended: `timed-out` and `limited` if hardshell ended it because of its timeout or of a limit. */
  readonly status: RunStatus;
  readonly pid: number;
  readonly pgid: number;
  readonly cwd: string;
  readonly session: string | null;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why hardshell ended it (`timeout`, `stopped`, `memory-limit`, …); null if it ended by itself, or runs. */
  readonly cause: string | null;
  /** What the output does not say: why hardshell ended it, and what the sandbox removed and refused. */
  readonly notes: readonly string[];
  readonly outputFile: string;
  readonly outputBytes: number;
}

export interface TaskHandle {
  readonly id: string;
  info(): Promise<TaskInfo>;
  /** Output from a byte on; `cursor` is where to continue reading. */
  read(options?: { readonly cursor?: number; readonly limitBytes?: number }): Promise<{
    readonly text: string;
    readonly cursor: number;
    readonly isAtEnd: boolean;
  }>;
  /** False if its stdin is closed, or belongs to another process. */
  write(text: string): Promise<boolean>;
  endInput(): void;
  wait(options?: { readonly timeout?: number; readonly signal?: AbortSignal }): Promise<TaskInfo>;
  /** Kills the whole process tree: SIGTERM, then SIGKILL; `kill` with SIGKILL at once. False if it had already ended. */
  stop(): Promise<boolean>;
  kill(): Promise<boolean>;
  /** Any other signal, to its process group; false if it has ended, or was started by another process. */
  signal(signal: number): Promise<boolean>;
  /** Removes the task and deletes its output; only after it has ended. */
  remove(): Promise<void>;
}
