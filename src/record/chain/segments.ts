// Names of the files in an audit folder. A lane is a chain with one writer at a time; it is split into segments.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HardshellError } from '../../core/errors.ts';
import { describeError } from '../../core/values/error-text.ts';

export interface Segment {
  readonly lane: number;
  readonly segment: number;
  readonly file: string;
}

/** One lane per concurrent writer. */
export const MAX_LANES = 1000;
const SEGMENT = /^(\d{3})-(\d{6,})\.jsonl$/;
const HEAD = /^(\d{3})\.head$/;
export const LOCK_FOLDER = 'locks';
export const TORN_FOLDER = 'torn';

export function laneName(lane: number): string {
  return String(lane).padStart(3, '0');
}

export function segmentFile(lane: number, segment: number): string {
  return `${laneName(lane)}-${String(segment).padStart(6, '0')}.jsonl`;
}

export function headFile(lane: number): string {
  return `${laneName(lane)}.head`;
}

/** Name of the file in which the torn end of a segment is kept. */
export function tornFile(lane: number, segment: number, offset: number): string {
  return join(TORN_FOLDER, `${laneName(lane)}-${segment}-${offset}.part`);
}

export interface Listing {
  /** By lane, then by segment. */
  readonly segments: readonly Segment[];
  /** Lanes that have a file with their newest signed line. */
  readonly heads: readonly number[];
}

export function listSegments(folder: string): Listing {
  const segments: Segment[] = [];
  const heads: number[] = [];
  for (const file of readNames(folder)) {
    const [, lane, segment] = SEGMENT.exec(file) ?? [];
    if (lane !== undefined) segments.push({ lane: Number(lane), segment: Number(segment), file });
    const [, head] = HEAD.exec(file) ?? [];
    if (head !== undefined) heads.push(Number(head));
  }
  segments.sort((a, b) => a.lane - b.lane || a.segment - b.segment);
  return { segments, heads: heads.sort((a, b) => a - b) };
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new HardshellError('unreadable-audit', `The audit log ${folder} cannot be read: ${describeError(error)}`, {
      hint: 'It must belong to you and have mode 700.',
      cause: error,
    });
  }
}

export function segmentsOfLane(folder: string, lane: number): readonly Segment[] {
  return listSegments(folder).segments.filter((segment) => segment.lane === lane);
}
