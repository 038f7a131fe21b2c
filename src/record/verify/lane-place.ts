// How far a lane was verified, and whether the part before that still exists. Only its last line is checked: to check
// the rest, verify the whole lane.

import { closeSync, openSync, readSync } from 'node:fs';
import { endsWithHash, type Link, TAIL_BYTES } from '../chain/line.ts';

export interface LanePlace {
  readonly segment: number;
  readonly offset: number;
  /** How many lines of the segment are before it, and which of them ended the segment. */
  readonly line: number;
  readonly end: number | null;
  readonly last: Link;
  readonly unsigned: number;
  /** The newest signed line. */
  readonly signed: Link | null;
}

export function stateOfPlace(path: string, { offset, last }: LanePlace): 'same' | 'shortened' | 'changed' {
  const tail = Buffer.alloc(Math.min(TAIL_BYTES, offset));
  const descriptor = openSync(path, 'r');
  try {
    if (readSync(descriptor, tail, 0, tail.length, offset - tail.length) < tail.length) return 'shortened';
  } finally {
    closeSync(descriptor);
  }
  // A line that was invalid when it was read had no hash.
  return last.hash === '' || endsWithHash(tail, last.hash) ? 'same' : 'changed';
}
