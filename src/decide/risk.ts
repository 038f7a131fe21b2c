// Findings → one level, one number and one recommendation, as LAYER's threat analysis requires.

import type { Facts } from '../core/facts.ts';
import { type Action, type Finding, SEVERITIES, type Severity, type VerdictName } from '../core/verdict.ts';

const BASE: Readonly<Record<Severity, number>> = { low: 10, medium: 40, high: 70, critical: 95 };
const ACTION: Readonly<Record<VerdictName, Action>> = { allow: 'run', ask: 'confirm', deny: 'block' };
/** Further findings add to the strongest one, but never raise it to the next level. */
const MAX_ADDED = 5;

export interface Risk {
  readonly risk: Severity;
  readonly score: number;
  readonly action: Action;
}

export function assessRisk(findings: readonly Finding[], verdict: VerdictName, facts: Facts): Risk {
  let worst = 0;
  let serious = 0;
  for (const { severity } of findings) {
    const rank = SEVERITIES.indexOf(severity);
    worst = Math.max(worst, rank);
    if (rank > 0) serious++;
  }
  const risk = SEVERITIES[worst] as Severity;
  const isHarmless = facts.readOnly && worst === 0 && verdict === 'allow';
  const score = isHarmless ? 0 : Math.min(100, BASE[risk] + Math.min(MAX_ADDED, Math.max(0, serious - 1)));
  return { risk, score, action: ACTION[verdict] };
}
