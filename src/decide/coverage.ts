// Commands × policy → why each of them may run without a question: read-only, a rule, the mode, a domain.
// A command that nothing covers is asked about; coverage never overrides the finding of a check.

import type { CommandFact, Facts, NetworkEffect, PathEffect, RedirectFact } from '../core/facts.ts';
import type { Mode } from '../core/policy.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import { wordSet } from '../core/values/once.ts';
import type { Subject } from './check.ts';
import { hasExplicitRoots, judgePath, type PathUse } from './paths/place.ts';
import { isReadOnlyOnDisk } from './repository/node-managers.ts';
import { portOf } from './rules/effect-matches.ts';
import type { RuleMatch } from './rules/match.ts';
import { isHarmlessTarget } from './rules/patterns/bash-pattern.ts';

export type Coverage =
  | { readonly by: 'read-only' | 'wrapper' | 'edits' | 'domains' | 'bypass' }
  | { readonly by: 'rule'; readonly match: RuleMatch };

/** Programs that only run another one, which is checked separately. */
const WRAPPERS = wordSet('env timeout time nice nohup stdbuf ionice setsid command builtin exec chrt');
const WRITES: ReadonlySet<RedirectFact['kind']> = new Set(['write', 'append', 'read-write']);

/** `exact`: from `exactRules`. */
export function coverCommands(
  subject: Subject,
  matches: readonly RuleMatch[],
  exact: readonly (RuleMatch | null)[],
  mode: Mode,
): (Coverage | null)[] {
  const { facts } = subject;
  const allows = matches.filter((match) => match.rule.list === 'allow');
  const hasChild = new Set(facts.commands.map((command) => command.parent));
  const hasWorkingChild = new Set(facts.commands.flatMap(({ parent, readOnly }) => (readOnly ? [] : [parent])));
  const covered: (Coverage | null)[] = [];
  for (const [index, command] of facts.commands.entries()) {
    const own = coverOne(command, index, subject, allows, mode);
    covered.push(
      own ??
        coverWrapper(command, hasChild.has(index), hasWorkingChild.has(index)) ??
        coverExactly(command, exact[index] ?? null),
    );
  }
  return covered;
}

function coverOne(
  command: CommandFact,
  index: number,
  subject: Subject,
  allows: readonly RuleMatch[],
  mode: Mode,
): Coverage | null {
  if (command.readOnly) return { by: 'read-only' };
  const match = allows.find(
    (each) => each.command === index && each.how === 'words' && coversOutput(each, command, subject, allows),
  );
  if (match) return { by: 'rule', match };
  if (isReadOnlyOnDisk(command, subject)) return { by: 'read-only' };
  const byEffects = coverEffects(command, index, subject, allows, mode);
  if (byEffects) return byEffects;
  return mode === 'bypass' ? { by: 'bypass' } : null;
}

/** `timeout 5 make`: only the inner command needs a rule. Assignments before it are not covered. */
function coverWrapper(command: CommandFact, hasChild: boolean, hasWorkingChild: boolean): Coverage | null {
  const { effects, name } = command;
  const isBare = effects.unknown.length === 0 && effects.executes.length === 0 && !effects.privilege;
  const writesNothing = effects.writes.every(isHarmlessDevice) && effects.deletes.length === 0;
  if (!hasChild || !isBare || !writesNothing || name === null || !WRAPPERS.has(name)) return null;
  return name === 'nohup' && !hasWorkingChild && mayPrintToTerminal(command) ? null : { by: 'wrapper' };
}

/** On a terminal nohup writes `nohup.out`: too much for a read-only command, but fine for one that changes files. */
function mayPrintToTerminal({ redirects, via }: CommandFact): boolean {
  const isRedirected = redirects.some(
    ({ kind, fd }) => kind !== 'read' && kind !== 'heredoc' && kind !== 'herestring' && (fd === null || fd === 1),
  );
  return !isRedirected && !via.includes('$( )');
}

/** For each command the allow rule for exactly its words, or for the words that run it. */
export function exactRules(facts: Facts, matches: readonly RuleMatch[]): readonly (RuleMatch | null)[] {
  const exact: (RuleMatch | null)[] = [];
  if (!matches.some(({ isExact }) => isExact)) return exact;
  for (const [index, { parent }] of facts.commands.entries()) {
    const own = matches.find(({ rule, command, isExact }) => isExact && command === index && rule.list === 'allow');
    exact.push(own ?? (parent === null ? null : (exact[parent] ?? null)));
  }
  return exact;
}

