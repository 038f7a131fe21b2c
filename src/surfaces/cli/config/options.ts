// What the verbs of `hardshell config` receive from the command line.

export const TARGETS = ['user', 'project', 'local'] as const;
export type Target = (typeof TARGETS)[number];

export interface CommonOptions {
  readonly cwd?: string;
  readonly json?: true;
}

export interface ShowOptions extends CommonOptions {
  readonly settings?: string;
  readonly origin?: true;
  /** False after --no-color. */
  readonly color?: boolean;
}

export interface AddOptions extends CommonOptions {
  readonly to: Target;
  readonly until?: string;
  readonly because?: string;
}

export interface ImportOptions extends CommonOptions {
  readonly write?: Target;
}
