// What was asked for and how it ended, the newest first, with search and filters.

import { useEffect, useState } from 'preact/hooks';
import type { HistoryPage, HistoryRow } from '../../wire.ts';
import { call, messageOf } from '../connection.ts';
import { Rows } from '../parts/rows.tsx';
import { recordCount } from '../state.ts';

const WAIT_MS = 150;
const SPANS = { '': 'any time', hour: 'last hour', day: 'last day', week: 'last week' } as const;
const SPAN_MS: Readonly<Record<string, number>> = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 };
const EMPTY = { command: '', verdict: '', risk: '', session: '', path: '', span: '' };

function queryOf({ span, ...filter }: typeof EMPTY): string {
  const asked = new URLSearchParams(Object.entries(filter).filter(([, value]) => value.trim() !== ''));
  const ms = SPAN_MS[span];
  if (ms !== undefined) asked.set('since', String(Date.now() - ms));
  return asked.toString();
}

export function History() {
  const [filter, setFilter] = useState(EMPTY);
  const [rows, setRows] = useState<readonly HistoryRow[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [seen, setSeen] = useState(recordCount.peek());
  useEffect(() => {
    const gone = new AbortController();
    const timer = setTimeout(() => {
      const at = recordCount.peek();
      call<HistoryPage>(`history?${queryOf(filter)}`, undefined, gone.signal).then(
        (page) => {
          setRows(page.rows);
          setNext(page.next);
          setProblem(null);
          setSeen(at);
        },
        (error) => gone.signal.aborted || setProblem(messageOf(error)),
      );
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [filter]);
  const more = async (): Promise<void> => {
    try {
      const page = await call<HistoryPage>(`history?${queryOf(filter)}&after=${next}`);
      setRows([...(rows ?? []), ...page.rows]);
      setNext(page.next);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const fresh = recordCount.value - seen;
  return (
    <>
      <h1>History</h1>
      <Filters filter={filter} onChange={setFilter} />
      {problem !== null && <p class="problem">{problem}</p>}
      {fresh > 0 && (
        <button type="button" onClick={() => setFilter({ ...filter })}>
          {fresh} new {fresh === 1 ? 'record' : 'records'}: show
        </button>
      )}
      {rows?.length === 0 && <p class="empty">No command matches.</p>}
      {rows !== null && <Rows rows={rows} />}
      {next !== null && (
        <button type="button" onClick={() => void more()}>
          Older
        </button>
      )}
    </>
  );
}

type Filter = typeof EMPTY;

function Filters({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) {
  const text = (name: keyof Filter, label: string, more: object = {}) => (
    <label>
      {label}
      <input
        type="search"
        value={filter[name]}
        spellcheck={false}
        onInput={(event) => onChange({ ...filter, [name]: event.currentTarget.value })}
        {...more}
      />
    </label>
  );
  const choice = (name: keyof Filter, label: string, values: readonly (readonly [string, string])[]) => (
    <label>
      {label}
      <select value={filter[name]} onChange={(event) => onChange({ ...filter, [name]: event.currentTarget.value })}>
        {values.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
  const plain = (...values: string[]) => [['', 'any'], ...values.map((value) => [value, value])] as [string, string][];
  return (
    <search class="filters">
      {text('command', 'Command', { 'data-search': '', placeholder: 'part of the command' })}
      {choice('verdict', 'Verdict', plain('allow', 'ask', 'deny'))}
      {choice('risk', 'Risk', plain('low', 'medium', 'high', 'critical'))}
      {choice('span', 'Time', Object.entries(SPANS))}
      {text('session', 'Session')}
      {text('path', 'Touches', { placeholder: '/absolute/path' })}
    </search>
  );
}
