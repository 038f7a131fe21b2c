// What a model can do about a refused command. Approvals, rules and modes are for people: a model asks the user.

import type { Finding, Verdict } from '../verdict.ts';

/** Findings whose advice is only for people: approve, change a rule, change the mode. */
const FOR_PEOPLE = new Set([
  ...['no-rule', 'ask-rule', 'deny-rule', 'unknown-user'],
  ...['plan-mode', 'nobody-to-ask', 'confirmation-required', 'bypass-disabled'],
]);

/** Findings whose advice for people is to change the settings: a model asks the user for that. */
const FOR_MODELS: Readonly<Record<string, string>> = {
  'outside-sandbox': 'Run it inside the sandbox. If it cannot work there, ask the user to allow it or to run it.',
  'delete-outside-roots': 'Delete only inside the allowed folders, or ask the user to allow the folder.',
  'write-outside-roots': 'Write inside the project or a temporary folder, or ask the user to allow the folder.',
  'read-outside-roots': 'Read inside the project, or ask the user to allow the folder.',
  'cwd-outside-roots': 'Stay inside the allowed folders, or ask the user to allow the folder.',
  'symlink-escapes': 'Use the real path, so that it can be checked, or ask the user to allow its folder.',
};

export function insteadForModel({ id, instead }: Pick<Finding, 'id' | 'instead'>): string | null {
  if (FOR_PEOPLE.has(id) || instead === null) return null;
  return Object.hasOwn(FOR_MODELS, id) ? (FOR_MODELS[id] as string) : instead;
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
