// Why a verdict is what it is, and what to do instead.

import type { Severity, VerdictName } from '../../wire.ts';
import { VerdictBadge } from './badges.tsx';
import { ShortText } from './command-text.tsx';

interface Shown {
  readonly id: string;
  readonly verdict: VerdictName;
  readonly severity: Severity;
  readonly message: string;
  readonly instead?: string | null;
  readonly rule: { readonly text: string; readonly file: string | null; readonly line: number | null } | null;
}

export function Findings({ findings }: { findings: readonly Shown[] }) {
  if (findings.length === 0) return <p class="dim">No check had anything to say.</p>;
  return (
    <ul class="findings">
      {findings.map((finding) => (
        <li key={`${finding.id} ${finding.message}`}>
          <VerdictBadge verdict={finding.verdict} /> <span>{finding.message}</span>{' '}
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
          {finding.instead && (
            <div class="instead">
              <strong>Instead:</strong> {finding.instead}
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
