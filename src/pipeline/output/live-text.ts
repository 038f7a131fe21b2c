// Chunks of bytes, cut anywhere → text of whole characters, with its offset in the output and its line number.
// Holds back at most one incomplete character, or one incomplete escape sequence if those are removed.

import { cutBefore, stripSequences } from '../../render/views/boundaries.ts';
import type { OutputStream } from '../../run/output.ts';
import { cutToCharacters } from '../../tasks/text.ts';

export interface TextPiece {
  readonly stream: OutputStream;
  readonly text: string;
  readonly byteOffset: number;
  readonly line: number;
}

const LINE_FEED = 0x0a;
const ESCAPE = 0x1b;
const NOTHING = Buffer.alloc(0);

export class LiveText {
  readonly #stripAnsi: boolean;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #held: Record<OutputStream, { bytes: Buffer; offset: number }> = {
    stdout: { bytes: NOTHING, offset: 0 },
    stderr: { bytes: NOTHING, offset: 0 },
  };
  #line = 1;

  constructor({ stripAnsi }: { stripAnsi: boolean }) {
    this.#stripAnsi = stripAnsi;
  }

  /** Null if there is nothing to show yet. */
  push(stream: OutputStream, offset: number, chunk: Buffer): TextPiece | null {
    const held = this.#held[stream];
    const isFresh = held.bytes.length === 0;
    const bytes = isFresh ? chunk : Buffer.concat([held.bytes, chunk]);
    const begin = isFresh ? offset : held.offset;
    const end = this.#stripAnsi ? this.#cutToSequences(bytes) : cutToCharacters(bytes);
    // A copy: live bytes are views of a larger read, which would otherwise stay in memory with them.
    const rest = end === bytes.length ? NOTHING : Buffer.from(bytes.subarray(end));
    // Kept bytes of this chunk are at its end; earlier ones keep their offset, whatever the other stream wrote since.
    const isOfChunk = rest.length <= chunk.length;
    this.#held[stream] = { bytes: rest, offset: isOfChunk ? offset + chunk.length - rest.length : begin + end };
    return this.#piece(stream, begin, bytes.subarray(0, end));
  }

  /** The output has ended: the held-back bytes are all that is left. */
  end(): TextPiece[] {
    return (['stdout', 'stderr'] as const).flatMap((stream) => {
      const { bytes, offset } = this.#held[stream];
      this.#held[stream] = { bytes: NOTHING, offset: 0 };
      return this.#piece(stream, offset, bytes) ?? [];
    });
  }

  #piece(stream: OutputStream, byteOffset: number, bytes: Buffer): TextPiece | null {
    if (bytes.length === 0) return null;
    const line = this.#line;
    for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === LINE_FEED) this.#line += 1;
    const decoded = this.#decoder.decode(bytes);
    const text = this.#stripAnsi ? stripSequences(decoded) : decoded;
    return text === '' ? null : { stream, text, byteOffset, line };
  }

  #cutToSequences(bytes: Buffer): number {
    const end = cutToCharacters(bytes);
    if (!bytes.includes(ESCAPE)) return end;
    const text = this.#decoder.decode(bytes.subarray(0, end));
    // The next bytes may belong to the open sequence.
    const kept = text.slice(cutBefore(`${text}x`, text.length));
    // Counted in ESC bytes: the number of other bytes is not the number of characters.
    let at = end;
    for (let count = kept.split('\x1b').length - 1; count > 0; count -= 1) at = bytes.lastIndexOf(ESCAPE, at - 1);
    return kept === '' ? end : at;
  }
}
