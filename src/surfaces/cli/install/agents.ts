// Where each agent stores its settings, and in which format. Facts about other programs, checked against their
// documentation; docs/agents.md names the sources of each row.

import { existsSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { claudeUserFolder } from '../claude-settings.ts';
import { createRefusal } from '../hook/dialects.ts';
import { readText } from './change.ts';
import { whyUntrusted } from './in-force/codex-trust.ts';
import {
  whyClaudeHooksAreOff,
  whyCodexHooksAreOff,
  whyGeminiHooksAreOff,
  whyQwenHooksAreOff,
} from './in-force/hook-switches.ts';
import { NO_VERDICT } from './launch.ts';
import { opencodePlugin } from './opencode-plugin.ts';
import type { AgentName, Scope } from './options.ts';
import type { Surroundings, Target, Text } from './target.ts';

export interface Agent {
  readonly title: string;
  /** Programs by which it is known on the path. */
  readonly programs: readonly string[];
  readonly server: (scope: Scope, place: Surroundings) => Target | null;
  readonly hook?: (scope: Scope, place: Surroundings) => Target;
  /** What to do so that it takes effect. */
  readonly next: string;
  /** Why an installed hook has no effect, and what to do about it; `null` if it is in force. */
  readonly whyHookIsOff?: (target: Target, text: Text, place: Surroundings) => string | null;
}

const NAME = 'hardshell';
const stdio = ([command, ...args]: readonly string[]) => ({ command, args });
/** hardshell asks by itself; otherwise its tools are not offered without a user. */
const trusted = (argv: readonly string[]) => ({ ...stdio(argv), trust: true });
/** Seconds. A decision takes a fraction of one; a machine under load may need more. */
const HOOK_SECONDS = 30;

export const AGENTS: Readonly<Record<AgentName, Agent>> = {
  'claude-code': {
    title: 'Claude Code',
    programs: ['claude'],
    server: (scope, { home, cwd, environment }) =>
      servers(
        scope === 'user' ? join(environment.CLAUDE_CONFIG_DIR || home, '.claude.json') : join(cwd, '.mcp.json'),
        // Otherwise its tools are found only by a search, while its own shell is offered at once.
        (argv) => ({ type: 'stdio', ...stdio(argv), alwaysLoad: true }),
      ),
    hook: (scope, { home, cwd, environment }) => ({
      form: 'json-list',
      file: join(scope === 'user' ? claudeUserFolder(home, environment) : join(cwd, '.claude'), 'settings.json'),
      path: ['hooks', 'PreToolUse'],
      refusal: createRefusal('claude-code', NO_VERDICT),
      // Without onFailure, a hook that cannot start lets the command run. Older versions ignore the key.
      value: (command) => ({
        matcher: 'Bash',
        hooks: [{ type: 'command', command, timeout: HOOK_SECONDS, onFailure: 'block' }],
      }),
    }),
    next: 'Start Claude Code again; /mcp lists its servers and /hooks its hooks.',
    whyHookIsOff: (_target, _text, place) =>
      whyClaudeHooksAreOff(claudeUserFolder(place.home, place.environment), place),
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    programs: [],
    server: (scope, place) =>
      scope === 'project' ? null : servers(join(applicationData(place), 'Claude/claude_desktop_config.json'), stdio),
    next: 'Quit Claude Desktop and start it again.',
  },
  cursor: {
    title: 'Cursor',
    programs: ['cursor', 'cursor-agent'],
    server: (scope, { home, cwd }) => servers(join(scope === 'user' ? home : cwd, '.cursor/mcp.json'), stdio),
    hook: (scope, { home, cwd }) => ({
      form: 'json-list',
      file: join(scope === 'user' ? home : cwd, '.cursor/hooks.json'),
      path: ['hooks', 'beforeShellExecution'],
      besides: { version: 1 },
      refusal: null,
      value: (command) => ({ command, timeout: HOOK_SECONDS, failClosed: true }),
    }),
    next: 'Start Cursor again; its settings list servers under MCP and hooks under Hooks.',
  },
  codex: {
    title: 'Codex',
    programs: ['codex'],
    server: (scope, place) => ({
      form: 'toml',
      file: join(codexFolder(scope, place), 'config.toml'),
      table: ['mcp_servers', NAME],
      // hardshell asks by itself; without these, `codex exec` refuses its tools, or starts without them.
      more: { default_tools_approval_mode: '"approve"', required: 'true' },
    }),
    hook: (scope, place) => ({
      form: 'json-list',
      file: join(codexFolder(scope, place), 'hooks.json'),
      path: ['hooks', 'PreToolUse'],
      refusal: createRefusal('codex', NO_VERDICT),
      value: (command) => ({ matcher: '^Bash$', hooks: [{ type: 'command', command, timeout: HOOK_SECONDS }] }),
    }),
    next: 'Start Codex again; /mcp lists its servers and /hooks its hooks.',
    whyHookIsOff: (target, text, place) =>
      whyCodexHooksAreOff(codexFolder('user', place), place) ??
      whyUntrusted(target, codexPathOf(target, place), text, readText(join(codexFolder('user', place), 'config.toml'))),
  },
  gemini: {
    title: 'Gemini CLI',
    programs: ['gemini'],
    server: (scope, place) => servers(join(geminiFolder(scope, place), 'settings.json'), trusted),
    hook: (scope, place) => ({
      form: 'json-list',
      file: join(geminiFolder(scope, place), 'settings.json'),
      path: ['hooks', 'BeforeTool'],
      refusal: createRefusal('gemini', NO_VERDICT),
      value: (command) => ({
        matcher: '^run_shell_command$',
        hooks: [{ type: 'command', name: NAME, command, timeout: HOOK_SECONDS * 1_000 }],
      }),
    }),
    next: 'Start Gemini CLI again; /mcp lists its servers and /hooks its hooks.',
    whyHookIsOff: (_target, _text, place) => whyGeminiHooksAreOff(geminiFolder('user', place), NAME, place),
  },
  vscode: {
    title: 'VS Code',
    programs: ['code'],
    server: (scope, place) => ({
      form: 'json',
      file: scope === 'user' ? join(applicationData(place), 'Code/User/mcp.json') : join(place.cwd, '.vscode/mcp.json'),
      path: ['servers', NAME],
      value: (argv) => ({ type: 'stdio', ...stdio(argv) }),
    }),
    next: 'The command "MCP: List Servers" shows it; start it there.',
  },
  opencode: {
    title: 'opencode',
    programs: ['opencode'],
    server: (scope, { home, cwd, environment }) => ({
      form: 'json',
      file: firstThatExists(
        scope === 'user' ? join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'opencode') : cwd,
        ['opencode.jsonc', 'opencode.json'],
      ),
      path: ['mcp', NAME],
      value: (argv) => ({ type: 'local', command: argv, enabled: true }),
    }),
    hook: (scope, { home, cwd, environment }) => ({
      form: 'file',
      file: join(
        scope === 'user'
          ? join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'opencode')
          : join(cwd, '.opencode'),
        'plugin/hardshell.js',
      ),
      content: opencodePlugin,
    }),
    next: 'Start opencode again; `opencode mcp list` shows its servers.',
  },
  qwen: {
    title: 'Qwen Code',
    programs: ['qwen'],
    server: (scope, { home, cwd }) => servers(join(scope === 'user' ? home : cwd, '.qwen/settings.json'), trusted),
    hook: (scope, { home, cwd }) => ({
      form: 'json-list',
      file: join(scope === 'user' ? home : cwd, '.qwen/settings.json'),
      path: ['hooks', 'PreToolUse'],
      refusal: createRefusal('qwen', NO_VERDICT),
      value: (command) => ({
        matcher: '^run_shell_command$',
        hooks: [{ type: 'command', name: NAME, command, timeout: HOOK_SECONDS }],
      }),
    }),
    next: 'Start Qwen Code again; /mcp lists its servers and /hooks its hooks.',
    whyHookIsOff: (_target, _text, place) => whyQwenHooksAreOff(place),
  },
  copilot: {
    title: 'Copilot CLI',
    programs: ['copilot'],
    server: (scope, { home, environment }) =>
      scope === 'project'
        ? null
        : servers(join(environment.COPILOT_HOME || join(home, '.copilot'), 'mcp-config.json'), (argv) => ({
            type: 'local',
            ...stdio(argv),
            tools: ['*'],
          })),
    next: 'Start Copilot CLI again; /mcp lists its servers.',
  },
  cline: {
    title: 'Cline',
    programs: ['cline'],
    server: (scope, { home }) =>
      scope === 'project' ? null : servers(join(home, '.cline/data/settings/cline_mcp_settings.json'), stdio),
    next: 'Start Cline again.',
  },
};

