// Kept output and a cursor → the next text: whole characters, never across the gap between beginning and end.

import type { KeptOutput } from '../run/output.ts';
import { cutToCharacters, skipToCharacter } from './text.ts';

const MAX_READ_BYTES = 16 << 20;
/** The longest character: with less, a reader could make no progress. */
const MIN_READ_BYTES = 4;

export interface Piece {
  readonly text: string;
  /** Where to continue reading. */
  readonly cursor: number;
  readonly isAtEnd: boolean;
}

export interface PieceOptions {
  readonly cursor: number;
  readonly limitBytes: number;
  /** No more output will follow. */
  readonly hasEnded: boolean;
}

export async function readPiece(output: KeptOutput, { cursor, limitBytes, hasEnded }: PieceOptions): Promise<Piece> {
  const { totalBytes, headBytes, tailBytes, missingBytes } = output;
  const isMissing = missingBytes > 0 && cursor >= headBytes && cursor < totalBytes - tailBytes;
  const from = isMissing ? totalBytes - tailBytes : Math.min(cursor, totalBytes);
  const limit = Math.min(Math.max(limitBytes, MIN_READ_BYTES), MAX_READ_BYTES);
  // Not across the gap: adjacent text must have been written adjacently.
  const border = missingBytes > 0 && from < headBytes ? headBytes : totalBytes;
  const to = Math.min(from + limit, border);
  const bytes = await output.read(from, to);
  const start = isMissing ? skipToCharacter(bytes) : 0;
  const isLast = hasEnded && to === totalBytes;
  const end =
    isLast || (to === border && missingBytes > 0 && border === headBytes) ? bytes.length : cutToCharacters(bytes);
  const next = from + end;
  return { text: decoder.decode(bytes.subarray(start, end)), cursor: next, isAtEnd: isLast && next === totalBytes };
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
