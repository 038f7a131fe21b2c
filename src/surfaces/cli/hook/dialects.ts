// The hook protocol of each agent: its event → the command, and our verdict → its answer.
// Checked against each agent's documentation; docs/agents.md says what each of them does with the answer.

import type { Mode, VerdictName } from '../../../host/deciding.ts';
import { process } from '../process.ts';
import type { HookAgent } from './agents.ts';
import type { HookTexts } from './reason.ts';

/** What the agent wants to run. */
export interface Asked {
  readonly command: string;
  /** What the model passed to the tool, with the command. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  /** Where the agent works, which the model does not choose: settings there apply wherever the command runs. */
  readonly projects: readonly string[];
  /** The mode of the agent itself, if it reports one. */
  readonly mode: Mode | null;
  /** Of the agent. */
  readonly session: string | null;
}

export interface Dialect {
  /** `null`: not about a shell command. Throws `BadEvent` if it is, but cannot be read. */
  readonly read: (event: Record<string, unknown>) => Asked | null;
  /** Its hooks can answer with a question to its user. */
  readonly canAsk: boolean;
  /** False: there is no user who could answer. */
  readonly hasUser: () => boolean;
  /** What to print. An empty object leaves the decision to the agent. */
  readonly answer: (verdict: VerdictName, texts: HookTexts) => object;
  /** The same, with what the tool should run instead. */
  readonly answerWith?: (input: object, verdict: VerdictName, texts: HookTexts) => object;
}

const MAX_SESSION = 200;

export class BadEvent extends Error {}

const CLAUDE_MODES: Readonly<Record<string, Mode>> = {
  plan: 'plan',
  dontAsk: 'dont-ask',
  default: 'default',
  acceptEdits: 'accept-edits',
  bypassPermissions: 'bypass',
};

export const DIALECTS: Readonly<Record<HookAgent, Dialect>> = {
  'claude-code': {
    read: (event) => readTool(event, 'PreToolUse', 'Bash'),
    canAsk: true,
    // Without a user it refuses questions, and the model reads the reason.
    hasUser: isAttended,
    answer: answerClaude,
    answerWith: (input, verdict, texts) => withInput(answerClaude(verdict, texts), input),
  },
  codex: {
    read: (event) => readTool(event, 'PreToolUse', 'Bash'),
    // Any decision other than a refusal counts as a failed hook there, and a failed hook lets the command run.
    canAsk: false,
    hasUser: () => false,
    answer: (verdict, texts) => (verdict === 'deny' ? preToolUse(verdict, texts, 'forModel') : {}),
    // With a changed command it takes allow, and its own rules still decide.
    answerWith: (input, _, texts) => withInput(preToolUse('allow', texts, 'forModel'), input),
  },
  cursor: {
    read: readShell,
    canAsk: true,
    hasUser: () => true,
    answer: (verdict, { forModel, forUser }) => ({
      permission: verdict,
      user_message: forUser,
      agent_message: forModel,
    }),
  },
  gemini: {
    read: (event) => readTool(event, 'BeforeTool', 'run_shell_command'),
    canAsk: false,
    hasUser: () => false,
    answer: (verdict, { forModel, howToAllow }) =>
      verdict === 'deny' ? { decision: 'deny', reason: forModel, ...messageToUser(howToAllow) } : {},
    answerWith: (tool_input) => ({ hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input } }),
  },
  // The plugin that `install` writes speaks for opencode, in the form of Codex.
  opencode: {
    read: (event) => readTool(event, 'PreToolUse', 'bash'),
    canAsk: false,
    hasUser: () => false,
    answer: (verdict, texts) => (verdict === 'deny' ? preToolUse(verdict, texts, 'forModel') : {}),
    answerWith: (input, _, texts) => withInput(preToolUse('allow', texts, 'forModel'), input),
  },
  qwen: {
    read: (event) => readTool(event, 'PreToolUse', 'run_shell_command'),
    canAsk: false,
    hasUser: () => false,
    answer: (verdict, texts) => (verdict === 'deny' ? preToolUse(verdict, texts, 'forModel') : {}),
  },
};

