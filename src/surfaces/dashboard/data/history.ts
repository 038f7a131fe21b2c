// The audit log → rows of what was decided and how it ended, a page at a time; and everything about one request.

import { type AuditQuery, type AuditReader, type AuditRecord, cursorOf, SEVERITIES, VERDICTS } from '../../../index.ts';
import { Refused } from '../http/exchange.ts';
import type { CommandPage, HistoryPage, HistoryRow } from '../wire.ts';
import type { Policies } from './policies.ts';
import type { Tasks } from './tasks.ts';

const PAGE = 50;
const MAX_RECORDS = 500;

export async function readHistory(reader: AuditReader, asked: URLSearchParams): Promise<HistoryPage> {
  const rows: HistoryRow[] = [];
  let last: AuditRecord | null = null;
  let isMore = false;
  for await (const record of reader.query(queryOf(asked))) {
    if (rows.length === PAGE) {
      isMore = true;
      break;
    }
    last = record;
    rows.push(...rowsOf(record));
  }
  return { rows, next: isMore && last !== null ? cursorOf(last) : null };
}

function queryOf(asked: URLSearchParams): AuditQuery {
  const text = (name: string): string | null => asked.get(name)?.trim() || null;
  const one = <T extends string>(name: string, values: readonly T[]): T | undefined => {
    const value = text(name);
    if (value === null) return undefined;
    const found = values.find((each) => each === value);
    if (found === undefined) throw new Refused(400, `${name} is one of ${values.join(', ')}.`);
    return found;
  };
  const [verdict, risk] = [one('verdict', VERDICTS), one('risk', SEVERITIES)];
  const [command, session, path, after, since] = ['command', 'session', 'path', 'after', 'since'].map(text);
  if (since && !/^\d{1,15}$/.test(since)) throw new Refused(400, 'since is a time in milliseconds since 1970.');
  if (path && !path.startsWith('/')) throw new Refused(400, 'path must be absolute: /home/me/project.');
  return {
    // The files that a command is expected to touch stand in its verdict.
    types: [path ? 'verdict' : 'end'],
    limit: PAGE + 1,
    ...(verdict === undefined ? {} : { verdict }),
    ...(risk === undefined ? {} : { risk }),
    ...(command ? { command } : {}),
    ...(session ? { session } : {}),
    ...(path ? { path } : {}),
    ...(after ? { after } : {}),
    ...(since ? { since: Number(since) } : {}),
  };
}

export function rowsOf(record: AuditRecord): HistoryRow[] {
  if (record.type !== 'end' && record.type !== 'verdict') return [];
  const { task, at, command, cwd, session, verdict, risk } = record;
  const base = { task, at, command, cwd, session, verdict, risk };
  if (record.type === 'verdict')
    return [{ ...base, status: null, exit: null, signal: null, wallMs: null, violations: 0 }];
  const { status, exit, signal, usage, violations } = record;
  return [{ ...base, status, exit, signal, wallMs: usage?.wallMs ?? null, violations }];
}

export async function readCommand(
  task: string,
  from: { readonly reader: AuditReader; readonly tasks: Tasks; readonly policies: Policies },
): Promise<CommandPage> {
  const records: AuditRecord[] = [];
  for await (const record of from.reader.query({ task, order: 'oldest', limit: MAX_RECORDS })) records.push(record);
  const info = (await (await from.tasks.find(task))?.info()) ?? null;
  const named = records.find((record) => record.type === 'verdict') ?? records.find((record) => 'cwd' in record);
  const command = named !== undefined && 'command' in named ? named.command : info?.command;
  const cwd = named !== undefined && 'cwd' in named ? named.cwd : info?.cwd;
  if (command === undefined || cwd === undefined) throw new Refused(404, 'Nothing is known of such a command.');
  return { task, command, cwd, records, info, understanding: from.policies.understand(command, cwd) };
}
