// What a model can do about a refused command. Approvals, rules and modes are for people: a model asks the user.

import type { Finding, Verdict } from '../verdict.ts';

/** Findings whose advice is only for people: approve, change a rule, change the mode. */
const FOR_PEOPLE = new Set([
  ...['no-rule', 'ask-rule', 'deny-rule', 'unknown-user'],
  ...['plan-mode', 'nobody-to-ask', 'confirmation-required', 'bypass-disabled'],
]);

export function insteadForModel({ id, instead }: Pick<Finding, 'id' | 'instead'>): string | null {
  return FOR_PEOPLE.has(id) ? null : instead;
}

/** False for a command that cannot be analyzed: no rule allows it. */
export function canBeAllowed(findings: Verdict['findings']): boolean {
  return !findings.some(({ id }) => id === 'cannot-tell');
}

/** One sentence that starts with asking the user. */
export function askTheUser({ decision, findings }: Pick<Verdict, 'decision' | 'findings'>): string {
  if (decision === 'ask')
    return canBeAllowed(findings)
      ? 'Ask the user to approve it or to add a rule that allows it.'
      : 'Ask the user to approve it.';
  const decisive = findings.filter((each) => each.verdict === 'deny').map(({ id }) => id);
  const isOnly = (...ids: readonly string[]): boolean =>
    decisive.length > 0 && decisive.every((id) => ids.includes(id));
  if (isOnly('plan-mode')) return 'Ask the user to leave plan mode.';
  if (isOnly('nobody-to-ask')) return 'Ask the user to add a rule that allows it.';
  if (isOnly('deny-rule', 'nobody-to-ask')) return 'Ask the user to change the rule if the command is needed.';
  return 'If it must run exactly as it is, ask the user to run it.';
}
