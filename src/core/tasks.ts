// A task: a command in the background, or one in the foreground whose output was kept. Data and ports only.

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
  wait(options?: { readonly timeout?: number; readonly signal?: AbortSignal }): Promise<TaskInfo>;
  /** Ends the whole tree: SIGTERM, then SIGKILL; `kill` with SIGKILL at once. False when it had already ended. */
  stop(): Promise<boolean>;
  kill(): Promise<boolean>;
  /** Any other signal, to its process group; false when it has ended, or was started by another process. */
  signal(signal: number): Promise<boolean>;
  /** Forgets it and deletes its output; only when it has ended. */
  remove(): Promise<void>;
}
