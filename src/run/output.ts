// The kept part of a task's output: its first and its last bytes, read by offset, as a whole or by stream.
// Never fills gaps: a range that was not kept gives fewer bytes, and `missingBytes` says how many are missing.

export type OutputStream = 'stdout' | 'stderr';

export interface KeptOutput {
  readonly totalBytes: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Offsets [0, headBytes) and [totalBytes - tailBytes, totalBytes) can be read. */
  readonly headBytes: number;
  readonly tailBytes: number;
  readonly missingBytes: number;
  /** Its file, or null if it is in memory. */
  readonly path: string | null;
  /** Kept bytes of [from, to), in order; with a stream, only the bytes of that one. */
  read(from: number, to: number, stream?: OutputStream): Promise<Buffer>;
}

export function readHead(output: KeptOutput, bytes: number, stream?: OutputStream): Promise<Buffer> {
  return output.read(0, Math.min(bytes, output.headBytes), stream);
}

/** The last kept bytes; if nothing is missing they may overlap the head. */
export function readTail(output: KeptOutput, bytes: number, stream?: OutputStream): Promise<Buffer> {
  const { totalBytes, tailBytes, missingBytes } = output;
  const kept = missingBytes === 0 ? totalBytes : tailBytes;
  return output.read(totalBytes - Math.min(bytes, kept), totalBytes, stream);
}

/** Keeps the first bytes of live output; enough for everything that needs no file. */
export class MemoryOutput {
  readonly #limit: number;
  readonly #chunks: { stream: OutputStream; bytes: Buffer }[] = [];
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(stream: OutputStream, offset: number, bytes: Buffer): void {
    if (offset !== this.#size || this.#size >= this.#limit) return;
    // A copy: live bytes are views of a larger read, which would otherwise stay in memory with them.
    const kept = Buffer.from(bytes.subarray(0, this.#limit - this.#size));
    this.#chunks.push({ stream, bytes: kept });
    this.#size += kept.length;
  }

  get isFull(): boolean {
    return this.#size >= this.#limit;
  }

  /** The current content. */
  peek(): KeptOutput {
    const count = (wanted: OutputStream): number =>
      this.#chunks.reduce((sum, { stream, bytes }) => (stream === wanted ? sum + bytes.length : sum), 0);
    return this.finish(count('stdout'), count('stderr'));
  }

  finish(stdoutBytes: number, stderrBytes: number): KeptOutput {
    const totalBytes = stdoutBytes + stderrBytes;
    const chunks = [...this.#chunks];
    return {
      totalBytes,
      stdoutBytes,
      stderrBytes,
      headBytes: this.#size,
      tailBytes: 0,
      missingBytes: totalBytes - this.#size,
      path: null,
      async read(from, to, stream) {
        const parts: Buffer[] = [];
        let at = 0;
        for (const chunk of chunks) {
          const part = chunk.bytes.subarray(Math.max(0, from - at), Math.max(0, to - at));
          if (part.length > 0 && (stream === undefined || stream === chunk.stream)) parts.push(part);
          at += chunk.bytes.length;
        }
        return Buffer.concat(parts);
      },
    };
  }
}
