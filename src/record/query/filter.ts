// A filter on the log, as a test of a record and as SQL over the index. Both have the same meaning.

import { HardshellError } from '../../core/errors.ts';
import type { Severity, VerdictName } from '../../core/verdict.ts';
import type { AuditRecord } from '../entries.ts';

export interface AuditFilter {
  /** Milliseconds since 1970, both included. */
  readonly since?: number;
  readonly until?: number;
  readonly types?: readonly string[];
  readonly verdict?: VerdictName;
  readonly risk?: Severity;
  readonly session?: string;
  readonly task?: string;
  /** Anywhere in the text of the command; the case of ASCII letters is ignored. */
  readonly command?: string;
  /** Absolute: this file, or anything in this folder. */
  readonly path?: string;
  readonly exit?: number;
}

/** The position of a record in the order of time. */
export interface Position {
  readonly at: number;
  readonly lane: number;
  readonly n: number;
}

export function cursorOf({ at, lane, n }: Position): string {
  return `${at}.${lane}.${n}`;
}

export function parseCursor(cursor: string): Position {
  const [, at, lane, n] = /^(\d{1,15})\.(\d{1,4})\.(\d{1,13})$/.exec(cursor) ?? [];
  if (at === undefined)
    throw new HardshellError('invalid-argument', `${JSON.stringify(cursor)} is not a cursor of the audit log.`, {
      hint: 'Use the cursor of a record, such as the last one of the previous page.',
    });
  return { at: Number(at), lane: Number(lane), n: Number(n) };
}

export function comparePositions(a: Position, b: Position): number {
  return a.at - b.at || a.lane - b.lane || a.n - b.n;
}

/** What the index stores about a record besides its position. */
export interface Indexed {
  readonly type: string;
  readonly at: number;
  readonly task: string | null;
  readonly session: string | null;
  readonly verdict: string | null;
  readonly risk: string | null;
  readonly exit: number | null;
  readonly command: string | null;
  readonly paths: readonly string[];
}

export function indexRecord(record: AuditRecord | Readonly<Record<string, unknown>>): Indexed {
  const fields = record as Readonly<Record<string, unknown>>;
  const text = (name: string) => (typeof fields[name] === 'string' ? (fields[name] as string) : null);
  return {
    type: text('type') ?? '',
    at: Number(fields.at),
    task: text('task'),
    session: text('session'),
    verdict: text('verdict'),
    risk: text('risk'),
    exit: typeof fields.exit === 'number' ? fields.exit : null,
    command: text('command'),
    paths: pathsOf(fields),
  };
}

const PATH_LISTS = ['reads', 'writes', 'deletes', 'created', 'changed', 'deleted', 'conflicts'];

function pathsOf(fields: Readonly<Record<string, unknown>>): string[] {
  const paths = new Set<string>();
  const add = (value: unknown) => {
    if (typeof value === 'string' && value.startsWith('/')) paths.add(value);
  };
  for (const holder of [fields.operations, fields.files])
    if (typeof holder === 'object' && holder !== null)
      for (const list of PATH_LISTS)
        for (const value of ((holder as Record<string, unknown>)[list] ?? []) as unknown[]) add(value);
  add(fields.target);
  if (fields.type === 'settings') add(fields.file);
  return [...paths];
}

export function matches(record: Indexed, filter: AuditFilter): boolean {
  const { since, until, types, verdict, risk, session, task, command, path, exit } = filter;
  return (
    (since === undefined || record.at >= since) &&
    (until === undefined || record.at <= until) &&
    (types === undefined || types.includes(record.type)) &&
    (verdict === undefined || record.verdict === verdict) &&
    (risk === undefined || record.risk === risk) &&
    (session === undefined || record.session === session) &&
    (task === undefined || record.task === task) &&
    (exit === undefined || record.exit === exit) &&
    (command === undefined || (record.command !== null && lower(record.command).includes(lower(command)))) &&
    (path === undefined || record.paths.some((one) => one === path || one.startsWith(below(path))))
  );
}

/** As SQLite compares: ASCII letters only. */
function lower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function below(folder: string): string {
  return folder.endsWith('/') ? folder : `${folder}/`;
}

export interface Where {
  readonly sql: string;
  readonly values: (string | number)[];
}

export function buildWhere(filter: AuditFilter): Where {
  const parts: string[] = [];
  const values: (string | number)[] = [];
  const add = (sql: string, ...more: (string | number)[]) => {
    parts.push(sql);
    values.push(...more);
  };
  for (const name of ['verdict', 'risk', 'session', 'task', 'exit'] as const) {
    const value = filter[name];
    if (value !== undefined) add(`${name} = ?`, value);
  }
  if (filter.since !== undefined) add('at >= ?', filter.since);
  if (filter.until !== undefined) add('at <= ?', filter.until);
  if (filter.types !== undefined) add(`type IN (${filter.types.map(() => '?').join(', ')})`, ...filter.types);
  if (filter.command !== undefined) add(`command LIKE ? ESCAPE '\\'`, `%${filter.command.replace(/[\\%_]/g, '\\$&')}%`);
  if (filter.path !== undefined) {
    const start = below(filter.path);
    // `0` is the character after `/`.
    const end = `${start.slice(0, -1)}0`;
    const ids = 'SELECT id FROM path WHERE path = ? UNION ALL SELECT id FROM path WHERE path >= ? AND path < ?';
    add(`id IN (${ids})`, filter.path, start, end);
  }
  return { sql: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`, values };
}
