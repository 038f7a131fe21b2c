// Facts × rules → every rule that matches the command, with the place and the certainty. It decides nothing.
// Words are compared after unwrapping and decoding; uncertainty counts against running the command.

import type { CommandFact, PathEffect } from '../../core/facts.ts';
import { type Context, userPolicyOf } from '../../core/policy.ts';
import type { Subject } from '../check.ts';
import { allowAnswer, type BashItem, banAnswer, isExempt, resolveWord } from './conditions.ts';
import { banPath, matchHost, matchPaths, PATH_TOOLS } from './effect-matches.ts';
import { allowForms, type Form, strictForms, unsafeVariables } from './forms.ts';
import { MatchCollector, type RuleMatch } from './match-collector.ts';
import { scopeKeys } from './path-answers.ts';
import { bareWords, type RawWord, rawWords } from './raw-words.ts';
import { compileRules, type RuleIndex, rulesOfDomains, rulesOfUser, type Side } from './rule-index.ts';

export type { RuleMatch };

export function matchRules(subject: Subject): readonly RuleMatch[] {
  const { facts, policy, context } = subject;
  const user = userPolicyOf(policy, context.user);
  const sources = [
    policy.rules,
    context.grants,
    rulesOfDomains(policy.domains),
    ...(user === null ? [] : [rulesOfUser(user)]),
  ];
  const matches: RuleMatch[] = [];
  for (const rules of sources) {
    if (rules.length === 0) continue;
    const index = compileRules(rules);
    for (const [i, fact] of facts.commands.entries()) {
      const found = new MatchCollector(i, fact.span, context, matches);
      matchWords(index, subject, fact, found);
      matchPaths(index, fact, subject, found);
      for (const effect of fact.effects.network) matchHost(index, effect, found);
    }
    if (facts.status === 'cannot-tell')
      matchText(index.strict, subject, new MatchCollector(null, null, context, matches));
  }
  return matches;
}

const NO_FORMS: readonly Form[] = [];

/** Whether any rule can match this command, judging by the first words of its forms. */
function mayBegin({ words }: Side, { argv, name, invocation }: CommandFact, { home }: Context): boolean {
  const first = argv[0];
  if (first === null || first === undefined || (home !== null && first.startsWith(home))) return true;
  const program = invocation?.path[0];
  return (
    words.mayStartWith(first) ||
    (name !== null && name !== first && words.mayStartWith(name)) ||
    (program !== undefined && program !== first && words.mayStartWith(program))
  );
}

function matchWords({ allow, strict }: RuleIndex, subject: Subject, fact: CommandFact, found: MatchCollector): void {
  const { context, facts } = subject;
  if (fact.argv.length === 0) return;
  const keys = scopeKeysOf(fact, context);
  for (const rule of strict.everyCommand) found.add(rule, 'words');
  if (fact.kind !== 'function')
    for (const rule of allow.everyCommand) found.add(rule, 'words', { coversRedirects: true });
  if (allow.hasWords && fact.kind !== 'function' && mayBegin(allow, fact, context)) {
    const unsafe = unsafeVariables(facts, fact);
    for (const [i, form] of allowForms(fact, context.home).entries()) {
      allow.words.find(
        form,
        'allow',
        (item, at) => {
          const answer = allowAnswer(item, fact, form, at, context, unsafe);
          if (answer !== null) found.add(item.rule, 'words', { ...answer, isExact: item.isExact && i === 0 });
        },
        { keys },
      );
    }
  }
  if (!strict.hasWords) return;
  const forms = mayBegin(strict, fact, context) ? strictForms(fact, context.home) : NO_FORMS;
  for (const [i, form] of forms.entries()) {
    strict.words.find(
      form,
      'strict',
      (item, at, isPossible) => {
        if (isPossible && !found.hasRoom) return;
        const answer =
          isPossible && at < item.pattern.words.length ? 'perhaps' : banAnswer(item, fact, form, at, context);
        if (answer === 'no' || isSpared(item, fact, forms, context)) return;
        found.add(item.rule, 'words', {
          isPossible: isPossible || answer === 'perhaps',
          isExact: item.isExact && i === 0,
        });
      },
      { keys },
    );
  }
  const doubt = doubtAbout(fact);
  if (doubt !== null) searchWords(strict, argumentWords(fact), found, doubt === 'code');
}

