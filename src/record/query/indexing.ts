// New lines of the segments → rows of the index. A segment that has changed is read again from its beginning.

import { closeSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'node-sqlite3-wasm';
import { linesOf } from '../chain/lines.ts';
import { readRange } from '../chain/recovery.ts';
import { listSegments, type Segment } from '../chain/segments.ts';
import { SILENT_TYPES } from '../entries.ts';
import { indexRecord } from './filter.ts';
import type { KnownSegments, Store } from './store.ts';

/** `lane * LANE + n` is the id of a record: the same whenever the index is built. */
export const LANE = 2 ** 40;
const ROWS_PER_TURN = 4000;
const HASH_END = /"hash":"([0-9a-f]{64})"\}\n$/;
const HASH_BYTES = 76;

/** Brings the index up to date, and creates it if it is missing, broken or abandoned. */
export async function updateIndex(store: Store, folder: string): Promise<void> {
  if (!store.isAbandoned()) {
    const last = await store.lastKnown();
    if (last !== null && isCurrent(last, folder)) return;
    const known = await store.segments();
    if (known !== null && isCurrent(known, folder)) return;
  }
  await store.change(async (database, { isNew }) => {
    const before = isNew ? new Map() : readKnown(database);
    await bringUp(database, folder, before);
  });
}

function keyOf({ lane, segment }: Segment): string {
  return `${lane}-${segment}`;
}

function isCurrent(known: KnownSegments, folder: string): boolean {
  const { segments } = listSegments(folder);
  return (
    segments.length === known.size &&
    segments.every((segment) => known.get(keyOf(segment))?.bytes === sizeOf(folder, segment))
  );
}

function sizeOf(folder: string, { file }: Segment): number | undefined {
  return statSync(join(folder, file), { throwIfNoEntry: false })?.size;
}

function readKnown(database: Database): Map<string, { bytes: number; hash: string }> {
  const rows = database.all('SELECT lane, segment, bytes, hash FROM segment');
  return new Map(
    rows.map((row) => [`${row.lane}-${row.segment}`, { bytes: Number(row.bytes), hash: String(row.hash) }]),
  );
}

async function bringUp(database: Database, folder: string, known: KnownSegments): Promise<void> {
  const { segments } = listSegments(folder);
  const present = new Set(segments.map(keyOf));
  for (const key of known.keys()) if (!present.has(key)) forget(database, key);
  const insert = database.prepare('INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const insertPath = database.prepare('INSERT OR REPLACE INTO path VALUES (?, ?)');
  try {
    for (const segment of segments) {
      const before = known.get(keyOf(segment));
      const size = sizeOf(folder, segment);
      if (size === undefined || size === before?.bytes) continue;
      const from = before !== undefined && endsWith(folder, segment, before) ? before.bytes : 0;
      if (before !== undefined && from === 0) forget(database, keyOf(segment));
      await addRows(database, folder, segment, from, { insert, insertPath });
    }
  } finally {
    insert.finalize();
    insertPath.finalize();
  }
}

function forget(database: Database, key: string): void {
  const [lane = 0, segment = 0] = key.split('-').map(Number);
  const row = database.get('SELECT first, last FROM segment WHERE lane = ? AND segment = ?', [lane, segment]);
  const range = [Number(row?.first ?? 1), Number(row?.last ?? 0), segment];
  const ids = 'SELECT id FROM record WHERE id BETWEEN ? AND ? AND segment = ?';
  database.run(`DELETE FROM path WHERE id IN (${ids})`, range);
  database.run('DELETE FROM record WHERE id BETWEEN ? AND ? AND segment = ?', range);
  database.run('DELETE FROM segment WHERE lane = ? AND segment = ?', [lane, segment]);
}

/** Whether the part that was read is unchanged, judging by its last hash. */
function endsWith(folder: string, { file }: Segment, { bytes, hash }: { bytes: number; hash: string }): boolean {
  if (bytes === 0) return true;
  const descriptor = openSync(join(folder, file), 'r');
  try {
    const end = readRange(descriptor, Math.max(0, bytes - HASH_BYTES), bytes).toString('latin1');
    return HASH_END.exec(end)?.[1] === hash;
  } finally {
    closeSync(descriptor);
  }
}

type Statement = ReturnType<Database['prepare']>;

async function addRows(
  database: Database,
  folder: string,
  { lane, segment, file }: Segment,
  from: number,
  { insert, insertPath }: { readonly insert: Statement; readonly insertPath: Statement },
): Promise<void> {
  let end = from;
  let lastLine: Buffer = Buffer.alloc(0);
  let rows = 0;
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const { bytes, offset, isWhole } of linesOf(join(folder, file), from)) {
    if (!isWhole) break;
    end = offset + bytes.length + 1;
    lastLine = bytes;
    const fields = parse(bytes);
    if (fields === null || SILENT_TYPES.has(String(fields.type))) continue;
    const { at, type, task, session, verdict, risk, exit, command, paths } = indexRecord(fields);
    const id = lane * LANE + Number(fields.n);
    first = Math.min(first, id);
    last = Math.max(last, id);
    insert.run([id, at, segment, offset, bytes.length, type, task, session, verdict, risk, exit, command]);
    for (const path of paths) insertPath.run([path, id]);
    rows += 1;
    // The process may have other requests to answer in the meantime.
    if (rows % ROWS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  if (end === from && from > 0) return;
  const hash = HASH_END.exec(`${lastLine.toString('latin1', Math.max(0, lastLine.length - HASH_BYTES))}\n`)?.[1] ?? '';
  const before = database.get('SELECT first, last FROM segment WHERE lane = ? AND segment = ?', [lane, segment]);
  if (before !== null && Number(before.first) <= Number(before.last))
    [first, last] = [Math.min(first, Number(before.first)), Math.max(last, Number(before.last))];
  // If it has no rows, there is nothing between the two.
  const range = first > last ? [1, 0] : [first, last];
  database.run('INSERT OR REPLACE INTO segment VALUES (?, ?, ?, ?, ?, ?)', [lane, segment, end, hash, ...range]);
}

function parse(bytes: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const fields: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof fields !== 'object' || fields === null) return null;
    const { n, at } = fields as Record<string, unknown>;
    return Number.isSafeInteger(n) && Number.isSafeInteger(at) ? (fields as Record<string, unknown>) : null;
  } catch {
    // `verify` reports such lines.
    return null;
  }
}
