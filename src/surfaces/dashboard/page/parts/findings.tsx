// The reasons for a verdict, and what to do instead.

import type { Severity, VerdictName } from '../../wire.ts';
import { Sign, VerdictBadge } from './badges.tsx';
import { ShortText } from './command-text.tsx';

interface Shown {
  readonly id: string;
  readonly verdict: VerdictName;
  readonly severity: Severity;
  readonly message: string;
  readonly instead?: string | null;
  readonly rule: { readonly text: string; readonly file: string | null; readonly line: number | null } | null;
}

const ORDER: readonly VerdictName[] = ['deny', 'ask', 'allow'];

/** A finding that does not decide is a warning, or only a note. */
function Weight({ verdict, severity }: Pick<Shown, 'verdict' | 'severity'>) {
  if (verdict !== 'allow') return <VerdictBadge verdict={verdict} />;
  return severity === 'low' ? <Sign kind="note" sign="i" word="note" /> : <Sign kind="ask" sign="!" word="warning" />;
}

/** @param props.isQuestion the answer is given right below, so advice on how to approve is left out */
export function Findings({ findings, isQuestion = false }: { findings: readonly Shown[]; isQuestion?: boolean }) {
  if (findings.length === 0) return <p class="dim">No findings.</p>;
  const sorted = [...findings].sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
  return (
    <ul class="findings">
      {sorted.map((finding) => (
        <li key={`${finding.id} ${finding.message}`}>
          <Weight verdict={finding.verdict} severity={finding.severity} /> <span>{finding.message}</span>{' '}
          <span class="dim">
            {finding.id}, {finding.severity}
          </span>
          {finding.rule !== null && (
            <div>
              <span class="dim">rule </span>
              <ShortText text={finding.rule.text} />
              {finding.rule.file !== null && (
                <span class="dim">
                  {' '}
                  {finding.rule.file}
                  {finding.rule.line === null ? '' : `:${finding.rule.line}`}
                </span>
              )}
            </div>
          )}
          {finding.instead && !(isQuestion && finding.id === 'no-rule') && (
            <div class="instead">
              <strong>Instead:</strong> {finding.instead}
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
