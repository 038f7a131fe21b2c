// Facts × rules with `staging` → how strictly the changes of the command are staged. It decides nothing else.
// All of them match as bans do: if it is unknown whether a rule matches, it does.

import type { PolicyRule } from '../../core/policy.ts';
import type { StagingMode } from '../../core/staging.ts';
import type { Subject } from '../check.ts';
import { matchRules } from './match.ts';

/** From the strictest. */
const MODES = ['review', 'apply'] as const;

/** `off` if no rule says anything. */
export function stagingOfRules(subject: Subject): StagingMode {
  const { rules } = subject.policy;
  const byMode = strictRules(rules);
  return MODES.find((mode) => byMode[mode].length > 0 && isMatched(subject, byMode[mode])) ?? 'off';
}

function isMatched({ facts, policy, context }: Subject, rules: readonly PolicyRule[]): boolean {
  const alone = { ...policy, rules, domains: { allow: [], deny: [] }, users: {} };
  return matchRules({ facts, policy: alone, context: { ...context, grants: [] } }).length > 0;
}

type StrictRules = Readonly<Record<(typeof MODES)[number], readonly PolicyRule[]>>;

/** The same arrays each time: they are indexed once. */
const known = new WeakMap<readonly PolicyRule[], StrictRules>();

function strictRules(rules: readonly PolicyRule[]): StrictRules {
  const before = known.get(rules);
  if (before !== undefined) return before;
  const of = (mode: StagingMode) =>
    rules.filter(({ staging }) => staging === mode).map((rule): PolicyRule => ({ ...rule, list: 'ask' }));
  const fresh = { review: of('review'), apply: of('apply') };
  known.set(rules, fresh);
  return fresh;
}
