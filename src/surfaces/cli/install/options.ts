// Options of `install`, and its reports.

export const AGENT_NAMES = [
  'claude-code',
  'claude-desktop',
  'cursor',
  'codex',
  'gemini',
  'vscode',
  'opencode',
] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

export type Scope = 'user' | 'project';

export interface InstallOptions {
  readonly project?: true;
  readonly user?: true;
  readonly hook?: true;
  readonly undo?: true;
  readonly list?: true;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
  /** False after --no-color. */
  readonly color: boolean;
}
