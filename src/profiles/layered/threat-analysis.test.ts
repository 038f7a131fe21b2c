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

  test('without threats, the decision counts', () => {
    const findings = [finding({ layer: 'safety', verdict: 'deny', severity: 'critical' })];
    const none = { threatsDetected: false, threats: [] };
    expect(analyzeThreats({ findings, decision: 'deny' })).toEqual({
      ...none,
      overallRiskLevel: 'critical',
      recommendedAction: 'block',
    });
    expect(analyzeThreats({ findings: [], decision: 'allow' })).toEqual({
      ...none,
      overallRiskLevel: 'low',
      recommendedAction: 'run',
    });
  });
  test('the worst one counts', () => {
    const exfiltration = { id: 'data-exfiltration', severity: 'critical', verdict: 'deny' } as const;
    const findings = [finding({}), finding({ ...exfiltration, instead: 'Do not.', confidence: null })];
    const all = analyzeThreats({ findings, decision: 'deny' });
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
    expect(analyzeThreats({ findings: [finding({ id: 'privilege-escalation' })], decision: 'allow' })).toMatchObject({
      overallRiskLevel: 'critical',
      threats: [{ ruleId: 'privilege_escalation_detection', severity: 'critical' }],
    });
  });
  test.each([
    ['allow', 'run'],
    ['ask', 'confirm'],
    ['deny', 'block'],
  ] as const)('%s means %s', (decision, action) => {
    expect(analyzeThreats({ findings: [finding({})], decision }).recommendedAction).toBe(action);
  });
});
