// The audit log → rows of decisions and outcomes, a page at a time; and everything about one request.

import {
  type AuditQuery,
  type AuditReader,
  type AuditRecord,
  cursorOf,
  SEVERITIES,
  type TaskInfo,
  VERDICTS,
} from '../../../host.ts';
import { Refused } from '../refused.ts';
import type { CommandPage, HistoryPage, HistoryRow, Outcome } from '../wire.ts';
import type { Policies } from './policies.ts';
import type { Tasks } from './tasks.ts';

const PAGE = 50;
/** Some of these are not separate rows. */
const MAX_LOOKED = 4 * PAGE;
const MAX_RECORDS = 500;
/** Verdicts and ends of one request. */
const MAX_WORDS = 20;
const NOTHING: Outcome = { status: null, exit: null, signal: null, wallMs: null };
const RUNNING: Outcome = { ...NOTHING, status: 'running' };

/** One command is one row, at its last record. */
export async function readHistory(reader: AuditReader, tasks: Tasks, asked: URLSearchParams): Promise<HistoryPage> {
  const rows: HistoryRow[] = [];
  let last: AuditRecord | null = null;
  let looked = 0;
  for await (const record of reader.query({ ...queryOf(asked), limit: MAX_LOOKED + 1 })) {
    if (rows.length === PAGE || looked === MAX_LOOKED) return { rows, next: last === null ? null : cursorOf(last) };
    looked += 1;
    last = record;
    const row = await readRow(record, reader);
    if (row !== null)
      rows.push(row.status === 'running' ? { ...row, ...settle(row, await infoOf(row.task, tasks)) } : row);
  }
  return { rows, next: null };
}

function queryOf(asked: URLSearchParams): AuditQuery {
  const text = (name: string): string | null => asked.get(name)?.trim() || null;
  const one = <T extends string>(name: string, values: readonly T[]): T | undefined => {
    const value = text(name);
    if (value === null) return undefined;
    const found = values.find((each) => each === value);
    if (found === undefined) throw new Refused(400, `${name} must be one of ${values.join(', ')}.`);
    return found;
  };
  const [verdict, risk] = [one('verdict', VERDICTS), one('risk', SEVERITIES)];
  const [command, session, path, after, since] = ['command', 'session', 'path', 'after', 'since'].map(text);
  if (since && !/^\d{1,15}$/.test(since)) throw new Refused(400, 'since must be a time in milliseconds since 1970.');
  if (path && !path.startsWith('/')) throw new Refused(400, 'path must be absolute: /home/me/project.');
  return {
    // The files that a command is expected to access are in its verdict record.
    types: [path ? 'verdict' : 'end'],
    ...(verdict === undefined ? {} : { verdict }),
    ...(risk === undefined ? {} : { risk }),
    ...(command ? { command } : {}),
    ...(session ? { session } : {}),
    ...(path ? { path } : {}),
    ...(after ? { after } : {}),
    ...(since ? { since: Number(since) } : {}),
  };
}

/** `null` if another record of the same request is the row. */
async function readRow(record: AuditRecord, reader: AuditReader): Promise<HistoryRow | null> {
  const row = rowOf(record);
  // Nothing follows any other end.
  if (row === null || (row.status !== null && row.status !== 'running')) return row;
  const newest = new Map<string, AuditRecord>();
  for await (const other of reader.query({ task: row.task, types: ['verdict', 'end'], limit: MAX_WORDS }))
    if (!newest.has(other.type)) newest.set(other.type, other);
  const own = newest.get(record.type);
  if (own !== undefined && cursorOf(own) !== cursorOf(record)) return null;
  const end = newest.get('end');
  return end === undefined ? row : { ...row, ...rowOf(end), at: row.at };
}

export function rowOf(record: AuditRecord): HistoryRow | null {
  if (record.type !== 'end' && record.type !== 'verdict') return null;
  const { task, at, command, cwd, session, verdict, risk } = record;
  const base = { task, at, command, cwd, session, verdict, risk };
  if (record.type === 'verdict') return { ...base, ...NOTHING, answeredBy: null, violations: 0 };
  const { answeredBy = null, violations } = record;
  return { ...base, ...outcomeOf(record), answeredBy, violations };
}

function outcomeOf({ status, exit, signal, usage }: Extract<AuditRecord, { type: 'end' }>): Outcome {
  return { status, exit, signal, wallMs: usage?.wallMs ?? null };
}

/** The end of a task that outlives its host is recorded later, by another process: until then its own record has its state. */
export function settle(outcome: Outcome, info: TaskInfo | null): Outcome {
  if (outcome.status !== 'running' || info?.state === 'running') return outcome;
  if (info === null || info.state === 'lost') return { ...NOTHING, status: 'lost' };
  const { status, exitCode, signal, startedAt, finishedAt } = info;
  const wallMs = finishedAt === null ? null : finishedAt - startedAt;
  return { status, exit: exitCode, signal, wallMs };
}

async function infoOf(task: string, tasks: Tasks): Promise<TaskInfo | null> {
  const found = await tasks.find(task);
  // It may be removed between the two.
  return (await found?.info().catch(() => null)) ?? null;
}

export async function readCommand(
  task: string,
  from: { readonly reader: AuditReader; readonly tasks: Tasks; readonly policies: Policies },
): Promise<CommandPage> {
  const records: AuditRecord[] = [];
  for await (const record of from.reader.query({ task, order: 'oldest', limit: MAX_RECORDS })) records.push(record);
  const info = await infoOf(task, from.tasks);
  const end = records.findLast((record) => record.type === 'end');
  const isOver = info !== null || (end !== undefined && end.status !== 'running');
  const live = isOver ? null : await from.tasks.findLive(task);
  const named = records.find((record) => record.type === 'verdict') ?? records.find((record) => 'cwd' in record);
  const known = named !== undefined && 'cwd' in named ? named : (info ?? live);
  if (known === null) throw new Refused(404, 'No such command.');
  const { command, cwd } = known;
  const isWaitedFor = live !== null || (!isOver && from.tasks.waited.some((one) => one.task === task));
  return {
    task,
    command,
    cwd,
    records,
    understanding: from.policies.understand(command, cwd),
    outcome: isWaitedFor ? RUNNING : settle(end === undefined ? begun(records) : outcomeOf(end), info),
    finishedAt: info?.finishedAt ?? null,
    output: live !== null ? 'live' : info !== null ? 'kept' : 'none',
  };
}

/** Without a recorded end: it may be running. */
function begun(records: readonly AuditRecord[]): Outcome {
  return records.length === 0 || records.some(({ type }) => type === 'start') ? RUNNING : NOTHING;
}
