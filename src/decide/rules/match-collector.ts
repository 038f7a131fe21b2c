// Collects the matches of one command: each rule once for each path, a certain match rather than a possible one.

import type { Span } from '../../core/facts.ts';
import type { Context, PolicyRule } from '../../core/policy.ts';
import type { PathTool } from './rule-index.ts';

export interface RuleMatch {
  readonly rule: PolicyRule;
  /** Index of the command in the facts; `null`: the text as a whole. */
  readonly command: number | null;
  readonly span: Span | null;
  readonly how: 'words' | 'any-words' | 'path' | 'domain';
  /** The rule is exactly this command, without any wildcard. */
  readonly isExact: boolean;
  /** A ban that may match, because something in the command is unknown: to be asked about. */
  readonly isPossible: boolean;
  /** A permission that also covers the redirect of the output. */
  readonly coversRedirects: boolean;
  /** What the command does with the path. */
  readonly access?: PathTool;
  readonly path?: string;
  readonly host?: string;
  /** The only port that the rule allows. */
  readonly port?: number;
}

/** Possible matches are only a reason to ask: a few are enough. */
const MAX_POSSIBLE = 8;

/** Collects the matches of one command: each rule once for each path, a certain match rather than a possible one. */
export class MatchCollector {
  readonly #command: number | null;
  readonly #span: Span | null;
  readonly #context: Context;
  readonly #matches: RuleMatch[];
  readonly #seen = new Map<PolicyRule, Map<string, number>>();
  #possible = 0;

  constructor(command: number | null, span: Span | null, context: Context, matches: RuleMatch[]) {
    this.#command = command;
    this.#span = span;
    this.#context = context;
    this.#matches = matches;
  }

  /** Whether one more possible match would be kept. */
  get hasRoom(): boolean {
    return this.#possible < MAX_POSSIBLE;
  }

  add(rule: PolicyRule, how: RuleMatch['how'], more: Partial<RuleMatch> = {}): void {
    if (rule.until !== null && rule.until < this.#context.now) return;
    const isPossible = more.isPossible === true;
    const seen = this.#seen.get(rule) ?? new Map<string, number>();
    const key = `${more.access ?? ''} ${more.path ?? more.host ?? ''}`;
    const before = seen.get(key);
    const match = { rule, command: this.#command, span: this.#span, how, ...DEFAULTS, ...more };
    if (before !== undefined) {
      if (isBetter(match, this.#matches[before] as RuleMatch)) this.#matches[before] = match;
      return;
    }
    if (isPossible && ++this.#possible > MAX_POSSIBLE) return;
    this.#seen.set(rule, seen.set(key, this.#matches.push(match) - 1));
  }
}

const DEFAULTS = { isExact: false, isPossible: false, coversRedirects: false };

function isBetter(match: RuleMatch, before: RuleMatch): boolean {
  const rank = ({ isPossible, coversRedirects, isExact }: RuleMatch) =>
    (isPossible ? 0 : 4) + (coversRedirects ? 2 : 0) + (isExact ? 1 : 0);
  return rank(match) > rank(before);
}
