// Everything about one request: its analysis, findings, confinement, timeline and output.

import { useRef } from 'preact/hooks';
import type { CommandPage } from '../../wire.ts';
import { duration, moment } from '../format.ts';
import { useLoaded } from '../loading.ts';
import { DecisionBadge, isAnswer, RiskBadge, Sign, StatusText, tellAnswerer } from '../parts/badges.tsx';
import { CommandText, riskySpans, ShortText } from '../parts/command-text.tsx';
import { Findings } from '../parts/findings.tsx';
import { LiveOutput } from '../parts/output.tsx';
import { Stop } from '../parts/stop.tsx';
import { CommandTree } from '../parts/tree.tsx';
import { newest, tasks, waited } from '../state.ts';

type Record_ = CommandPage['records'][number];

export function Command({ task }: { task: string }) {
  // Requested again whenever something about it has changed.
  const state = [
    waited.value.some((one) => one.task === task),
    tasks.value.find(({ id }) => id === task)?.state,
    newest.value.find((row) => row.task === task)?.status,
  ].join(' ');
  const { value, problem } = useLoaded<CommandPage>(`command?${new URLSearchParams({ task })}`, state).value;
  if (problem !== null) return <p class="problem">{problem}</p>;
  if (value === null || value.task !== task) return <p class="dim">Reading …</p>;
  return <Page page={value} />;
}

function Page({ page }: { page: CommandPage }) {
  const { records, understanding, command, cwd, task, outcome, output } = page;
  const wasLive = useRef(false);
  wasLive.current ||= output === 'live';
  const verdict = records.findLast((record) => record.type === 'verdict');
  const answer = records.findLast((record) => record.type === 'answer');
  const start = records.findLast((record) => record.type === 'start');
  const ids = new Set(verdict?.findings.map(({ id }) => id));
  // Records have no positions in the text: those of the same findings now are used.
  const findings = understanding?.verdict.findings.filter(({ id }) => ids.has(id)) ?? [];
  return (
    <>
      <h1>Command</h1>
      <CommandText text={command} spans={riskySpans(findings, command)} />
      <p class="line">
        {verdict !== undefined && (
          <DecisionBadge verdict={verdict.verdict} status={outcome.status} answeredBy={answer?.by ?? null} />
        )}
        {verdict !== undefined && <RiskBadge risk={verdict.risk} />}
        <StatusText {...outcome} />
        {outcome.wallMs !== null && <span class="dim">{duration(outcome.wallMs)}</span>}
        <span class="dim">
          in <ShortText text={cwd} />
        </span>
        {outcome.status === 'running' && output !== 'none' && <Stop task={task} />}
        <span class="dim">{task}</span>
      </p>
      <div class="columns">
        <section>
          <h2>Commands</h2>
          {understanding === null ? (
            <p class="dim">The settings cannot be read.</p>
          ) : (
            <>
              <CommandTree commands={understanding.commands} />
              {understanding.reasons.map((reason) => (
                <p key={reason}>
                  <Sign kind="ask" sign="?" word="not understood" /> {reason}
                </p>
              ))}
            </>
          )}
        </section>
        <section>
          <h2>Findings</h2>
          {verdict === undefined ? <p class="dim">None was recorded.</p> : <Findings findings={verdict.findings} />}
        </section>
        <section>
          <h2>Sandbox</h2>
          <Sandbox enforcement={start?.enforcement ?? null} hasRun={start !== undefined} />
        </section>
        <section>
          <h2>Timeline</h2>
          <Timeline page={page} />
        </section>
      </div>
      {records.some((record) => record.type === 'end' && record.changes !== undefined) && (
        <p>
          <a href={`#/changes/${encodeURIComponent(task)}`}>What it changed, and undo</a>
        </p>
      )}
      <h2>Output</h2>
      {/* What was seen as it came stays, also when it is kept nowhere. */}
      {output !== 'none' || wasLive.current ? <LiveOutput task={task} /> : <p class="dim">{whyNoOutput(page)}</p>}
    </>
  );
}

