// The mode of a session answers questions: it may refuse more, or ask less, but never overrides a refusal.

import type { Mode, Policy } from '../core/policy.ts';
import { type Finding, SEVERITIES, strictest } from '../core/verdict.ts';

/** A policy that forbids bypass turns it into the default mode. */
export function effectiveMode(policy: Policy): Mode {
  return policy.mode === 'bypass' && !policy.allowBypass ? 'default' : policy.mode;
}

const MODE_IDS = new Set(['plan-mode', 'nobody-to-ask', 'confirmation-required', 'bypass-disabled']);

export function isModeFinding(finding: Finding): boolean {
  return MODE_IDS.has(finding.id);
}

export function applyMode(
  findings: readonly Finding[],
  policy: Policy,
  { mode, isReadOnly }: { readonly mode: Mode; readonly isReadOnly: boolean },
): readonly Finding[] {
  const notes: Finding[] = [];
  if (mode !== policy.mode) {
    notes.push(note('bypass-disabled', 'allow', 'low', 'The policy disables the mode bypass.', null));
  }
  const lifted = mode === 'bypass' ? findings.map(liftQuestion) : findings;
  if (mode === 'plan' && !isReadOnly) {
    const message = 'In plan mode, only commands that change nothing may run.';
    notes.push(note('plan-mode', 'deny', 'medium', message, 'Leave plan mode to make changes.'));
  }
  const verdict = strictest([...lifted, ...notes].map((finding) => finding.verdict));
  if (verdict === 'allow' && policy.requireConfirmation && !isReadOnly && lifted.some(isRisky)) {
    const message = 'The policy requires confirmation of risky commands, even if a rule allows them.';
    notes.push(note('confirmation-required', 'ask', 'medium', message, 'Confirm it.'));
  }
  if (mode === 'dont-ask' && strictest([verdict, ...notes.map((each) => each.verdict)]) === 'ask') {
    const message = 'This mode does not ask: commands that no rule allows are refused.';
    const instead = 'Add a rule that allows it first (hardshell config add allow …), or use another mode.';
    notes.push(note('nobody-to-ask', 'deny', 'medium', message, instead));
  }
  return notes.length === 0 ? lifted : [...lifted, ...notes];
}

/** Even then a person is asked if a rule requires it, if a finding is critical, or if the command cannot be analyzed. */
function liftQuestion(finding: Finding): Finding {
  const isFirm = finding.id === 'ask-rule' || finding.layer === 'analysis' || finding.severity === 'critical';
  return finding.verdict === 'ask' && !isFirm ? { ...finding, verdict: 'allow' } : finding;
}

function isRisky(finding: Finding): boolean {
  return SEVERITIES.indexOf(finding.severity) >= SEVERITIES.indexOf('medium');
}

function note(
  id: string,
  verdict: Finding['verdict'],
  severity: Finding['severity'],
  message: string,
  instead: string | null,
): Finding {
  return {
    id,
    layer: 'mode',
    verdict,
    severity,
    message,
    instead,
    span: null,
    command: null,
    rule: null,
    confidence: null,
  };
}
