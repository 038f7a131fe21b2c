// Verdict → the text for the model, and the text for the user. The model: what was refused, why, an alternative if there is one,
// and what to ask the user for. The user: the risk first, and the command that always allows it.

import { byStrictness, type Verdict } from '../../../host/deciding.ts';
import { askTheUser, canBeAllowed, insteadForModel } from '../../../host/refusing.ts';
import { headlineOf } from '../../../host/showing.ts';
import { quoteWord } from '../../../host/values.ts';
import { shorten } from '../show/phrases.ts';
import { visible } from '../show/visible.ts';

const MAX_FINDINGS = 3;
const MAX_COLUMNS = 400;

export interface HookTexts {
  readonly forModel: string;
  readonly forUser: string;
  /** For the user, if a question became a refusal. */
  readonly howToAllow: string | null;
}

/** `canAsk`: the agent can ask its user, so that a question is not a refusal yet. */
export function textsFor(verdict: Verdict, command: string, { canAsk }: { readonly canAsk: boolean }): HookTexts {
  const { decision: name, findings, risk } = verdict;
  const telling = [...findings].sort(byStrictness).filter((finding) => finding.verdict === name);
  // If there are other findings, the missing allow rule is irrelevant.
  const found = telling.filter(({ id }) => id !== 'no-rule');
  const all = found.length === 0 ? telling : found;
  const shown = all.slice(0, MAX_FINDINGS);
  const left = all.slice(MAX_FINDINGS).map(({ id }) => id);
  const rest = left.length === 0 ? [] : [`Also: ${[...new Set(left)].join(', ')}.`];
  const why = [...shown.map(({ message, id }) => `${shorten(visible(message), MAX_COLUMNS)} [${id}]`), ...rest].join(
    ' ',
  );
  if (name === 'allow') return { forModel: `hardshell: ${why}`, forUser: `hardshell: ${why}`, howToAllow: null };
  const instead = shown.map(insteadForModel).find((text) => text !== null);
  const better = instead === undefined ? [] : [`Instead: ${visible(instead)}`];
  const rule = name === 'ask' ? allowFromNowOn(verdict) : null;
  return {
    forModel: [opening(name, canAsk), why, ...better, requestToUser(verdict, canAsk)].join(' '),
    forUser:
      name === 'ask'
        ? `hardshell: ${headlineOf({ command, risk, findings, effects: null }).line}${rule === null ? '' : ` ${rule}`}`
        : `hardshell blocked this command. ${why}`,
    howToAllow: rule === null ? null : `hardshell blocked a command that needs approval. ${rule}`,
  };
}

function opening(name: 'ask' | 'deny', canAsk: boolean): string {
  if (name === 'deny') return 'hardshell blocked this command.';
  if (canAsk) return 'hardshell: this command needs approval.';
  return 'hardshell blocked this command: it needs approval, and no one can be asked here. Nothing was run.';
}

function requestToUser(verdict: Verdict, canAsk: boolean): string {
  // Nothing can be approved if no one can be asked.
  if (verdict.decision === 'ask' && !canAsk)
    return canBeAllowed(verdict.findings)
      ? 'Ask the user to add a rule that allows it, or to run it.'
      : 'Rewrite it so that the command shows what runs, or ask the user to run it.';
  return askTheUser(verdict);
}

function allowFromNowOn({ suggestions: [rule] }: Verdict): string | null {
  return rule === undefined ? null : `To always allow it: hardshell config add allow ${quoteWord(visible(rule))}`;
}
