// All commands of a subject that are git or start it → what their repositories would run, and the variables that prevent it.
// Without a probe nothing is found: a caller that decides without a disk trusts all repositories.

import type { CommandFact } from '../../../core/facts.ts';
import type { Probe } from '../../../core/probe.ts';
import { shorten } from '../../../core/values/shorten.ts';
import type { Subject } from '../../check.ts';
import { findGitFolders } from './git-folders.ts';
import { findHooks } from './git-hooks.ts';
import { isPartialClone, keyOf, listTriggers } from './git-keys.ts';
import { type Repositories, readRepositories } from './git-repositories.ts';
import type { LocatedSetting } from './git-settings.ts';
import { type GitUse, readGitUse } from './git-uses.ts';
import { keepsEnvironment, mayChangeVariables, neutralise } from './neutral-environment.ts';

export interface GitFinding {
  readonly what: string;
  /** A hook of a command that is not read-only is expected: it is reported, not asked about. */
  readonly isExpected: boolean;
  /** Settings that disable it; `null` if none does. */
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

/** The variables that prevent everything that was found; `null` if there is nothing to prevent or no way to. */
export function neutralisingEnvironment(subject: Subject): Readonly<Record<string, string>> | null {
  return examine(subject).environment;
}

function examine(subject: Subject): Examination {
  let known = examinations.get(subject);
  if (known === undefined) {
    const { probe } = subject.context;
    const byCommand = new Map<CommandFact, readonly GitFinding[]>();
    const repositories = new Map<string, Repositories>();
    if (probe !== null) {
      for (const command of subject.facts.commands) {
        const use = command.elsewhere === null ? readGitUse(command) : null;
        if (use === null) continue;
        const found = examineCommand(command, use, subject, probe, repositories);
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
  use: GitUse,
  subject: Subject,
  probe: Probe,
  known: Map<string, Repositories>,
): readonly GitFinding[] {
  const { home } = subject.context;
  const found = findGitFolders(command, probe);
  if ('unknown' in found) return [problem(`${found.unknown}, so its repository cannot be checked`)];
  const { folders, workTrees } = found;
  if (folders.length === 0) return [];
  // Commands of one line usually share their repository.
  const key = [use.isShallow, ...folders.map(({ own, common }) => `${own}\0${common}`), ...workTrees].join('\0');
  const repositories = known.get(key) ?? readRepositories(folders, workTrees, use.isShallow, { probe, home });
  known.set(key, repositories);
  const { settings, problems } = repositories;
  const triggers = new Set(use.triggers);
  if (isPartialClone(settings)) triggers.add('network');
  const running = settings.filter(
    (setting) =>
      listTriggers(setting).some((trigger) => triggers.has(trigger)) ||
      isAlias(setting, use.alias, use.subcommand !== undefined),
  );
  const { readOnly } = command;
  const hookUse = { subcommand: use.subcommand, isReadOnly: readOnly, touchesIndex: triggers.has('index') };
  const nested = use.entersNested === null ? [] : [`${use.entersNested}, which enters repositories of old commits`];
  return [
    ...[...problems, ...nested].map(problem),
    ...running.map((setting) => ({ what: describe(setting), isExpected: false, neutral: neutralise(setting) })),
    ...findHooks(hookUse, folders, repositories, { probe, home }).map(
      ({ name, file }): GitFinding => ({
        what: name === null ? `the hooks in ${file}, an unknown folder` : `the hook ${name} (${file})`,
        isExpected: !readOnly,
        neutral: readOnly ? [['core.hooksPath', '/dev/null']] : null,
      }),
    ),
  ];
}

/** Any alias counts if the command is analyzed as something else; otherwise only one that runs shell text. */
function isAlias(
  { section, subsection, name, value }: LocatedSetting,
  alias: string | null | undefined,
  isKnownCommand: boolean,
): boolean {
  if (section !== 'alias' || value === null || alias === undefined) return false;
  if (!isKnownCommand && !value.trimStart().startsWith('!')) return false;
  return alias === null || alias === (subsection ?? name) || alias?.toLowerCase() === name;
}

function problem(text: string): GitFinding {
  return { what: text, isExpected: false, neutral: null };
}

const MAX_SHOWN = 121;

function describe(setting: LocatedSetting): string {
  const shown = shorten(setting.value ?? 'true', MAX_SHOWN);
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
  // The variables only help if the command line does not change them. A line continuation may split a name.
  if (/GIT_|\\\n/.test(facts.command) || facts.status !== 'understood') return null;
  if (facts.commands.some(mayChangeVariables)) return null;
  const environment: Record<string, string> = { GIT_OPTIONAL_LOCKS: '0', GIT_CONFIG_COUNT: String(pairs.size) };
  for (const [i, [key, value]] of [...pairs].entries()) {
    environment[`GIT_CONFIG_KEY_${i}`] = key;
    environment[`GIT_CONFIG_VALUE_${i}`] = value;
  }
  return environment;
}
