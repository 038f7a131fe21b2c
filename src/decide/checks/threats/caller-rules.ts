// Threat rules that callers bring along. One that throws is a question, never a pass.

import type { Severity, VerdictName } from '../../../core/verdict.ts';
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

function hitsOfRule(rule: Subject['policy']['threatRules'][number], { facts, context }: Subject): readonly Hit[] {
  try {
    const found = rule.detect(facts, context);
    if (found === null || found === undefined) return [];
    const confidence = Number.isFinite(found.confidence) ? Math.min(1, Math.max(0, found.confidence)) : 1;
    const evidence = found.evidence ? ` (${found.evidence})` : '';
    return [
      {
        verdict: verdictOf(found.severity, confidence),
        severity: found.severity,
        confidence,
        message: `The threat rule ${rule.id} says: ${found.description}${evidence}`,
        ...(found.mitigations.length === 0 ? {} : { instead: found.mitigations.join(' ') }),
        span: null,
      },
    ];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [
      {
        verdict: 'ask',
        severity: 'high',
        span: null,
        message: `The threat rule ${rule.id} failed, so nobody knows what it would have said: ${reason}`,
      },
    ];
  }
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
      severity satisfies never;
      // A rule from outside may say anything at all.
      return 'ask';
  }
}
