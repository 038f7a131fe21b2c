// Verdicts, risks and states as a sign and a word: the color only repeats them.

import type { AnsweredBy, Outcome, Severity, VerdictName } from '../../wire.ts';

const VERDICT_SIGNS: Readonly<Record<VerdictName, string>> = { allow: '✓', ask: '?', deny: '✕' };
const RISK_SIGNS: Readonly<Record<Severity, string>> = { low: '▁', medium: '▃', high: '▅', critical: '▇' };

export function Sign({ kind, sign, word }: { kind: string; sign: string; word: string }) {
  return (
    <span class={`badge ${kind}`}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}

export function VerdictBadge({ verdict }: { verdict: VerdictName }) {
  return <Sign kind={verdict} sign={VERDICT_SIGNS[verdict]} word={verdict} />;
}

/** The outcome: an answered question is not shown as a question. */
export function DecisionBadge({
  verdict,
  status,
  answeredBy,
}: {
  verdict: VerdictName;
  status: Outcome['status'];
  answeredBy: AnsweredBy | null;
}) {
  if (verdict !== 'ask' || status === null) return <VerdictBadge verdict={verdict} />;
  if (answeredBy === 'cancelled') return <Sign kind="ended" sign="–" word="cancelled" />;
  if (status === 'denied') return <Sign kind="deny" sign={VERDICT_SIGNS.deny} word="denied" />;
  // It ended before anyone answered.
  if (answeredBy === null && (status === 'cancelled' || status === 'failed')) return <VerdictBadge verdict={verdict} />;
  return <Sign kind="allow" sign={VERDICT_SIGNS.allow} word="allowed" />;
}

export function RiskBadge({ risk }: { risk: Severity }) {
  return <Sign kind={`risk-${risk}`} sign={RISK_SIGNS[risk]} word={`${risk} risk`} />;
}

export function StatusText({ status, exit, signal }: Omit<Outcome, 'wallMs'>) {
  if (status === null) return <span class="dim">decided</span>;
  if (status === 'running') return <Sign kind="note" sign="▶" word="running" />;
  if (status === 'lost') return <Sign kind="ended" sign="…" word="lost" />;
  if (status !== 'exited')
    return <Sign kind="ended" sign="■" word={status === 'signalled' ? (signal ?? status) : status} />;
  return exit === 0 ? (
    <Sign kind="good" sign="✓" word="exit 0" />
  ) : (
    <Sign kind="ended" sign="!" word={`exit ${exit}`} />
  );
}

const ANSWERERS: Readonly<Record<AnsweredBy, string>> = {
  dashboard: 'answered on the dashboard',
  terminal: 'answered in its terminal',
  cli: 'answered by hardshell approve',
  mcp: 'answered in the MCP client',
  callback: 'answered by its host program',
  webhook: 'answered by a webhook',
  socket: 'answered by another program',
  caller: 'approved in advance (--yes)',
  other: 'answered by its host program',
  timeout: 'no answer in time',
  cancelled: 'cancelled before an answer',
  nobody: 'no one to ask',
  closed: 'its host ended before an answer',
  'too-many': 'too many open questions',
  'too-long': 'too long to be asked about',
};

const UNANSWERED: ReadonlySet<AnsweredBy> = new Set([
  'timeout',
  'cancelled',
  'nobody',
  'closed',
  'too-many',
  'too-long',
]);

/** False if no one answered: the command was denied for that reason. */
export function isAnswer(by: AnsweredBy): boolean {
  return !UNANSWERED.has(by);
}

/** Who answered, or why no one did. */
export function tellAnswerer(by: AnsweredBy): string {
  // A newer version may know others.
  return ANSWERERS[by] ?? `answered by ${by}`;
}
