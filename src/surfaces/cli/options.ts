// What the verbs receive from the command line.

import type { Mode, ProfileName, Shell } from '../../host/deciding.ts';
import type { SandboxName, StagingMode } from '../../host.ts';

/** Duplicated here, so that naming the options does not load the analysis. */
export const SHELL_NAMES = ['bash', 'sh', 'zsh'] as const satisfies readonly Shell[];

export interface AnalyzeOptions {
  readonly cwd?: string;
  readonly shell: Shell;
  readonly json?: true;
  readonly batch?: true;
}

export const MODE_NAMES = [
  'plan',
  'default',
  'accept-edits',
  'auto',
  'dont-ask',
  'bypass',
] as const satisfies readonly Mode[];

export const PROFILE_NAMES = [
  'claude-code',
  'req',
  'layered',
  'proposal-0028',
  'mcp-guide',
] as const satisfies readonly ProfileName[];

export const SANDBOX_NAMES = ['restricted', 'workspace', 'unrestricted'] as const satisfies readonly SandboxName[];

export const STAGING_NAMES = ['off', 'apply', 'review'] as const satisfies readonly StagingMode[];

export interface CheckOptions {
  readonly cwd?: string;
  readonly shell: Shell;
  readonly json?: true;
  /** False after --no-color. */
  readonly color: boolean;
  readonly batch?: true;
  readonly ask?: true;
  readonly timeout?: number;
  readonly mode?: Mode;
  readonly settings?: string;
  readonly profile?: ProfileName;
  readonly user?: string;
  readonly root?: readonly string[];
}

/** Shown by help after the options: one line each, comments after two blanks. */
export function examplesText(...lines: readonly string[]): string {
  return ['\nExamples:', ...lines.map((line) => `  ${line}`)].join('\n');
}
