// A command → how it uses git: by being git, or by starting it in its working folder. `null`: it does not.

import type { CommandFact } from '../../../core/facts.ts';
import { mayBeAlias } from './git-builtins.ts';
import { mayNeedObjects, SHOWING, type Trigger, triggersOfCommand } from './git-keys.ts';

export interface GitUse {
  readonly triggers: ReadonlySet<Trigger>;
  readonly subcommand: string | undefined;
  /** The first word if it is not a built-in subcommand of git: it may be an alias. `null`: unknown. */
  readonly alias: string | null | undefined;
  /** It reads settings only: submodules and the index do not matter. */
  readonly isShallow: boolean;
  /** Why nested repositories that no index names may be entered. */
  readonly entersNested: string | null;
}

type Test = (command: CommandFact) => boolean;

const hasSubcommand =
  (...names: readonly string[]): Test =>
  ({ invocation }) =>
    names.includes(invocation?.path[1] ?? '');
const hasAnyOption =
  (...wanted: readonly string[]): Test =>
  ({ invocation }) =>
    invocation?.options.some(({ names }) => names.some((name) => wanted.includes(name))) === true;

/** Programs that count as read-only and start git themselves, to read the state of the repository. */
const STARTS_GIT: Readonly<Record<string, Test>> = {
  go: hasSubcommand('list', 'doc', 'mod', 'vet', 'work'),
  gh: ({ invocation }) => !['version', 'help', 'completion', undefined].includes(invocation?.path[1]),
  glab: ({ invocation }) => !['version', 'help', 'completion', undefined].includes(invocation?.path[1]),
  'git-lfs': ({ invocation }) => !['version', 'help', undefined].includes(invocation?.path[1]),
  delta: ({ invocation }) => invocation === null || invocation.operands.length > 0,
  biome: hasAnyOption('--changed', '--staged', '--since'),
  cloc: hasAnyOption('--vcs', '--git', '--diff', '--git-diff-rel', '--git-diff-all'),
};

export const GIT_USERS: readonly string[] = ['git', ...Object.keys(STARTS_GIT)];

export function readGitUse(command: CommandFact): GitUse | null {
  const { name, invocation, readOnly } = command;
  if (name === null) return null;
  if (name === 'git') return useOfGit(command);
  // Commands that are not read-only are asked about anyway.
  if (!readOnly || !Object.hasOwn(STARTS_GIT, name) || STARTS_GIT[name]?.(command) !== true) return null;
  const network: readonly Trigger[] = name === 'go' ? ['network'] : [];
  return {
    triggers: new Set([...SHOWING, ...network]),
    subcommand: invocation?.path[1],
    alias: undefined,
    isShallow: false,
    entersNested: null,
  };
}

function useOfGit(command: CommandFact): GitUse | null {
  const triggers = triggersOfCommand(command);
  if (triggers.size === 0 && !mayNeedObjects(command)) return null;
  const path = command.invocation?.path ?? ['git'];
  const operands = command.invocation?.operands ?? [null];
  const [, subcommand] = path;
  return {
    triggers,
    subcommand,
    alias: subcommand === undefined ? operands[0] : mayBeAlias(subcommand) ? subcommand : undefined,
    isShallow: !mayNeedObjects(command) && [...triggers].every((trigger) => trigger === 'pager'),
    entersNested: triggers.has('diff') ? showsSubmodules(command) : null,
  };
}

/** `git log -p --submodule=diff` runs git in folders that are submodules only in an old commit. */
function showsSubmodules({ invocation }: CommandFact): string | null {
  const own = invocation?.options.find(({ names }) => names.includes('--submodule'));
  if (own !== undefined && own.value !== 'short') return '--submodule';
  const given = invocation?.leading.some(
    ({ names, value }) => names.includes('-c') && /^diff\.submodule=(?!short$)/i.test(value ?? ''),
  );
  return given === true ? 'diff.submodule' : null;
}
