// Answers and requests → one line for a person.

import { type Answer, headlineOf, type ListedApproval } from '../../../host.ts';
import { visible } from '../show/visible.ts';

export function describeAnswer(answer: Answer): string {
  const verdict = answer.verdict === 'allow' ? 'Allowed' : 'Denied';
  const scope = answer.scope === 'once' ? ' once' : ` for the ${answer.scope}`;
  const rule = answer.rule === null ? '' : `, with the rule ${visible(answer.rule)}`;
  const reason = answer.reason === null ? '' : ` (${visible(answer.reason)})`;
  const by = answer.by === 'nobody' ? '' : `, by ${answer.by}`;
  return `${verdict}${answer.verdict === 'allow' ? scope : ''}${rule}${by}${reason}.`;
}

export function describeOne({ request }: ListedApproval): string {
  return headlineOf(request).line;
}
