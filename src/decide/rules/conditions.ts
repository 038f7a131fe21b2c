// The conditions of a Bash rule besides the words: flags, paths, redirects, assignments, exceptions.
// Uncertainty counts against running the command: a ban matches possibly, a permission does not match.

import { posix } from 'node:path';
import type { CommandFact, PathEffect, RedirectFact } from '../../core/facts.ts';
import type { Context, PolicyRule } from '../../core/policy.ts';
import { type Form, flagState, hasAssignments, strictForms } from './forms.ts';
import { bans, isAbove, permits, type SettledPath, settlePath } from './path-answers.ts';
import { type BashPattern, isHarmlessTarget } from './patterns/bash-pattern.ts';
import type { ParsedRule } from './patterns/grammar.ts';
import { WordIndex } from './word-index.ts';

export type Answer = 'no' | 'perhaps' | 'yes';
const ORDER: readonly Answer[] = ['no', 'perhaps', 'yes'];

/** A pattern with resolved paths. */
export interface Condition {
  readonly pattern: BashPattern;
  readonly scope: SettledPath | null;
  readonly redirects: readonly { readonly direction: 'in' | 'out'; readonly path: SettledPath }[];
}

export interface BashItem extends Condition {
  readonly rule: PolicyRule;
  readonly exceptions: WordIndex<Condition> | null;
  readonly isExact: boolean;
}

/** One item, or two for a ban that matches by its words or by its scope. */
export function bashItems(rule: PolicyRule, parsed: Extract<ParsedRule, { tool: 'bash' }>): readonly BashItem[] {
  if (parsed.bash === null) return [];
  const { pattern, except } = parsed.bash;
  const isAllow = rule.list === 'allow';
  let exceptions: WordIndex<Condition> | null = null;
  if (except.length > 0) {
    exceptions = new WordIndex();
    // An exception to a permission is a ban, and vice versa.
    for (const each of except)
      for (const one of conditions(each, rule.base, !isAllow)) exceptions.add(one.pattern, one);
  }
  const { tail, flags, scope, assignments } = pattern;
  const isExact = tail.kind === 'end' && flags.length === 0 && scope === null && assignments.length === 0;
  return conditions(pattern, rule.base, isAllow).map((one) => ({ ...one, rule, exceptions, isExact }));
}

function conditions(pattern: BashPattern, base: string | null, isAllow: boolean): readonly Condition[] {
  const redirects = pattern.redirects.map(({ direction, path }) => ({ direction, path: settlePath(path, base) }));
  const scope = pattern.scope === null ? null : settlePath(pattern.scope, base);
  if (pattern.scoped === null || isAllow) return [{ pattern, scope, redirects }];
  return [
    { pattern, scope: null, redirects },
    { pattern: pattern.scoped, scope, redirects },
  ];
}

/** Does a ban with these words match the command? `at`: how many of the words matched literally. */
export function banAnswer(item: Condition, fact: CommandFact, form: Form, at: number, context: Context): Answer {
  const { pattern, scope, redirects } = item;
  if (!hasAssignments(pattern, fact)) return 'no';
  let answer: Answer = 'yes';
  const lower = (other: Answer) => {
    if (ORDER.indexOf(other) < ORDER.indexOf(answer)) answer = other;
  };
  for (const { flag, isWanted } of pattern.flags) {
    const state = flagState(fact, flag);
    if (isWanted) lower(state === 'given' ? 'yes' : state === 'unsure' ? 'perhaps' : 'no');
    else if (state === 'given') lower(fact.invocation?.isCertain ? 'no' : 'perhaps');
  }
  if (scope !== null) lower(scopeBan(scope, fact, form.slice(at), context));
  for (const { direction, path } of redirects) {
    const targets = fileRedirects(fact, direction).flatMap((redirect) => targetsOf(fact, redirect));
    lower(most(targets.map((target) => asAnswer(bans(path, target, context, false)))));
  }
  return answer;
}

