// A verdict → LAYER's `ThreatAnalysisResult`: every threat, the worst risk, and advice.

import { insteadForModel } from '../../core/values/refusal-advice.ts';
import {
  type Action,
  type Finding,
  SEVERITIES,
  type Severity,
  type Verdict,
  type VerdictName,
} from '../../core/verdict.ts';

export interface DetectedThreat {
  readonly ruleId: string;
  readonly threatType: string;
  readonly severity: Severity;
  readonly confidence: number;
  readonly description: string;
  /** `text`: as a rule of the caller gave it. */
  readonly evidence: { readonly span: Finding['span']; readonly command: number | null; readonly text: string | null };
  readonly mitigationSuggestions: readonly string[];
}

export interface ThreatAnalysisResult {
  readonly threatsDetected: boolean;
  readonly threats: readonly DetectedThreat[];
  /** Of the threats, and of what decided against the command. */
  readonly overallRiskLevel: Severity;
  readonly recommendedAction: Action;
}

/** The least severity of LAYER's three built-in rules. */
const BUILT_IN: ReadonlyMap<string, Severity> = new Map([
  ['code-injection', 'high'],
  ['privilege-escalation', 'critical'],
  ['data-exfiltration', 'high'],
]);

export function analyzeThreats({ findings, decision }: Pick<Verdict, 'findings' | 'decision'>): ThreatAnalysisResult {
  const threats = findings.filter(({ layer }) => layer === 'threats').map(threatOf);
  const decisive = decision === 'allow' ? [] : findings.filter(({ verdict }) => verdict === decision);
  return {
    threatsDetected: threats.length > 0,
    threats,
    overallRiskLevel: worstOf([...threats, ...decisive].map(({ severity }) => severity)),
    recommendedAction: ACTION_OF[decision],
  };
}

function threatOf(finding: Finding): DetectedThreat {
  const { id, severity, confidence, message, span, command, threat } = finding;
  const instead = insteadForModel(finding);
  const least = BUILT_IN.get(id);
  const type = id.replaceAll('-', '_');
  return {
    ruleId: threat?.rule ?? (least === undefined ? id : `${type}_detection`),
    threatType: threat === undefined ? type : (threat.type ?? 'rule_failed'),
    severity: least === undefined ? severity : worstOf([least, severity]),
    confidence: confidence ?? 1,
    description: message,
    evidence: { span, command, text: threat?.evidence ?? null },
    mitigationSuggestions: threat?.mitigations ?? (instead === null ? [] : [instead]),
  };
}

/** `low` if there is none. */
export function worstOf(severities: readonly Severity[]): Severity {
  const ranks = severities.map((severity) => SEVERITIES.indexOf(severity));
  return SEVERITIES[Math.max(0, ...ranks)] ?? 'low';
}

/** What the tool does. */
const ACTION_OF: Readonly<Record<VerdictName, Action>> = { allow: 'run', ask: 'confirm', deny: 'block' };
