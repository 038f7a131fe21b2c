// What the verbs of `hardshell tasks` receive from the command line.

export interface ListOptions {
  readonly json?: true;
  readonly all?: true;
  /** False after --no-color. */
  readonly color: boolean;
}

export interface LogsOptions {
  readonly follow?: true;
  readonly cursor: number;
  readonly json?: true;
}

export interface WaitOptions {
  readonly timeout?: number;
  readonly json?: true;
}

export interface StopOptions {
  readonly json?: true;
}

export interface RemoveOptions {
  readonly finished?: true;
  readonly json?: true;
}
