// Findings → LAYER's threat analysis: every threat, the worst risk, and advice.

import { type Action, type Finding, SEVERITIES, type Severity } from '../../../core/verdict.ts';

export interface DetectedThreat {
  readonly ruleId: string;
  readonly threatType: string;
  readonly severity: Severity;
  readonly confidence: number;
  readonly description: string;
  readonly evidence: { readonly span: Finding['span']; readonly command: number | null };
  readonly mitigationSuggestions: readonly string[];
}

export interface ThreatAssessment {
  readonly threatsDetected: boolean;
  readonly threats: readonly DetectedThreat[];
  readonly overallRiskLevel: Severity;
  readonly recommendedAction: Action;
}

export function assessThreats(findings: readonly Finding[]): ThreatAssessment {
  const found = findings.filter(({ layer }) => layer === 'threats');
  const worst = Math.max(0, ...found.map(({ severity }) => SEVERITIES.indexOf(severity)));
  return {
    threatsDetected: found.length > 0,
    threats: found.map((finding) => ({
      ruleId: ruleIdOf(finding.id),
      threatType: finding.id.replaceAll('-', '_'),
      severity: finding.severity,
      confidence: finding.confidence ?? 1,
      description: finding.message,
      evidence: { span: finding.span, command: finding.command },
      mitigationSuggestions: finding.instead === null ? [] : [finding.instead],
    })),
    overallRiskLevel: SEVERITIES[worst] ?? 'low',
    recommendedAction: actionFor(found),
  };
}

/** LAYER's names for its three built-in rules. */
function ruleIdOf(id: string): string {
  return ['code-injection', 'privilege-escalation', 'data-exfiltration'].includes(id)
    ? `${id.replaceAll('-', '_')}_detection`
    : id;
}

function actionFor(found: readonly Finding[]): Action {
  if (found.some(({ verdict }) => verdict === 'deny')) return 'block';
  return found.some(({ verdict }) => verdict === 'ask') ? 'confirm' : 'run';
}
