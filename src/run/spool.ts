// Spool files as the keeper writes them (native/spool.c has the layout): PATH and, next to it, PATH.map.
// Readable at any time: while the command runs, after it ended, and after its supervisor was killed.

import { type FileHandle, open } from 'node:fs/promises';
import { HardshellError } from '../core/errors.ts';
import type { KeptOutput, OutputStream } from './output.ts';

export const MAP_OFFSET = 4096;
export const SPOOL_MAGIC = 'HSSPOOL1';
export const SPOOL_FLAGS = { split: 1, finished: 2, rotated: 4, failed: 8 } as const;
const HEADER_BYTES = 88;

interface Header {
  readonly head: number;
  readonly tail: number;
  readonly total: number;
  readonly reached: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly flags: number;
}

async function readHeader(path: string): Promise<Header> {
  let file: FileHandle;
  try {
    file = await open(`${path}.map`, 'r');
  } catch (cause) {
    throw new HardshellError('no-output', `no output at ${path}`, { cause });
  }
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    if (bytesRead < HEADER_BYTES || buffer.toString('latin1', 0, 8) !== SPOOL_MAGIC)
      throw new HardshellError('no-output', `${path}.map is not a hardshell spool, or is truncated`);
    const number = (index: number) => Number(buffer.readBigUInt64LE(8 + index * 8));
    return {
      head: number(0),
      tail: number(1),
      total: number(2),
      reached: number(3),
      stdoutBytes: number(4),
      stderrBytes: number(5),
      flags: number(6),
    };
  } finally {
    await file.close();
  }
}

/** The part of a range of offsets that is contiguous in the file. */
interface Piece {
  readonly at: number;
  readonly size: number;
}

function* piecesOf(header: Header, from: number, to: number): Generator<Piece> {
  const { head, tail, total, reached, flags } = header;
  const headEnd = Math.min(head, total);
  if (from < Math.min(to, headEnd)) yield { at: from, size: Math.min(to, headEnd) - from };
  // Bytes that a write in progress may be replacing are excluded.
  const oldest = Math.max(headEnd, reached - tail, total - tail);
  const turn = flags & SPOOL_FLAGS.rotated ? total - tail - head : 0;
  for (let at = Math.max(from, oldest), end = Math.min(to, total); at < end; ) {
    const place = (at - head - turn) % tail;
    const size = Math.min(end - at, tail - place);
    yield { at: head + place, size };
    at += size;
  }
}

async function readAt(file: FileHandle, at: number, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let done = 0;
  while (done < size) {
    const { bytesRead } = await file.read(buffer, done, size - done, at + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}

/** Bytes of one stream: `map` has a bit for each, starting at bit `skip`; 1 is stderr. */
export function selectStream(bytes: Buffer, map: Buffer, skip: number, stream: OutputStream): Buffer {
  const wanted = stream === 'stderr' ? 1 : 0;
  const whole = wanted === 1 ? 0xff : 0;
  const parts: Buffer[] = [];
  let begin = -1;
  for (let i = 0; i < bytes.length; ) {
    const bit = skip + i;
    const byte = map[bit >> 3] ?? 0;
    const isRun = (bit & 7) === 0 && (byte === 0 || byte === 0xff);
    const isWanted = isRun ? byte === whole : ((byte >> (bit & 7)) & 1) === wanted;
    if (isWanted && begin < 0) begin = i;
    if (!isWanted && begin >= 0) {
      parts.push(bytes.subarray(begin, i));
      begin = -1;
    }
    i += isRun ? 8 : 1;
  }
  if (begin >= 0) parts.push(bytes.subarray(begin));
  return Buffer.concat(parts);
}

async function readPiece(files: { data: FileHandle; map: FileHandle }, piece: Piece, stream?: OutputStream) {
  const bytes = await readAt(files.data, piece.at, piece.size);
  if (stream === undefined) return bytes;
  const first = Math.floor(piece.at / 8);
  const map = await readAt(files.map, MAP_OFFSET + first, Math.ceil((piece.at + piece.size) / 8) - first);
  return selectStream(bytes, map, piece.at % 8, stream);
}

/** The current output; open it again to see later output. */
export async function openSpool(path: string): Promise<KeptOutput> {
  const header = await readHeader(path);
  const { head, tail, total, reached } = header;
  const headBytes = Math.min(head, total);
  const tailBytes = Math.max(0, total - Math.max(headBytes, reached - tail, total - tail));
  return {
    totalBytes: total,
    stdoutBytes: header.stdoutBytes,
    stderrBytes: header.stderrBytes,
    headBytes,
    tailBytes,
    missingBytes: total - headBytes - tailBytes,
    path,
    async read(from, to, stream) {
      if (stream !== undefined && !(header.flags & SPOOL_FLAGS.split))
        throw new HardshellError('invalid-argument', 'the streams of this task were merged and cannot be separated');
      const parts: Buffer[] = [];
      if (to <= from) return Buffer.alloc(0);
      const data = await open(path, 'r');
      try {
        const map = await open(`${path}.map`, 'r');
        try {
          for (const piece of piecesOf(header, Math.max(0, from), Math.min(to, total)))
            parts.push(await readPiece({ data, map }, piece, stream));
        } finally {
          await map.close();
        }
      } finally {
        await data.close();
      }
      return Buffer.concat(parts);
    },
  };
}
