// A verdict → LAYER's five checks, in its order, with its texts and risks.

import type { Finding, Layer, Severity, Verdict } from '../../core/verdict.ts';
import type { Fields } from '../shared/input.ts';
import { analyzeThreats, worstOf } from './threat-analysis.ts';

interface LayeredCheck {
  readonly blockedBy: string;
  readonly checkType: string;
  /** The layers whose findings it collects. */
  readonly layers: readonly Layer[];
  /** Its risk if it refuses. */
  readonly riskLevel: Severity;
  readonly reason: (details: string) => string;
  /** Its details if nothing was found. */
  readonly passed: string;
}

const CHECKS: readonly LayeredCheck[] = [
  {
    blockedBy: 'whitelist_check',
    checkType: 'command_whitelist',
    layers: ['rules', 'lists', 'users', 'mode', 'read-only', 'classifier'],
    riskLevel: 'high',
    reason: () => 'Command not in whitelist',
    passed: 'No rule or list forbids the command',
  },
  {
    blockedBy: 'dangerous_ops_check',
    checkType: 'dangerous_operations',
    layers: ['safety', 'threats', 'warnings'],
    riskLevel: 'critical',
    reason: (details) => `Dangerous operation detected: ${details}`,
    passed: 'No dangerous operations detected',
  },
  {
    blockedBy: 'path_security_check',
    checkType: 'path_security',
    layers: ['paths', 'repository'],
    riskLevel: 'medium',
    reason: (details) => `Path access violation: ${details}`,
    passed: 'All paths are within allowed boundaries',
  },
  {
    blockedBy: 'injection_check',
    checkType: 'injection',
    layers: ['confusion', 'analysis'],
    riskLevel: 'high',
    reason: (details) => `Injection attempt detected: ${details}`,
    passed: 'No injection attempts detected',
  },
  {
    blockedBy: 'resource_access_check',
    checkType: 'resource_access',
    layers: ['sandbox'],
    riskLevel: 'medium',
    reason: (details) => `Resource access violation: ${details}`,
    passed: 'No limit was exceeded',
  },
];

/** How a request ended, as far as the checks are concerned. */
export interface Judged {
  readonly verdict: Verdict;
  readonly isAllowed: boolean;
  /** The limit that the command exceeded. */
  readonly limitPassed: string | null;
  /** Exactly what would run. */
  readonly command: string;
}

/** `SecurityValidationResult` of each check. */
export function securityChecks(judged: Judged): readonly Fields[] {
  return CHECKS.map((check) => resultOf(check, judged));
}

/** The worst of the findings, of the threats, and of the checks that refused it. */
export function riskOf(judged: Judged): Severity {
  const { verdict } = judged;
  const refused = CHECKS.filter((check) => detailsAgainst(check, judged).length > 0);
  return worstOf([
    verdict.risk,
    analyzeThreats(verdict).overallRiskLevel,
    ...refused.map(({ riskLevel }) => riskLevel),
  ]);
}

function resultOf(check: LayeredCheck, judged: Judged): Fields {
  const { blockedBy, checkType, layers, riskLevel, reason, passed } = check;
  const { verdict, limitPassed, command } = judged;
  const against = detailsAgainst(check, judged);
  const [first] = against;
  const findings = verdict.findings.filter(({ layer }) => layers.includes(layer));
  const details = [
    ...findings.map((finding) => ({
      passed: !isAgainst(finding, judged),
      checkType,
      details: finding.message,
      matchedPattern: finding.id,
    })),
    ...(limitPassed === null || !against.includes(limitPassed)
      ? []
      : [{ passed: false, checkType, details: limitPassed, matchedPattern: 'limit' }]),
  ];
  return {
    allowed: first === undefined,
    reason: first === undefined ? 'All security checks passed' : reason(first),
    ...(first === undefined ? { sanitizedCommand: command } : { blockedBy }),
    riskLevel: first === undefined ? 'low' : riskLevel,
    validationResults: details.length === 0 ? [{ passed: true, checkType, details: passed }] : details,
  };
}

function detailsAgainst({ layers, blockedBy }: LayeredCheck, judged: Judged): readonly string[] {
  const { verdict, limitPassed } = judged;
  const findings = verdict.findings.filter((each) => layers.includes(each.layer) && isAgainst(each, judged));
  const isLimited = limitPassed !== null && blockedBy === 'resource_access_check';
  return [...findings.map(({ message }) => message), ...(isLimited ? [limitPassed] : [])];
}

function isAgainst(finding: Finding, { verdict, isAllowed }: Judged): boolean {
  return !isAllowed && verdict.decision !== 'allow' && finding.verdict === verdict.decision;
}