function coverExactly(command: CommandFact, match: RuleMatch | null): Coverage | null {
  return match !== null && command.redirects.every(({ kind }) => !WRITES.has(kind)) ? { by: 'rule', match } : null;
}

/** A rule for the words does not cover the redirect of the output, unless it names that too. */
function coversOutput(match: RuleMatch, command: CommandFact, subject: Subject, allows: readonly RuleMatch[]): boolean {
  if (match.coversRedirects) return true;
  return command.redirects.every((redirect) => {
    if (!WRITES.has(redirect.kind)) return true;
    if (redirect.target?.kind !== 'literal') return false;
    const target = redirect.target.value;
    const effect = command.effects.writes.find(({ path }) => path?.endsWith(target.replace(/^(?:\.\.?\/)+/, '')));
    if (effect === undefined) return false;
    return isHarmlessDevice(effect) || isTemporary(effect, command, subject) || isPermitted(effect, 'write', allows);
  });
}

function isHarmlessDevice({ path, glob }: PathEffect): boolean {
  return path !== null && glob === undefined && isHarmlessTarget(path);
}

/** Output of an allowed command to a temporary folder, unless the policy sets roots. */
function isTemporary(effect: PathEffect, command: CommandFact, subject: Subject): boolean {
  const { cwd, temporary } = subject.context;
  const { path } = effect;
  if (path === null || isAtOrBelow(path, cwd) || hasExplicitRoots(subject)) return false;
  if (judgePath(effect, 'write', command, subject).where !== 'inside') return false;
  return temporary.some((folder) => isAtOrBelow(path, folder));
}

const ACCESS = { write: 'edit', delete: 'delete' } as const;

function isPermitted(effect: PathEffect, use: 'write' | 'delete', allows: readonly RuleMatch[]): boolean {
  return allows.some(
    ({ how, path, access }) => how === 'path' && path !== undefined && path === effect.path && access === ACCESS[use],
  );
}

/** All its effects are changes of files, or requests to hosts, that are each allowed. */
function coverEffects(
  command: CommandFact,
  index: number,
  subject: Subject,
  allows: readonly RuleMatch[],
  mode: Mode,
): Coverage | null {
  const { effects } = command;
  const isOnlyFiles =
    effects.unknown.length === 0 &&
    effects.executes.length === 0 &&
    effects.changes.length === 0 &&
    effects.discloses.length === 0 &&
    !effects.privilege &&
    command.elsewhere === null;
  if (!isOnlyFiles) return null;
  const own = allows.filter((match) => match.command === index);
  if (!effects.network.every((effect) => isHostAllowed(effect, own))) return null;
  if (effects.writes.length === 0 && effects.deletes.length === 0) {
    return effects.network.length > 0 ? { by: 'domains' } : null;
  }
  const isAllowed = (use: 'write' | 'delete') => (effect: PathEffect) =>
    isHarmlessDevice(effect) || isPermitted(effect, use, own);
  const rule = own.find((match) => match.how === 'path' && match.access !== 'read');
  if (rule && effects.writes.every(isAllowed('write')) && effects.deletes.every(isAllowed('delete'))) {
    return { by: 'rule', match: rule };
  }
  if (mode !== 'accept-edits') return null;
  const isEdit = (use: 'write' | 'delete') => (effect: PathEffect) =>
    isAllowed(use)(effect) ||
    (judgePath(effect, use, command, subject).where === 'inside' && isSmall(effect, use, command));
  return effects.writes.every(isEdit('write')) && effects.deletes.every(isEdit('delete')) ? { by: 'edits' } : null;
}

/** `own`: the allow rules that match the command. */
export function isHostAllowed(effect: NetworkEffect, own: readonly RuleMatch[]): boolean {
  if (effect.host === null) return false;
  return own.some(
    ({ how, host, port }) =>
      how === 'domain' && host === effect.host && (port === undefined || port === portOf(effect)),
  );
}

/** Deleting a tree, or everything that a pattern matches, is more than an edit; moving a folder is not. */
function isSmall(effect: PathEffect, use: PathUse, { name }: CommandFact): boolean {
  return use !== 'delete' || name === 'mv' || (effect.recursive !== true && effect.glob !== true);
}
