// A record → one line of CSV (RFC 4180). No cell can be read as a formula, and no record as two lines.

import type { AuditRecord } from '../../../api/audit.ts';
import { visible } from '../show/visible.ts';
import { describe } from './drawing.ts';

const COLUMNS = [
  'time',
  'type',
  'verdict',
  'risk',
  'status',
  'exit',
  'note',
  'session',
  'user',
  'task',
  'cwd',
  'command',
  'lane',
  'n',
  'hash',
] as const;

export const CSV_HEAD = `${COLUMNS.join(',')}\r\n`;

export function csvLine(record: AuditRecord): string {
  const fields = record as unknown as Readonly<Record<string, unknown>>;
  const own: Readonly<Record<string, unknown>> = {
    time: new Date(record.at).toISOString(),
    note: describe(record).note,
  };
  return `${COLUMNS.map((name) => cell(own[name] ?? fields[name])).join(',')}\r\n`;
}

/** Spreadsheets evaluate cells that start with these, also after blanks and in full-width forms. */
const FORMULA = /^\s*[=+\-@\t\r\n|%\uff1d\uff0b\uff0d\uff20]/;

export function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = visible(String(value));
  const safe = FORMULA.test(text) || FORMULA.test(String(value)) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
