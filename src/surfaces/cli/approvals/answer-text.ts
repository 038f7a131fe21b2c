// Answers and requests → one line for a person.

import type { Answer, ListedApproval } from '../../../index.ts';
import { shorten } from '../show/phrases.ts';
import { visible } from '../show/visible.ts';

export function describeAnswer(answer: Answer): string {
  const verdict = answer.verdict === 'allow' ? 'Allowed' : 'Denied';
  const scope = answer.scope === 'once' ? ' once' : ` for the ${answer.scope}`;
  const rule = answer.rule === null ? '' : `, with the rule ${visible(answer.rule)}`;
  const reason = answer.reason === null ? '' : ` (${visible(answer.reason)})`;
  return `${verdict}${answer.verdict === 'allow' ? scope : ''}${rule}, by ${answer.by}${reason}.`;
}

/** The command on one line. */
export function describeOne(one: ListedApproval): string {
  return shorten(visible(one.request.command), 100);
}