/** Called only if a rule has a scope. */
function scopeKeysOf({ effects, invocation }: CommandFact, context: Context): () => ReadonlySet<string> | null {
  let keys: ReadonlySet<string> | null | undefined;
  return () => {
    const { reads, writes, deletes, unknown } = effects;
    const paths = [...reads, ...writes, ...deletes];
    const isTold = invocation !== null && unknown.length === 0 && paths.length > 0;
    if (keys === undefined) keys = isTold ? scopeKeys(paths, context) : null;
    return keys;
  };
}

function isSpared(item: BashItem, fact: CommandFact, forms: readonly Form[], context: Context): boolean {
  return item.exceptions !== null && isExempt(item.exceptions, fact, forms, context);
}

/** Why the arguments may be commands: the program is unknown, or it runs text that the analysis cannot parse. */
function doubtAbout({ effects, invocation, kind, name }: CommandFact): 'program' | 'code' | null {
  // `nice command rm x`: if such a program is installed, it runs its arguments.
  if (kind === 'program' && name !== null && RUNNING_BUILTINS.has(name)) return 'program';
  const isOpen = effects.executes.some(({ kind, text }) => text === null && kind !== 'hook');
  if (isOpen || (effects.unknown.length > 0 && invocation === null)) return 'program';
  return effects.unknown.length > 0 || effects.executes.some(({ kind }) => kind === 'code') ? 'code' : null;
}

const RUNNING_BUILTINS = new Set(['command', 'builtin', 'exec', 'eval', 'source', '.', 'trap']);

function argumentWords(fact: CommandFact): readonly RawWord[] {
  return fact.argv.slice(1).flatMap((word, i) => {
    const span = fact.words.length === fact.argv.length ? (fact.words[i + 1]?.span ?? fact.span) : fact.span;
    return word === null ? [] : [...rawWords(word), ...bareWords(word)].map(({ text }) => ({ text, span }));
  });
}

function matchText(strict: Side, { facts, context }: Subject, found: MatchCollector): void {
  for (const rule of strict.everyCommand) found.add(rule, 'any-words');
  const words = rawWords(facts.command);
  searchWords(strict, words, found, false);
  searchWords(strict, bareWords(facts.command), found, false);
  for (const text of new Set(words.map((word) => word.text))) {
    if (!found.hasRoom) return;
    const absolute = text.startsWith('~/') && context.home !== null ? `${context.home}${text.slice(1)}` : text;
    const effect = resolveWord({ cwd: [context.cwd] }, absolute)[0] as PathEffect;
    for (const tool of PATH_TOOLS)
      banPath(strict, tool, effect, context, found, { isPossible: true, how: 'any-words' });
  }
}

/** Bans whose words occur in order anywhere in the text. */
function searchWords(strict: Side, words: readonly RawWord[], found: MatchCollector, isPossible: boolean): void {
  if (!strict.hasWords) return;
  const texts = words.map(({ text }) => text);
  for (const [i, { text, span }] of words.entries()) {
    const emit = (item: BashItem, at: number) => {
      const rest = texts.slice(at, at + 50);
      const { flags, scope, redirects, assignments } = item.pattern;
      const isSure = flags.every(({ flag, isWanted }) => !isWanted || rest.includes(flag));
      const isOpen = !isSure || scope !== null || redirects.length > 0 || assignments.length > 0;
      // Without a command, an exception applies only to its own words.
      let isSpared = false;
      item.exceptions?.find(texts.slice(i, at + 50), 'anywhere', (one) => {
        isSpared ||= one.scope === null && one.pattern.flags.length === 0;
      });
      const end = words[Math.max(i, at - 1)]?.span[1] ?? span[1];
      const where = { span: [span[0], Math.max(span[1], end)] as const };
      if (!isSpared) found.add(item.rule, 'any-words', { ...where, isPossible: isPossible || isOpen });
    };
    strict.words.find(texts, 'anywhere', emit, { from: i });
    // `/bin/rm`, `--run=rm`, `!rm`
    const inner = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('='), text.lastIndexOf('!')) + 1);
    if (inner !== text && inner !== '') {
      strict.words.find([inner, ...texts.slice(i + 1, i + 50)], 'anywhere', (item, at) => emit(item, at + i));
    }
  }
}
