// Findings of the layer `threats` → the document's analysis.

import { describe, expect, test } from 'vitest';
import type { Finding } from '../../core/verdict.ts';
import { analyzeThreats } from './threat-analysis.ts';

describe('the assessment of all threats', () => {
  const finding = (over: Partial<Finding>): Finding => ({
    id: 'code-injection',
    layer: 'threats',
    verdict: 'ask',
    severity: 'high',
    message: 'M.',
    instead: null,
    span: [0, 2],
    command: 0,
    rule: null,
    confidence: 0.8,
    ...over,
  });

  test('no findings, no action', () => {
    expect(analyzeThreats([finding({ layer: 'safety', verdict: 'deny' })])).toEqual({
      threatsDetected: false,
      threats: [],
      overallRiskLevel: 'low',
      recommendedAction: 'run',
    });
  });
  test('the worst one counts', () => {
    const all = analyzeThreats([
      finding({}),
      finding({ id: 'data-exfiltration', severity: 'critical', verdict: 'deny', instead: 'Do not.', confidence: null }),
    ]);
    expect(all).toMatchObject({ threatsDetected: true, overallRiskLevel: 'critical', recommendedAction: 'block' });
    expect(all.threats).toEqual([
      {
        ruleId: 'code_injection_detection',
        threatType: 'code_injection',
        severity: 'high',
        confidence: 0.8,
        description: 'M.',
        evidence: { span: [0, 2], command: 0, text: null },
        mitigationSuggestions: [],
      },
      {
        ruleId: 'data_exfiltration_detection',
        threatType: 'data_exfiltration',
        severity: 'critical',
        confidence: 1,
        description: 'M.',
        evidence: { span: [0, 2], command: 0, text: null },
        mitigationSuggestions: ['Do not.'],
      },
    ]);
  });
  test('privilege escalation is critical', () => {
    expect(analyzeThreats([finding({ id: 'privilege-escalation' })])).toMatchObject({
      overallRiskLevel: 'critical',
      threats: [{ ruleId: 'privilege_escalation_detection', severity: 'critical' }],
    });
  });
  test.each([
    ['allow', 'run'],
    ['ask', 'confirm'],
    ['deny', 'block'],
  ] as const)('%s means %s', (verdict, action) => {
    expect(analyzeThreats([finding({ verdict })]).recommendedAction).toBe(action);
  });
});
