// The vocabulary of staged changes: how a command's changes are held, and what became of them. Data only.

/** From the laxest. `apply`: changes land when the command has ended, and can be undone. `review`: they wait for a person. */
export const STAGING_MODES = ['off', 'apply', 'review'] as const;
export type StagingMode = (typeof STAGING_MODES)[number];

/** In `STAGE/state`. Those that end in `ing` belong to a running process, or are left by one that was killed. */
export const STAGE_STATES = [
  'running',
  'held',
  'landing',
  'landed',
  'undoing',
  'undone',
  'redoing',
  'dropped',
] as const;
export type StageState = (typeof STAGE_STATES)[number];

/** What can be done with the changes of a command that has ended. */
export const CHANGES_ACTS = ['undo', 'redo', 'apply', 'drop'] as const;
export type ChangesAct = (typeof CHANGES_ACTS)[number];

/** What a model may do with the changes of the commands of its own session; `changes`: look at them. */
export const STAGING_TOOLS = ['changes', ...CHANGES_ACTS] as const;
export type StagingTool = (typeof STAGING_TOOLS)[number];

/** Held changes wait for a person, who also decides what can no longer be undone. */
export const DEFAULT_STAGING_TOOLS: Readonly<Record<StagingTool, boolean>> = {
  changes: true,
  undo: true,
  redo: true,
  apply: false,
  drop: false,
};

/** Who did it: a person (`cli`, `dashboard`), a model (`mcp`, `adapter`), or a program that uses the library. */
export const CHANGES_ACTORS = ['cli', 'dashboard', 'mcp', 'adapter', 'program'] as const;
export type ChangesActor = (typeof CHANGES_ACTORS)[number];

/** `mode`: permissions only. */
export type ChangeKind = 'created' | 'changed' | 'deleted' | 'mode';

export interface ChangedFile {
  /** Absolute. */
  readonly path: string;
  readonly change: ChangeKind;
  readonly type: 'file' | 'folder' | 'link' | 'other';
  /** Of the new file; 0 if it was deleted. */
  readonly bytes: number;
}

/**
 * `protected`: it controls what runs outside of the sandbox. `conflict`: it was changed outside while the command ran.
 * `hidden`: it is hidden from commands. `link`: it would lead programs of the user elsewhere. `failed`: an error.
 */
export const HELD_REASONS = ['protected', 'conflict', 'hidden', 'link', 'failed'] as const;
export type HeldReason = (typeof HELD_REASONS)[number];

export interface HeldBack {
  /** Absolute. */
  readonly path: string;
  readonly change: ChangeKind;
  readonly why: HeldReason;
  /** The setting or the error, if there is more to say. */
  readonly detail: string;
}

/** Reasons for which changes are not staged that nobody needs to be told. */
export const NOT_STAGED = {
  off: 'staging is off',
  reads: 'the command is known to change nothing',
} as const;

/** What a staged command changed. */
export interface RunChanges {
  /** Of the stage: for `hardshell changes ID`, and `undo`. It is the id of the task. */
  readonly id: string;
  readonly state: StageState;
  /** How many files were created; links count as files. */
  readonly created: number;
  /** Permissions included. */
  readonly changed: number;
  readonly deleted: number;
  /** Folders that were created, changed or deleted. */
  readonly folders: number;
  /** The first of them. */
  readonly files: readonly ChangedFile[];
  /** How many more there are. */
  readonly omitted: number;
  /** Changes that did not land. They stay in the stage. */
  readonly heldBack: readonly HeldBack[];
}