function asAnswer(containment: 'inside' | 'perhaps' | 'outside'): Answer {
  return containment === 'inside' ? 'yes' : containment === 'perhaps' ? 'perhaps' : 'no';
}

function most(answers: readonly Answer[]): Answer {
  return ORDER[Math.max(0, ...answers.map((answer) => ORDER.indexOf(answer)))] as Answer;
}

function scopeBan(scope: SettledPath, fact: CommandFact, rest: Form, context: Context): Answer {
  const { reads, writes, deletes, unknown } = fact.effects;
  const answers: Answer[] = [];
  for (const effect of [...reads, ...writes])
    answers.push(asAnswer(bans(scope, effect, context, effect.recursive === true)));
  for (const effect of deletes) {
    const answer = bans(scope, effect, context, effect.recursive === true);
    // Deleting a folder deletes its content.
    const { path } = effect;
    const isAll = answer === 'perhaps' && path !== null && effect.glob !== true && isAbove(path, scope, context);
    answers.push(asAnswer(isAll ? 'inside' : answer));
  }
  if (answers.length === 0 || unknown.length > 0) {
    for (const word of rest) {
      if (typeof word !== 'string') answers.push('perhaps');
      else for (const path of resolveWord(fact, word)) answers.push(asAnswer(bans(scope, path, context, false)));
    }
  }
  return most(answers);
}

/** Paths that a word may name, in every possible working folder. */
export function resolveWord({ cwd }: Pick<CommandFact, 'cwd'>, word: string): readonly PathEffect[] {
  const climbs = /(?:^|\/)\.\.(?:\/|$)/.test(word);
  const at = (folder: string): PathEffect => {
    const path = posix.resolve(folder, word);
    return climbs ? { path, unfolded: word.startsWith('/') ? word : `${folder}/${word}` } : { path };
  };
  if (word.startsWith('/')) return [at('/')];
  return cwd === null ? [{ path: null }] : cwd.map(at);
}

/** `null`: the permission does not cover the command. */
export function allowAnswer(
  item: BashItem,
  fact: CommandFact,
  form: Form,
  at: number,
  context: Context,
  unsafe: ReadonlySet<string>,
): { readonly coversRedirects: boolean } | null {
  const { pattern, scope } = item;
  if (fact.kind === 'function' || !hasAssignments(pattern, fact)) return null;
  for (const name of unsafe) if (!pattern.assignments.some((given) => given.name === name)) return null;
  if (!namesProgram(pattern, form) || climbsOut(pattern, form.slice(at))) return null;
  for (const { flag, isWanted } of pattern.flags) {
    const state = flagState(fact, flag);
    if (isWanted ? state !== 'given' || !fact.invocation?.isCertain : state !== 'absent') return null;
  }
  if (scope !== null && !scopeAllows(scope, fact, form.slice(at), context, pattern.scoped !== null)) return null;
  if (item.exceptions !== null && isExcepted(item.exceptions, fact, context)) return null;
  const isInside = (direction: 'in' | 'out', redirect: RedirectFact) =>
    targetsOf(fact, redirect).every((target) =>
      item.redirects.some((each) => each.direction === direction && permits(each.path, target, context)),
    );
  const namesInput = item.redirects.some(({ direction }) => direction === 'in');
  if (namesInput && !fileRedirects(fact, 'in').every((redirect) => isInside('in', redirect))) return null;
  return { coversRedirects: fileRedirects(fact, 'out').every((redirect) => isInside('out', redirect)) };
}

/** `./git push` is not `git push`, and a wildcard for a program matches a name, not a path. */
function namesProgram({ words, tail }: BashPattern, form: Form): boolean {
  const program = form[0];
  if (typeof program !== 'string') return false;
  if (words.length > 0 || !program.includes('/')) return true;
  const head = tail.kind === 'globs' ? (tail.globs[0]?.[0] ?? '') : '';
  return head.includes('/') && !program.split('/').includes('..');
}

