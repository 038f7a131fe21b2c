// Records directly from the segments, without the index: all matches, the newest few, or new ones as they come.

import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { countOrZero, signal as isSignal } from '../../core/option-checks.ts';
import { type AuditPlaces, auditPlaces } from '../../local/places.ts';
import { linesOf } from '../chain/lines.ts';
import { findLast, readRange } from '../chain/recovery.ts';
import { listSegments, type Segment } from '../chain/segments.ts';
import { type AuditRecord, SILENT_TYPES } from '../entries.ts';
import { type AuditFilter, comparePositions, indexRecord, matches, type Position } from './filter.ts';
import { checkQuery, existingFolder } from './query-checks.ts';

const POLL_MS = 200;
const TAIL_BYTES = 1 << 16;

export function scanSegments(
  folder: string,
  query: AuditFilter & { readonly order?: 'newest' | 'oldest' },
  after: Position | null,
  count: number,
): AuditRecord[] {
  const isNewest = query.order !== 'oldest';
  const compare = (a: Position, b: Position) => (isNewest ? comparePositions(b, a) : comparePositions(a, b));
  let found: AuditRecord[] = [];
  for (const segment of listSegments(folder).segments) {
    for (const { bytes, isWhole } of linesOf(join(folder, segment.file))) {
      const record = isWhole ? recordOf(bytes, segment.lane) : null;
      if (record === null || !matches(indexRecord(record), query)) continue;
      if (after !== null && compare(record, after) <= 0) continue;
      found.push(record);
      // Only the first ones in order are needed.
      if (found.length >= 4 * count + 1024) found = found.sort(compare).slice(0, count);
    }
  }
  return found.sort(compare).slice(0, count);
}

function recordOf(bytes: Buffer, lane: number): AuditRecord | null {
  try {
    const fields = JSON.parse(bytes.toString('utf8')) as AuditRecord;
    if (!Number.isSafeInteger(fields.n) || !Number.isSafeInteger(fields.at) || SILENT_TYPES.has(fields.type))
      return null;
    return { ...fields, lane };
  } catch {
    // `verify` reports such lines.
    return null;
  }
}

/** The newest records, the oldest of them first. */
export function tailAudit(
  options: AuditFilter & Partial<AuditPlaces> & { readonly count?: number } = {},
): AuditRecord[] {
  checkQuery(options, { count: countOrZero });
  const { folder: given, keyFolder, count = 20, ...filter } = options;
  const folder = existingFolder(given);
  const { segments } = listSegments(folder);
  const found: AuditRecord[] = [];
  for (const lane of new Set(segments.map((segment) => segment.lane))) {
    const own: AuditRecord[] = [];
    for (const segment of segments.filter((one) => one.lane === lane).reverse()) {
      if (own.length >= count) break;
      own.push(...newestOf(folder, segment, filter, count - own.length));
    }
    found.push(...own);
  }
  return found.sort(comparePositions).slice(-count);
}

/** Reads backwards from the end, as far as needed. */
function newestOf(folder: string, segment: Segment, filter: AuditFilter, count: number): AuditRecord[] {
  const descriptor = openSync(join(folder, segment.file), 'r');
  try {
    const { size } = fstatSync(descriptor);
    for (let look = TAIL_BYTES; ; look *= 8) {
      const from = Math.max(0, size - look);
      const lines = splitLines(readRange(descriptor, from, size), from > 0);
      const found = lines.flatMap((bytes) => {
        const record = recordOf(bytes, segment.lane);
        return record !== null && matches(indexRecord(record), filter) ? [record] : [];
      });
      if (found.length >= count || from === 0) return found.slice(-count).reverse();
    }
  } finally {
    closeSync(descriptor);
  }
}

function splitLines(bytes: Buffer, isCut: boolean): Buffer[] {
  const lines: Buffer[] = [];
  let start = isCut ? bytes.indexOf(0x0a) + 1 : 0;
  for (let end = bytes.indexOf(0x0a, start); end !== -1; end = bytes.indexOf(0x0a, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

export interface FollowAuditOptions extends AuditFilter, Partial<AuditPlaces> {
  readonly signal?: AbortSignal;
}

/** New records after this call, until the signal. */
export function followAudit(options: FollowAuditOptions = {}): AsyncGenerator<AuditRecord> {
  checkQuery(options, { signal: isSignal });
  const { folder = auditPlaces().folder, keyFolder, signal, ...filter } = options;
  return follow(openFollower(folder), filter, signal);
}

/** Records since the last call; the first time, since its creation. */
export type Follower = (filter: AuditFilter) => readonly AuditRecord[];

export function openFollower(folder: string): Follower {
  const places = new Map<string, number>();
  const { segments: known } = listSegments(folder);
  for (const [index, { lane, file }] of known.entries()) {
    // Only the last segment of a lane can have an incomplete line.
    const isLast = known[index + 1]?.lane !== lane;
    const path = join(folder, file);
    places.set(file, isLast ? endOf(path) : (statSync(path, { throwIfNoEntry: false })?.size ?? 0));
  }
  return (filter) => {
    const { segments } = listSegments(folder);
    return segments.flatMap((segment) => newIn(folder, segment, places, filter)).sort(comparePositions);
  };
}

/** The length of its complete lines: one may be incomplete now. */
function endOf(path: string): number {
  const descriptor = openSync(path, 'r');
  try {
    return findLast(descriptor, fstatSync(descriptor).size).end;
  } finally {
    closeSync(descriptor);
  }
}

async function* follow(
  follower: Follower,
  filter: AuditFilter,
  signal: AbortSignal | undefined,
): AsyncGenerator<AuditRecord> {
  while (signal?.aborted !== true) {
    yield* follower(filter);
    await pause(signal);
  }
}

function newIn(folder: string, segment: Segment, places: Map<string, number>, filter: AuditFilter): AuditRecord[] {
  const path = join(folder, segment.file);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const from = places.get(segment.file) ?? 0;
  if (size <= from) return [];
  const found: AuditRecord[] = [];
  for (const { bytes, offset, isWhole } of linesOf(path, from)) {
    if (!isWhole) break;
    places.set(segment.file, offset + bytes.length + 1);
    const record = recordOf(bytes, segment.lane);
    if (record !== null && matches(indexRecord(record), filter)) found.push(record);
  }
  return found;
}

function pause(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, POLL_MS);
    signal?.addEventListener('abort', end);
  });
}