type Enforcement = Extract<Record_, { type: 'start' }>['enforcement'];

function Sandbox({ enforcement, hasRun }: { enforcement: Enforcement; hasRun: boolean }) {
  if (enforcement === null) return <p class="dim">{hasRun ? 'Nothing was recorded.' : 'It did not run.'}</p>;
  return (
    <>
      <p>
        Confined by <strong>{enforcement.tier}</strong>.
      </p>
      <ul class="guarantees">
        {enforcement.missing.map(({ guarantee, why }) => (
          <li key={guarantee}>
            <Sign kind="ask" sign="–" word={`${guarantee} missing`} /> <span class="dim">{why}</span>
          </li>
        ))}
      </ul>
      {enforcement.held.length > 0 && (
        <details>
          <summary>{enforcement.held.length} guarantees held</summary>
          <ul class="guarantees held">
            {enforcement.held.map((name) => (
              <li key={name}>
                <Sign kind="good" sign="✓" word={name} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function whyNoOutput({ records, outcome }: CommandPage): string {
  if (!records.some(({ type }) => type === 'start')) return 'No output.';
  if (outcome.status === 'running') return 'The process that started it does not respond.';
  // The first record of a task says `running`; without an exit code or signal, nothing is known about its output.
  const ends = records.flatMap((record) => (record.type === 'end' && record.status !== 'running' ? [record] : []));
  if (ends.some(({ outputBytes, exit, signal }) => outputBytes === 0 && (exit !== null || signal !== null)))
    return 'It printed nothing.';
  return 'Not kept: keepOutput is false in the settings, it was deleted in the meantime, or the process that ran it was killed.';
}

function Timeline({ page: { records, outcome, finishedAt } }: { page: CommandPage }) {
  if (records.length === 0) return <p class="dim">Nothing was recorded.</p>;
  // A task that outlived who started it: its end is told by its own record.
  const isUntold = records.findLast((record) => record.type === 'end')?.status === 'running' && finishedAt !== null;
  const first = records[0]?.at ?? 0;
  return (
    <ol class="timeline">
      {records.map((record) => (
        <li key={`${record.lane}.${record.n}`}>
          <time dateTime={new Date(record.at).toISOString()}>{moment(record.at)}</time>
          <span class="dim"> +{duration(record.at - first)} </span>
          {tell(record)}
        </li>
      ))}
      {isUntold && (
        <li>
          <time dateTime={new Date(finishedAt).toISOString()}>{moment(finishedAt)}</time>
          <span class="dim"> +{duration(finishedAt - first)} </span>
          ended: {outcome.status} {outcome.signal ?? outcome.exit}
        </li>
      )}
    </ol>
  );
}

/** Without an answer, the words already say that it was denied. */
function tellAnswer({ by, verdict, scope, reason }: Extract<Record_, { type: 'answer' }>): string {
  const who = tellAnswerer(by);
  if (by === 'caller') return who;
  const said = isAnswer(by) ? `${who}: ${verdict}${scope === 'once' ? '' : ` (${scope})`}` : who;
  return reason === null || !isAnswer(by) ? said : `${said}: ${reason}`;
}

function tell(record: Record_): string {
  switch (record.type) {
    case 'verdict':
      return `decided: ${record.verdict}, ${record.risk} risk`;
    case 'answer':
      return tellAnswer(record);
    case 'start':
      return `started as process ${record.pid}`;
    case 'violation':
      return `blocked by the sandbox: ${record.operation} ${record.target}`;
    case 'operation':
      return `did: ${record.operation} ${record.target}`;
    case 'changes':
      return `${record.act} of its changes (${record.by}): ${record.outcome}${record.why === null ? '' : `, ${record.why}`}`;
    case 'end':
      if (record.status === 'running') return 'continues as a background task';
      return `ended: ${record.status}${record.exit === null ? '' : ` ${record.exit}`}${record.failure === null ? '' : `: ${record.failure.message}`}`;
    default:
      return record.type;
  }
}