/** A wildcard in a path does not match outside it. */
function climbsOut({ tail }: BashPattern, rest: Form): boolean {
  if (tail.kind !== 'globs' || !tail.globs.some((parts) => parts.some((part) => part.includes('/')))) return false;
  return rest.some((word) => (typeof word === 'string' ? word.split('/').includes('..') : true));
}

/** Could an exception to this permission be the command? */
function isExcepted(exceptions: WordIndex<Condition>, fact: CommandFact, context: Context): boolean {
  let isHit = false;
  for (const form of strictForms(fact, context.home)) {
    exceptions.find(form, 'strict', (one, at) => {
      isHit ||= banAnswer(one, fact, form, at, context) !== 'no';
    });
  }
  return isHit;
}

function scopeAllows(scope: SettledPath, fact: CommandFact, rest: Form, context: Context, isLoose: boolean): boolean {
  const { reads, writes, deletes, executes, unknown } = fact.effects;
  if (fact.elsewhere !== null) return false;
  const isInside = (effect: PathEffect) => permits(scope, effect, context);
  const redirected = new Set(
    fact.redirects.flatMap((redirect) =>
      targetsOf(fact, redirect).flatMap(({ path }) => (path === null ? [] : [path])),
    ),
  );
  const isOwn = ({ path }: PathEffect) => path === null || !redirected.has(path);
  const paths = [...reads, ...writes, ...deletes].filter(isOwn);
  const { invocation } = fact;
  if (invocation === null) {
    const words = isLoose ? fact.argv.slice(1) : rest;
    return words.every((word) => typeof word === 'string' && isOperandInside(fact, word, isInside, isLoose));
  }
  if (isLoose && paths.length === 0 && unknown.length === 0) return true;
  if (!invocation.isCertain || unknown.length > 0 || paths.length === 0 || !paths.every(isInside)) return false;
  if (executes.length === 0) return true;
  // It is unknown what a script does with its arguments, so each possible path counts.
  const values = [...invocation.options, ...invocation.leading].flatMap(({ value }) => (value === null ? [] : [value]));
  return [...invocation.operands, ...values].every(
    (word) => word !== null && (!/[/~]|^\.\.?$/.test(word) || resolveWord(fact, word).every(isInside)),
  );
}

function isOperandInside(
  fact: CommandFact,
  word: string,
  isInside: (effect: PathEffect) => boolean,
  isLoose: boolean,
): boolean {
  if (isLoose && !word.includes('/') && word !== '..') return true;
  return !word.startsWith('-') && resolveWord(fact, word).every(isInside);
}

const WRITES: ReadonlySet<RedirectFact['kind']> = new Set(['write', 'append', 'read-write']);

/** Redirects that open a file; `/dev/null` and copies of descriptors never matter. */
function fileRedirects(fact: CommandFact, direction: 'in' | 'out'): readonly RedirectFact[] {
  return fact.redirects.filter(({ kind, target }) => {
    if (direction === 'in' ? kind !== 'read' : !WRITES.has(kind)) return false;
    return !(target?.kind === 'literal' && isHarmlessTarget(target.value));
  });
}

function targetsOf(fact: CommandFact, { target }: RedirectFact): readonly PathEffect[] {
  if (target === null || target.kind !== 'literal') return [{ path: null }];
  return resolveWord(fact, target.value);
}

/** Does an exception to a ban certainly cover the command? */
export function isExempt(
  exceptions: WordIndex<Condition>,
  fact: CommandFact,
  forms: readonly Form[],
  context: Context,
): boolean {
  let isHit = false;
  for (const form of forms) {
    exceptions.find(form, 'allow', (one, at) => {
      const item = { ...one, exceptions: null, isExact: false } as BashItem;
      isHit ||= allowAnswer(item, fact, form, at, context, NOTHING) !== null;
    });
  }
  return isHit;
}

const NOTHING: ReadonlySet<string> = new Set();
