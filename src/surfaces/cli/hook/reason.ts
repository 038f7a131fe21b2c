// Verdict → what the agent and its user read: why, and what to do instead or how to allow it. Two or three sentences.

import { byStrictness, type Verdict } from '../../../entries/deciding.ts';
import { shorten } from '../show/phrases.ts';
import { visible } from '../show/visible.ts';

const MAX_FINDINGS = 3;
const MAX_COLUMNS = 400;

export function reasonFor(verdict: Verdict): string {
  const { findings, suggestions } = verdict;
  const telling = [...findings].sort(byStrictness).filter((finding) => finding.verdict === verdict.verdict);
  // That no rule allows it is beside the point where something was found.
  const found = telling.filter(({ id }) => id !== 'no-rule');
  const shown = (found.length === 0 ? telling : found).slice(0, MAX_FINDINGS);
  const why = shown.map(({ message, id }) => `${shorten(visible(message), MAX_COLUMNS)} [${id}]`);
  const instead = shown.find((finding) => finding.instead !== null)?.instead;
  const [rule] = suggestions;
  return [
    `hardshell: ${why.length === 0 ? `${verdict.verdict}.` : why.join(' ')}`,
    ...(verdict.verdict === 'allow' || instead === undefined || instead === null ? [] : [visible(instead)]),
    ...(verdict.verdict !== 'ask' || rule === undefined
      ? []
      : [`To allow it from now on: hardshell config add allow ${quoted(visible(rule))}`]),
  ].join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
