// Options of `install`, and its reports.

export const AGENT_NAMES = [
  'claude-code',
  'claude-desktop',
  'cursor',
  'codex',
  'gemini',
  'qwen',
  'opencode',
  'copilot',
  'cline',
  'vscode',
] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

/** `confine`: a hook that hands commands to hardshell; `verdict-only`: a hook that only decides; `mcp`: hardshell's own tools. */
export type Way = 'confine' | 'verdict-only' | 'mcp';

export type Scope = 'user' | 'project';

export interface InstallOptions {
  readonly project?: true;
  readonly user?: true;
  readonly mcp?: true;
  readonly verdictOnly?: true;
  readonly undo?: true;
  readonly list?: true;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
  /** False after --no-color. */
  readonly color: boolean;
}
