// What `changes`, `undo`, `redo`, `apply` and `drop` receive from the command line.

export interface ChangesOptions {
  readonly last?: true;
  readonly stat?: true;
  readonly held?: true;
  readonly all?: true;
  readonly json?: true;
  /** False after --no-color. */
  readonly color: boolean;
}

export interface ChangeOptions {
  readonly yes?: true;
  /** `undo` and `redo` only. */
  readonly force?: true;
  readonly json?: true;
  readonly color: boolean;
}
