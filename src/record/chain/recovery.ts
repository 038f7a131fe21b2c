// The end of a segment → its last complete line. Text torn by a crash is copied before it is cut off.
// Never drops anything: the copy is on disk before the segment gets shorter, and a record names it.

import { existsSync, fstatSync, fsyncSync, ftruncateSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { replaceWhole } from '../../local/whole-file.ts';
import { type ReadLine, readLine, sha256 } from './line.ts';
import { type Segment, tornFile } from './segments.ts';

const FIRST_LOOK_BYTES = 1 << 18;
const LINE_FEED = 0x0a;

export interface Torn {
  /** Relative to the audit folder. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  /** `unfinished`: the last line is incomplete, after a crash. `damaged`: complete lines that are invalid. */
  readonly cause: 'unfinished' | 'damaged';
}

export interface Recovered {
  readonly size: number;
  /** `null`: the segment has no line. */
  readonly last: ReadLine | null;
  readonly torn: Torn | null;
}

/** Only the owner of the lane may call it. `descriptor` is open for reading and writing. */
export function recoverEnd(folder: string, segment: Segment, descriptor: number): Recovered {
  const { size } = fstatSync(descriptor);
  const found = findLast(descriptor, size);
  const file = tornFile(segment.lane, segment.segment, found.end);
  if (found.end === size) {
    // Already cut off, and the process that did it was killed before it could record that.
    const torn = existsSync(join(folder, file)) ? describe(folder, file) : null;
    return { size, last: found.line, torn };
  }
  const rest = readRange(descriptor, found.end, size);
  keepAside(join(folder, file), rest);
  ftruncateSync(descriptor, found.end);
  fsyncSync(descriptor);
  return { size: found.end, last: found.line, torn: describe(folder, file) };
}

function describe(folder: string, file: string): Torn {
  const bytes = readFileSync(join(folder, file));
  const cause = bytes.includes(LINE_FEED) ? 'damaged' : 'unfinished';
  return { file, bytes: bytes.length, sha256: sha256(bytes), cause };
}

/** The last complete line with the right hash, and where it ends. */
export function findLast(descriptor: number, size: number): { readonly end: number; readonly line: ReadLine | null } {
  for (let look = FIRST_LOOK_BYTES; ; look *= 16) {
    const from = Math.max(0, size - look);
    const bytes = readRange(descriptor, from, size);
    for (let end = bytes.lastIndexOf(LINE_FEED); end !== -1; ) {
      const start = end === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, end - 1) + 1;
      // Its start may be further ahead.
      if (start === 0 && from > 0) break;
      const line = readLine(bytes.subarray(start, end));
      if (line?.isIntact) return { end: from + end + 1, line };
      if (start === 0) break;
      end = start - 1;
    }
    if (from === 0) return { end: 0, line: null };
  }
}

export function readRange(descriptor: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(to - from);
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(descriptor, bytes, done, bytes.length - done, from + done);
    if (count === 0) return bytes.subarray(0, done);
    done += count;
  }
  return bytes;
}

function keepAside(path: string, bytes: Buffer): void {
  replaceWhole(path, bytes, { sync: true });
}
