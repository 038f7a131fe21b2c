// A segment → its lines as bytes, from any position, one part of the file at a time.

import { closeSync, openSync, readSync } from 'node:fs';

const PART_BYTES = 1 << 20;
const LINE_FEED = 0x0a;

export interface RawLine {
  /** Without the line feed. */
  readonly bytes: Buffer;
  readonly offset: number;
  /** False for the text after the last line feed. */
  readonly isWhole: boolean;
}

export function* linesOf(path: string, from = 0): Generator<RawLine> {
  const descriptor = openSync(path, 'r');
  try {
    // Parts of an incomplete line: joined once, for any length.
    let pending: Buffer[] = [];
    let offset = from;
    for (let position = from; ; ) {
      const part = Buffer.allocUnsafe(PART_BYTES);
      const count = readSync(descriptor, part, 0, PART_BYTES, position);
      if (count === 0) break;
      position += count;
      let start = 0;
      for (let end = part.subarray(0, count).indexOf(LINE_FEED); end !== -1; ) {
        const bytes =
          pending.length === 0 ? part.subarray(start, end) : Buffer.concat([...pending, part.subarray(start, end)]);
        pending = [];
        yield { bytes, offset, isWhole: true };
        offset += bytes.length + 1;
        start = end + 1;
        const next = part.subarray(start, count).indexOf(LINE_FEED);
        end = next === -1 ? -1 : start + next;
      }
      if (start < count) pending.push(part.subarray(start, count));
    }
    if (pending.length > 0) yield { bytes: Buffer.concat(pending), offset, isWhole: false };
  } finally {
    closeSync(descriptor);
  }
}