function answerClaude(verdict: VerdictName, texts: HookTexts): ToolAnswer {
  return preToolUse(verdict, texts, verdict === 'ask' && isAttended() ? 'forUser' : 'forModel');
}

interface ToolAnswer {
  readonly systemMessage?: string;
  readonly hookSpecificOutput: object;
}

function withInput(answer: ToolAnswer, updatedInput: object): ToolAnswer {
  return { ...answer, hookSpecificOutput: { ...answer.hookSpecificOutput, updatedInput } };
}

/** Claude Code tells its hooks if there is no user (`claude -p`); older versions only say how they were started. */
function isAttended(): boolean {
  const { CLAUDE_CODE_SESSION_ATTENDED: attended, CLAUDE_CODE_ENTRYPOINT: entrypoint } = process.env;
  return attended === undefined ? entrypoint !== 'sdk-cli' : attended !== '0';
}

function preToolUse(verdict: VerdictName, texts: HookTexts, reader: 'forModel' | 'forUser'): ToolAnswer {
  return {
    ...(verdict === 'deny' ? messageToUser(texts.howToAllow) : {}),
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: verdict,
      permissionDecisionReason: texts[reader],
    },
  };
}

/** Not shown to the model. */
function messageToUser(text: string | null): object {
  return text === null ? {} : { systemMessage: text };
}

/** The fallback answer: `text` is for the model and the user. */
export function createRefusal(agent: HookAgent, text: string): object {
  return DIALECTS[agent].answer('deny', { forModel: text, forUser: text, howToAllow: null });
}

function readTool(event: Record<string, unknown>, name: string, shellTool: string): Asked | null {
  const { hook_event_name, tool_name, tool_input, permission_mode } = event;
  if (hook_event_name !== undefined && hook_event_name !== name) return null;
  if (typeof tool_name !== 'string') throw new BadEvent('"tool_name" is missing');
  if (tool_name !== shellTool) return null;
  if (!isRecord(tool_input)) throw new BadEvent('"tool_input" is not an object');
  // The model may name another folder, relative to the project: in Gemini's tool, or in Codex's.
  const folder = tool_input.dir_path ?? tool_input.directory ?? tool_input.workdir;
  return {
    command: textOf(tool_input.command, 'tool_input.command'),
    input: tool_input,
    cwd: folderOf(event.cwd, folder),
    projects: [folderOf(event.cwd)],
    mode: typeof permission_mode === 'string' ? (CLAUDE_MODES[permission_mode] ?? null) : null,
    session: sessionOf(event.session_id),
  };
}

function readShell(event: Record<string, unknown>): Asked | null {
  const { hook_event_name, command, cwd, workspace_roots } = event;
  if (hook_event_name !== undefined && hook_event_name !== 'beforeShellExecution') return null;
  const roots: unknown[] = Array.isArray(workspace_roots) ? workspace_roots : [];
  const [root] = roots;
  return {
    command: textOf(command, 'command'),
    input: {},
    cwd: folderOf(cwd === '' ? root : (cwd ?? root)),
    projects: roots.map((each) => folderOf(each)),
    mode: null,
    session: sessionOf(event.conversation_id),
  };
}

function sessionOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_SESSION) : null;
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new BadEvent(`"${name}" is not a string`);
  return value;
}

function folderOf(cwd: unknown, within?: unknown): string {
  if (typeof cwd !== 'string' || !cwd.startsWith('/')) throw new BadEvent('"cwd" is not an absolute path');
  if (within === undefined || within === '') return cwd;
  if (typeof within !== 'string') throw new BadEvent('the folder of the command is not a string');
  return within.startsWith('/') ? within : `${cwd}/${within}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
