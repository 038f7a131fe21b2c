// Deletes old segments, with a signed line that records up to where: this explains what is missing at the beginning.
// Only whole segments, only from the front of a lane, and only by its owner; the line comes before the deletion.

import { closeSync, fstatSync, openSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Lane, type LaneOptions } from './lane.ts';
import { findLast } from './recovery.ts';
import { listSegments, type Segment, segmentsOfLane } from './segments.ts';

export interface Retention {
  readonly maxAgeMs: number | null;
  /** For all segments together. */
  readonly maxBytes: number | null;
}

interface Closed extends Segment {
  readonly bytes: number;
  readonly at: number;
  readonly n: number;
  readonly hash: string;
}

/** `own` is the lane of this process; lanes without a writer are handled too. */
export function applyRetention(own: Lane, options: LaneOptions, { maxAgeMs, maxBytes }: Retention): void {
  if (maxAgeMs === null && maxBytes === null) return;
  const { folder } = options;
  const oldest = maxAgeMs === null ? Number.NEGATIVE_INFINITY : Date.now() - maxAgeMs;
  endIdleSegments(own, options, oldest);
  const closed = findClosed(folder).sort((a, b) => a.at - b.at);
  let excess = maxBytes === null ? 0 : totalBytes(folder) - maxBytes;
  const through = new Map<number, Closed>();
  for (const segment of closed) {
    if (segment.at >= oldest && excess <= 0) continue;
    excess -= segment.bytes;
    const before = through.get(segment.lane);
    if (before === undefined || before.segment < segment.segment) through.set(segment.lane, segment);
  }
  for (const [number, last] of through) {
    const lane = number === own.lane ? own : Lane.tryOpen(number, options);
    if (lane === null) continue;
    try {
      prune(folder, lane, last);
    } finally {
      if (lane !== own) lane.close();
    }
  }
}

/** Lanes without a writer would keep their last segment forever. */
function endIdleSegments(own: Lane, options: LaneOptions, oldest: number): void {
  const newest = new Map(listSegments(options.folder).segments.map((segment) => [segment.lane, segment]));
  newest.delete(own.lane);
  for (const [number, segment] of newest) {
    const [last] = describe(options.folder, segment);
    if (last === undefined || last.at >= oldest) continue;
    const lane = Lane.tryOpen(number, options);
    try {
      lane?.rotate();
    } finally {
      lane?.close();
    }
  }
}

function prune(folder: string, lane: Lane, { segment, n, hash }: Closed): void {
  lane.sign(`"type":"pruned","through":${JSON.stringify({ segment, n, hash })}`);
  for (const old of segmentsOfLane(folder, lane.lane))
    if (old.segment <= segment) rmSync(join(folder, old.file), { force: true });
}

/** All but the newest of each lane. */
function findClosed(folder: string): Closed[] {
  const { segments } = listSegments(folder);
  return segments.flatMap((segment, index) =>
    segments[index + 1]?.lane === segment.lane ? describe(folder, segment) : [],
  );
}

function describe(folder: string, segment: Segment): Closed[] {
  try {
    const descriptor = openSync(join(folder, segment.file), 'r');
    try {
      const { size } = fstatSync(descriptor);
      const { line } = findLast(descriptor, size);
      return line === null ? [] : [{ ...segment, bytes: size, at: line.at, n: line.n, hash: line.hash }];
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Another process has just deleted it.
    return [];
  }
}

function totalBytes(folder: string): number {
  let total = 0;
  for (const { file } of listSegments(folder).segments)
    total += statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0;
  return total;
}
