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
    const found = findIn(file, text, list);
    if (found === null) return [];
    const texts = [found.value].flat().filter((rule) => typeof rule === 'string' && CHECKED_TOOLS.test(rule));
    return readRules({ [list]: texts }, layer).map((rule) => ({
      ...rule,
      base,
      origin: { layer, file, line: found.line },
    }));
  });
}

function findIn(file: string, text: string, list: string): { readonly value: unknown; readonly line: number } | null {
  try {
    return findValue(text, ['permissions', list]);
  } catch (cause) {
    throw new HardshellError('unreadable-settings', `${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Codex matches its rules (`prefix_rule(…)` in Starlark) against the changed command as well. They are not read here:
 * while one of them asks or forbids, commands stay as they are.
 */
export function hasCodexRules(project: string): boolean {
  const user = process.env.CODEX_HOME || join(homedir(), '.codex');
  const folders = ['/etc/codex', user, join(project, '.codex')].map((folder) => join(folder, 'rules'));
  return folders.flatMap(rulesIn).some((file) => /["'](?:prompt|forbidden)["']/.test(readFileSync(file, 'utf8')));
}

function rulesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.rules'))
    .map((name) => join(folder, name));
}
