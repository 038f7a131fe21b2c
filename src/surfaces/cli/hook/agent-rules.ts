// The agent's own rules that a changed command would escape: they are matched against what the hook returns, and
// `hardshell run …` matches none of them. So hardshell applies them itself, to the original command.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  check,
  DEFAULT_POLICY,
  HardshellError,
  type PolicyRule,
  readRules,
  type SettingsLayer,
  strictest,
  type Verdict,
} from '../../../host/deciding.ts';
import { claudeManagedFiles, claudeUserFolder } from '../claude-settings.ts';
import { findValue } from '../edit/json-edit.ts';
import { inheritedVariables } from '../input.ts';
import { process } from '../process.ts';
import type { HookAgent } from './agents.ts';
import type { Asked } from './dialects.ts';

interface RuleFile {
  readonly file: string;
  readonly layer: SettingsLayer;
  /** Of relative paths in its rules. */
  readonly base: string | null;
}

/** The verdict, tightened by what Claude Code's settings ask about or deny. */
export function applyAgentRules(agent: HookAgent, verdict: Verdict, asked: Asked, project: string): Verdict {
  if (agent !== 'claude-code') return verdict;
  const rules = claudeFiles(project).flatMap(readClaudeRules);
  if (rules.length === 0) return verdict;
  const { cwd, command } = asked;
  const policy = { ...DEFAULT_POLICY, rules };
  const own = check(command, { cwd, shell: 'bash', variables: inheritedVariables(), policy }).verdict;
  const findings = own.findings.filter(({ rule, verdict: said }) => rule !== null && said !== 'allow');
  if (findings.length === 0) return verdict;
  const all = [...findings, ...verdict.findings];
  const decision = strictest(all.map((finding) => finding.verdict));
  return { ...verdict, decision, findings: all, suggestions: [] };
}

function claudeFiles(project: string): readonly RuleFile[] {
  const managed = claudeManagedFiles({ platform: process.platform, environment: process.env });
  const user = claudeUserFolder(homedir(), process.env);
  return [
    ...managed.map((file) => ({ file, layer: 'managed' as const, base: null })),
    { file: join(user, 'settings.json'), layer: 'user', base: null },
    { file: join(project, '.claude/settings.json'), layer: 'project', base: project },
    { file: join(project, '.claude/settings.local.json'), layer: 'local', base: project },
  ];
}

const CHECKED_TOOLS = /^\s*(?:Bash|Read|Edit|Write)\b/;

/** Throws if the file, or a rule in it, cannot be read: a lost rule would be worse than a refusal. */
function readClaudeRules({ file, layer, base }: RuleFile): readonly PolicyRule[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  if (text.trim() === '') return [];
  return (['deny', 'ask'] as const).flatMap((list) => {
    const found = findIn(file, text, ['permissions', list]);
    if (found === null) return [];
    const texts = [found.value].flat().filter((rule) => typeof rule === 'string' && CHECKED_TOOLS.test(rule));
    return readRules({ [list]: texts }, layer).map((rule) => ({
      ...rule,
      base,
      origin: { layer, file, line: found.line },
    }));
  });
}

function findIn(
  file: string,
  text: string,
  path: readonly string[],
): { readonly value: unknown; readonly line: number } | null {
  try {
    return findValue(text, path);
  } catch (cause) {
    throw new HardshellError('unreadable-settings', `${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/**
 * The other agents match their own rules against the changed command as well. Those are not read here: while one of
 * them denies or asks, the agent's commands stay as they are, and hardshell only decides.
 */
export function hasOwnRules(agent: HookAgent, project: string): boolean {
  switch (agent) {
    case 'codex': {
      const user = process.env.CODEX_HOME || join(homedir(), '.codex');
      const folders = ['/etc/codex', user, join(project, '.codex')].map((folder) => join(folder, 'rules'));
      return folders
        .flatMap((folder) => filesIn(folder, '.rules'))
        .some((file) => has(file, /["'](?:prompt|forbidden)["']/));
    }
    case 'gemini': {
      const user = join(process.env.GEMINI_CLI_HOME || homedir(), '.gemini');
      const folders = ['/etc/gemini-cli', user, join(project, '.gemini')];
      const policies = folders.flatMap((folder) => filesIn(join(folder, 'policies'), '.toml'));
      return (
        policies.some((file) => has(file, /["'](?:deny|ask_user)["']/)) ||
        folders.some((folder) => denies(join(folder, 'settings.json'), ['tools', 'exclude']))
      );
    }
    default:
      return false;
  }
}

/** A list of the settings has a rule about the shell tool. */
function denies(file: string, list: readonly string[]): boolean {
  if (!existsSync(file)) return false;
  const text = readFileSync(file, 'utf8');
  const value = text.trim() === '' ? null : findIn(file, text, list);
  return /Bash|[Ss]hell/.test(JSON.stringify(value?.value ?? ''));
}

function has(file: string, pattern: RegExp): boolean {
  return pattern.test(readFileSync(file, 'utf8'));
}

function filesIn(folder: string, end: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name));
}
