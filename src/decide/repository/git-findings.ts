// All git commands of a subject → what their repositories would make them run, and the variables that prevent it.
// Without a probe nothing is found: whoever decides without a disk decides that repositories are trusted.

import type { CommandFact } from '../../core/facts.ts';
import type { Probe } from '../../core/probe.ts';
import type { Subject } from '../check.ts';
import { findGitFolders, type GitFolder } from './git-folders.ts';
import { findHooks } from './git-hooks.ts';
import { isPartialClone, keyOf, triggersOf, triggersOfCommand } from './git-keys.ts';
import { type GitSettings, type LocatedSetting, readGitSettings } from './git-settings.ts';
import { keepsEnvironment, mayChangeVariables, neutralise } from './neutral-environment.ts';

export interface GitFinding {
  readonly what: string;
  /** A hook of a command that is not read-only is what git is for: it is told, not asked about. */
  readonly isExpected: boolean;
  /** Settings that switch it off; `null` when none does. */
  readonly neutral: readonly (readonly [key: string, value: string])[] | null;
}

interface Examination {
  readonly byCommand: ReadonlyMap<CommandFact, readonly GitFinding[]>;
  readonly environment: Readonly<Record<string, string>> | null;
}

const examinations = new WeakMap<Subject, Examination>();

export function gitFindings(command: CommandFact, subject: Subject): readonly GitFinding[] {
  return examine(subject).byCommand.get(command) ?? [];
}

/** The variables with which nothing that was found runs; `null` when there is nothing to prevent or no way to. */
export function neutralisingEnvironment(subject: Subject): Readonly<Record<string, string>> | null {
  return examine(subject).environment;
}

function examine(subject: Subject): Examination {
  let known = examinations.get(subject);
  if (known === undefined) {
    const { probe } = subject.context;
    const byCommand = new Map<CommandFact, readonly GitFinding[]>();
    const settings = new Map<string, GitSettings>();
    if (probe !== null) {
      for (const command of subject.facts.commands) {
        if (command.name !== 'git' || command.elsewhere !== null) continue;
        const found = examineCommand(command, subject, probe, settings);
        if (found.length > 0) byCommand.set(command, found);
      }
    }
    known = { byCommand, environment: findEnvironment(byCommand, subject) };
    examinations.set(subject, known);
  }
  return known;
}

function examineCommand(
  command: CommandFact,
  subject: Subject,
  probe: Probe,
  known: Map<string, GitSettings>,
): readonly GitFinding[] {
  const path = command.invocation?.path ?? ['git'];
  const operands = command.invocation?.operands ?? [null];
  const triggers = new Set(triggersOfCommand(path, operands));
  if (triggers.size === 0) return [];
  const found = findGitFolders(command, probe);
  if ('unknown' in found) return [problem(`${found.unknown}, so its repository cannot be looked at`)];
  const { settings, problems } = settingsOf(found.folders, subject, probe, known);
  if (isPartialClone(settings)) triggers.add('network');
  const alias = path.length === 1 ? operands[0] : undefined;
  const running = settings.filter(
    (setting) => triggersOf(setting).some((trigger) => triggers.has(trigger)) || isShellAlias(setting, alias),
  );
  const hooks = findHooks(path[1], command.readOnly, triggers.has('index'), found.folders, settings, {
    probe,
    home: subject.context.home,
  });
  return [
    ...problems.map(problem),
    ...running.map((setting) => ({ what: describe(setting), isExpected: false, neutral: neutralise(setting) })),
    ...hooks.map(
      ({ name, file }): GitFinding => ({
        what: `the hook ${name} (${file})`,
        isExpected: !command.readOnly,
        neutral: command.readOnly ? [['core.hooksPath', '/dev/null']] : null,
      }),
    ),
  ];
}

/** Commands of one line mostly share their repository. */
function settingsOf(
  folders: readonly GitFolder[],
  subject: Subject,
  probe: Probe,
  known: Map<string, GitSettings>,
): GitSettings {
  const key = folders.map(({ own, common }) => `${own}\0${common}`).join('\0');
  const settings = known.get(key) ?? readGitSettings(folders, probe, subject.context.home);
  known.set(key, settings);
  return settings;
}

function isShellAlias({ section, subsection, name, value }: LocatedSetting, alias: string | null | undefined): boolean {
  if (section !== 'alias' || value === null || !value.trimStart().startsWith('!')) return false;
  return alias === null || alias === (subsection ?? name) || alias?.toLowerCase() === name;
}

function problem(text: string): GitFinding {
  return { what: text, isExpected: false, neutral: null };
}

const SHOWN_LENGTH = 120;

function describe(setting: LocatedSetting): string {
  const value = setting.value ?? 'true';
  const shown = value.length > SHOWN_LENGTH ? `${value.slice(0, SHOWN_LENGTH)}…` : value;
  return `${keyOf(setting)} = ${JSON.stringify(shown)} (${setting.file}:${setting.line})`;
}

function findEnvironment(
  byCommand: ReadonlyMap<CommandFact, readonly GitFinding[]>,
  subject: Subject,
): Readonly<Record<string, string>> | null {
  if (!subject.context.canSetEnvironment || !subject.facts.readOnly || byCommand.size === 0) return null;
  const pairs = new Map<string, string>();
  for (const [command, findings] of byCommand) {
    if (!keepsEnvironment(command)) return null;
    for (const { neutral } of findings) {
      if (neutral === null) return null;
      for (const [key, value] of neutral) pairs.set(key, value);
    }
  }
  return toEnvironment(pairs, subject);
}

function toEnvironment(pairs: ReadonlyMap<string, string>, { facts }: Subject): Record<string, string> | null {
  // The variables only help while nothing in the command line changes them. A name may be cut by a line continuation.
  if (/GIT_|\\\n/.test(facts.command) || facts.status !== 'understood') return null;
  if (facts.commands.some(mayChangeVariables)) return null;
  const environment: Record<string, string> = { GIT_OPTIONAL_LOCKS: '0', GIT_CONFIG_COUNT: String(pairs.size) };
  for (const [i, [key, value]] of [...pairs].entries()) {
    environment[`GIT_CONFIG_KEY_${i}`] = key;
    environment[`GIT_CONFIG_VALUE_${i}`] = value;
  }
  return environment;
}
