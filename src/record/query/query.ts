// A query on the log → records in the order of time, a page at a time. The records come from the segments.
// If the index is not available, the segments are read instead: slower, with the same result.

import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { dispose } from '../../core/disposal.ts';
import { type Check, checkOptions, folder as isFolder, oneOf, text, wrong } from '../../core/option-checks.ts';
import { defined } from '../../core/values/defined.ts';
import { type AuditPlaces, auditPlaces } from '../../local/places.ts';
import { readRange } from '../chain/recovery.ts';
import { segmentFile } from '../chain/segments.ts';
import type { AuditRecord } from '../entries.ts';
import { type AuditFilter, buildWhere, type Position, parseCursor } from './filter.ts';
import { LANE, updateIndex } from './indexing.ts';
import { checkQuery, existingFolder } from './query-checks.ts';
import { scanSegments } from './scan.ts';
import { IndexUnusable, Store } from './store.ts';

export interface AuditQuery extends AuditFilter {
  /** Default `newest`. */
  readonly order?: 'newest' | 'oldest';
  /** Default: all. */
  readonly limit?: number;
  /** Continue after this record: `cursorOf` the last one of the previous page. */
  readonly after?: string;
}

export interface AuditReader {
  query(query?: AuditQuery): AsyncIterable<AuditRecord>;
  close(): void;
  [Symbol.dispose](): void;
}

const QUERY: Readonly<Record<string, Check>> = {
  order: oneOf(['newest', 'oldest']),
  limit: (name, value) => {
    if (typeof value !== 'number' || !(value >= 0)) throw wrong(`${name} must be a number >= 0.`);
  },
  after: text,
};

const PAGE = 256;
/** Longer than any line: an index with such a value is broken, or not ours. */
const MAX_LINE = 64 << 20;

/** Keeps the index open for many queries. */
export function openAuditReader(options: Partial<AuditPlaces> = {}): AuditReader {
  checkOptions(options, { folder: isFolder, keyFolder: isFolder });
  const { folder = auditPlaces().folder } = options;
  const store = new Store(folder);
  let turn: Promise<unknown> = Promise.resolve();
  /** One page at a time: all use the same connection. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work, work);
    turn = mine.catch(() => {});
    return mine;
  };
  const close = () => store.close();
  const query: AuditReader['query'] = (asked = {}) => {
    checkQuery(asked, QUERY);
    existingFolder(folder);
    return pagesOf(folder, store, asked, inTurn);
  };
  return { query, close, [dispose]: close };
}

export function queryAudit(options: AuditQuery & Partial<AuditPlaces> = {}): AsyncGenerator<AuditRecord> {
  checkQuery(options, QUERY);
  const { folder, keyFolder, ...query } = options;
  existingFolder(folder);
  return queryOnce(openAuditReader(defined({ folder })), query);
}

async function* queryOnce(reader: AuditReader, query: AuditQuery): AsyncGenerator<AuditRecord> {
  try {
    yield* reader.query(query);
  } finally {
    reader.close();
  }
}

async function* pagesOf(
  folder: string,
  store: Store,
  query: AuditQuery,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
): AsyncGenerator<AuditRecord> {
  const { limit = Number.POSITIVE_INFINITY, after } = query;
  let position = after === undefined ? null : parseCursor(after);
  let isIndexed = await inTurn(() => tryUpdate(store, folder));
  for (let left = limit; left > 0; ) {
    const count = Math.min(PAGE, left);
    let page: AuditRecord[] | null = null;
    if (isIndexed) page = await inTurn(() => readPage(folder, store, query, position, count));
    if (page === null) {
      isIndexed = false;
      page = scanSegments(folder, query, position, count);
    }
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < count) return;
    position = last;
    left -= page.length;
  }
}

async function tryUpdate(store: Store, folder: string): Promise<boolean> {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      await updateIndex(store, folder);
      return true;
    } catch {
      // The first failure may be a broken file, which the second attempt rebuilds; else the segments are read.
      store.close();
    }
  }
  return false;
}

/** `null`: the index must not be used. */
async function readPage(
  folder: string,
  store: Store,
  query: AuditQuery,
  position: Position | null,
  count: number,
): Promise<AuditRecord[] | null> {
  try {
    const { sql, values } = selectOf(query, position, count);
    const rows = await store.read((database) => database.all(sql, values));
    return readRecords(
      folder,
      rows.map((row) => {
        const id = Number(row.id);
        const lane = Math.floor(id / LANE);
        const file = segmentFile(lane, Number(row.segment));
        return { lane, n: id - lane * LANE, file, offset: Number(row.offset), length: Number(row.length) };
      }),
    );
  } catch (error) {
    if (!(error instanceof IndexUnusable)) store.discard();
    return null;
  }
}

function selectOf(query: AuditQuery, position: Position | null, count: number) {
  const where = buildWhere(query);
  const isNewest = query.order !== 'oldest';
  const values = [...where.values];
  let { sql } = where;
  if (position !== null) {
    const sign = isNewest ? '<' : '>';
    sql += `${sql === '' ? 'WHERE' : ' AND'} (at, id) ${sign} (?, ?)`;
    values.push(position.at, position.lane * LANE + position.n);
  }
  const order = isNewest ? 'DESC' : 'ASC';
  values.push(count);
  return {
    sql: `SELECT id, segment, offset, length FROM record ${sql} ORDER BY at ${order}, id ${order} LIMIT ?`,
    values,
  };
}

interface Place {
  readonly lane: number;
  readonly n: number;
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

function readRecords(folder: string, places: readonly Place[]): AuditRecord[] {
  const open = new Map<string, number>();
  try {
    return places.flatMap(({ lane, n, file, offset, length }) => {
      if (length > MAX_LINE) throw new Error('The index does not match the segments.');
      let descriptor = open.get(file);
      if (descriptor === undefined) {
        descriptor = openSync(join(folder, file), 'r');
        open.set(file, descriptor);
      }
      const fields = JSON.parse(readRange(descriptor, offset, offset + length).toString('utf8')) as AuditRecord;
      if (fields.n !== n) throw new Error('The index does not match the segments.');
      return { ...fields, lane };
    });
  } finally {
    for (const descriptor of open.values()) closeSync(descriptor);
  }
}
