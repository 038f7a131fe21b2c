// Threat rules of callers. If one fails, the command is refused; an asynchronous one must have been
// awaited before (`context.threats`), else it becomes a question that no mode answers.

import type { Threat, ThreatOutcome, ThreatRule } from '../../../core/policy.ts';
import { describeError } from '../../../core/values/error-text.ts';
import { SEVERITIES, type Severity, type VerdictName } from '../../../core/verdict.ts';
import type { Check, Hit, Subject } from '../../check.ts';

const ANY_ECHO = {
  id: 'no-echo',
  detect: ({ commands }: Subject['facts']) => (commands.some(({ name }) => name === 'echo') ? threat('high') : null),
};
const BROKEN = {
  id: 'broken',
  detect: () => {
    throw new Error('not ready');
  },
};

export const CALLER_CHECKS: readonly Check[] = [
  {
    id: 'caller-threat-rule',
    layer: 'threats',
    severity: 'high',
    verdict: 'ask',
    message: 'A threat rule of the caller applies.',
    instead: null,
    inspectWhole: (subject) => subject.policy.threatRules.flatMap((rule) => hitsOfRule(rule, subject)),
    examples: {
      matches: [
        { command: 'echo x', policy: { threatRules: [ANY_ECHO] } },
        { command: 'timeout 5 echo x', policy: { threatRules: [ANY_ECHO] } },
        { command: 'ls', policy: { threatRules: [BROKEN] } },
        { command: 'ls', policy: { threatRules: [BROKEN, ANY_ECHO] } },
      ],
      passes: ['echo x', { command: 'ls', policy: { threatRules: [ANY_ECHO] } }],
    },
  },
];

function threat(severity: Severity) {
  return { type: 'example', severity, confidence: 0.95, description: 'An example.', evidence: null, mitigations: [] };
}

function hitsOfRule(rule: ThreatRule, { facts, context }: Subject): readonly Hit[] {
  const outcome = context.threats?.get(rule) ?? askNow(rule, { facts, context });
  if (outcome === 'later')
    return [
      {
        verdict: 'ask',
        // Critical, so that it is asked about in the mode bypass too.
        severity: 'critical',
        span: null,
        message: `The threat rule ${rule.id} is asynchronous. It decides when the command runs.`,
      },
    ];
  if ('failed' in outcome) return [failureOf(rule, outcome.failed)];
  try {
    return outcome.found === null || outcome.found === undefined ? [] : [hitOf(rule, outcome.found)];
  } catch (error) {
    return [failureOf(rule, describeError(error))];
  }
}

function askNow(rule: ThreatRule, { facts, context }: Pick<Subject, 'facts' | 'context'>): ThreatOutcome | 'later' {
  try {
    const found = rule.detect(facts, context);
    if (!isPromise(found)) return { found };
    // The caller that runs the command awaits it; here it is not awaited.
    found.then(null, () => {});
    return 'later';
  } catch (error) {
    return { failed: describeError(error) };
  }
}

function isPromise(found: Threat | null | PromiseLike<Threat | null>): found is PromiseLike<Threat | null> {
  return typeof (found as PromiseLike<unknown> | null)?.then === 'function';
}

/** Throws if it is not a threat: a rule of a caller may return anything. */
function hitOf(rule: ThreatRule, found: Threat): Hit {
  if (!SEVERITIES.includes(found.severity)) throw new Error(`its severity is ${JSON.stringify(found.severity)}`);
  const confidence = Number.isFinite(found.confidence) ? Math.min(1, Math.max(0, found.confidence)) : 1;
  const evidence = found.evidence ? ` (${found.evidence})` : '';
  return {
    verdict: verdictOf(found.severity, confidence),
    severity: found.severity,
    confidence,
    message: `The threat rule ${rule.id} says: ${found.description}${evidence}`,
    ...(found.mitigations.length === 0 ? {} : { instead: found.mitigations.join(' ') }),
    span: null,
    threat: { rule: rule.id, type: found.type, evidence: found.evidence, mitigations: found.mitigations },
  };
}

function failureOf({ id }: ThreatRule, reason: string): Hit {
  return {
    threat: { rule: id, type: null, evidence: null, mitigations: [] },
    verdict: 'deny',
    severity: 'high',
    span: null,
    message: `The threat rule ${id} failed, so the command is refused: ${reason}`,
    instead: 'Ask the user to fix the rule.',
  };
}

function verdictOf(severity: Severity, confidence: number): VerdictName {
  switch (severity) {
    case 'low':
      return 'allow';
    case 'medium':
      return 'ask';
    case 'high':
    case 'critical':
      return confidence >= 0.9 ? 'deny' : 'ask';
    default:
      return severity satisfies never;
  }
}