function servers(file: string, value: (argv: readonly string[]) => object): Target {
  return { form: 'json', file, path: ['mcpServers', NAME], value };
}

function codexFolder(scope: Scope, { home, cwd, environment }: Surroundings): string {
  return scope === 'project' ? join(cwd, '.codex') : environment.CODEX_HOME || join(home, '.codex');
}

/** Codex resolves links in CODEX_HOME, and none in the home of the user. */
function codexPathOf(target: Target, { environment }: Surroundings): string {
  const home = environment.CODEX_HOME;
  if (!home || !target.file.startsWith(join(home, '/'))) return target.file;
  return join(existsSync(home) ? realpathSync(home) : home, basename(target.file));
}

function geminiFolder(scope: Scope, { home, cwd, environment }: Surroundings): string {
  return join(scope === 'project' ? cwd : environment.GEMINI_CLI_HOME || home, '.gemini');
}

function applicationData({ home, platform, environment }: Surroundings): string {
  if (platform === 'darwin') return join(home, 'Library/Application Support');
  if (platform === 'win32') return environment.APPDATA || join(home, 'AppData/Roaming');
  return environment.XDG_CONFIG_HOME || join(home, '.config');
}

function firstThatExists(folder: string, names: readonly [string, ...string[]] | readonly string[]): string {
  const paths = names.map((name) => join(folder, name));
  return paths.find((path) => existsSync(path)) ?? (paths.at(-1) as string);
}
