// `hardshell audit tail`, `query` and `export`: records that match, on the terminal, as JSON lines or as CSV.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { type AuditRecord, cursorOf, followAudit, queryAudit, tailAudit } from '../../../api/audit.ts';
import { adviceForWriting, defined, describeError } from '../../../host/values.ts';
import { EXIT } from '../failure.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { refusal } from '../refusal.ts';
import { createTerminal } from '../show/terminal.ts';
import { settleEnds } from '../task-ends.ts';
import { CSV_HEAD, csvLine } from './csv.ts';
import { drawRecord } from './drawing.ts';
import {
  type ExportOptions,
  type FilterOptions,
  type QueryOptions,
  readFilter,
  readPlace,
  type TailOptions,
} from './options.ts';

/** A task may end while the log is followed. */
const SETTLE_MS = 1000;

/** Another folder is only read. */
async function settleOwn({ folder }: FilterOptions): Promise<void> {
  if (folder === undefined) await settleEnds();
}

export async function tail(options: TailOptions): Promise<number> {
  await settleOwn(options);
  const place = { ...readFilter(options), ...readPlace(options) };
  const write = writerOf(options, process.stdout);
  // Starts before the newest are read: nothing is missed between the two, and duplicates are shown once.
  const coming = options.follow === true ? followAudit(place) : null;
  const shown = new Set<string>();
  for (const record of tailAudit({ ...place, count: options.limit })) {
    shown.add(cursorOf(record));
    await write(record);
  }
  if (coming === null) {
    if (shown.size === 0) process.stderr.write('hardshell: No record matches.\n');
    return EXIT.ok;
  }
  setInterval(() => void settleOwn(options), SETTLE_MS).unref();
  for await (const record of coming) if (!shown.has(cursorOf(record))) await write(record);
  return EXIT.ok;
}

export async function query(options: QueryOptions): Promise<number> {
  await settleOwn(options);
  const { limit, oldest, after } = options;
  const write = writerOf(options, process.stdout);
  let last: AuditRecord | null = null;
  let count = 0;
  const question = {
    ...readFilter(options),
    ...readPlace(options),
    order: oldest === true ? ('oldest' as const) : ('newest' as const),
    limit: limit + 1,
    ...defined({ after }),
  };
  for await (const record of queryAudit(question)) {
    count += 1;
    if (count > limit) break;
    await write(record);
    last = record;
  }
  // On stderr, so that a program that reads the output sees only records.
  if (count === 0) process.stderr.write('hardshell: No record matches.\n');
  if (count > limit && last !== null)
    process.stderr.write(`hardshell: More records match. Next page: --after ${cursorOf(last)}\n`);
  return EXIT.ok;
}

export async function exportAll(options: ExportOptions): Promise<number> {
  await settleOwn(options);
  const { output, limit } = options;
  const question = {
    ...readFilter(options),
    ...readPlace(options),
    order: 'oldest' as const,
    ...defined({ limit }),
  };
  const asJson = { ...options, ...(options.csv === true ? {} : { json: true as const }) };
  if (output === undefined) {
    const write = writerOf(asJson, process.stdout);
    for await (const record of queryAudit(question)) await write(record);
    return EXIT.ok;
  }
  await writeWhole(resolve(output), async (stream) => {
    const write = writerOf(asJson, stream);
    for await (const record of queryAudit(question)) await write(record);
  });
  return EXIT.ok;
}

/** All or nothing: an existing file is complete. */
async function writeWhole(path: string, work: (stream: Writable) => Promise<void>): Promise<void> {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const stream = createWriteStream(temporary, { flags: 'wx', mode: 0o600 });
    const done = once(stream, 'close');
    done.catch(() => {});
    await once(stream, 'open');
    await work(stream);
    stream.end();
    await done;
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    const reason = describeError(cause);
    const hint = adviceForWriting(cause, 'Choose another file with -o.');
    throw refusal('unwritable-output', `${path} cannot be written: ${reason}`, hint, cause);
  }
}

type Write = (record: AuditRecord) => Promise<void>;

function writerOf(options: Pick<FilterOptions, 'json' | 'csv' | 'color'>, out: Writable): Write {
  let isFirst = true;
  const terminal = createTerminal(options);
  const text = (record: AuditRecord): string => {
    if (options.json === true) return toLine({ schemaVersion: SCHEMA_VERSION, ...record, cursor: cursorOf(record) });
    if (options.csv === true) return `${isFirst ? CSV_HEAD : ''}${csvLine(record)}`;
    return `${drawRecord(record, terminal)}\n`;
  };
  return async (record) => {
    const line = text(record);
    isFirst = false;
    if (!out.write(line)) await once(out, 'drain');
  };
}
