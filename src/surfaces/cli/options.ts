// What the verbs receive from the command line.

import type { Shell } from '../../index.ts';

/** Kept here too, so that naming the options does not load the analysis. */
export const SHELL_NAMES = ['bash', 'sh', 'zsh'] as const satisfies readonly Shell[];

export interface AnalyzeOptions {
  readonly cwd?: string;
  readonly shell: Shell;
  readonly json?: true;
  readonly batch?: true;
}

export interface ExplainOptions {
  readonly cwd?: string;
  readonly shell: Shell;
  readonly json?: true;
  /** False after --no-color. */
  readonly color: boolean;
}
