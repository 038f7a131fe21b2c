// Chunks of live output → lines of text, without line breaks. Characters that are split across chunks are joined.
// Buffers at most one incomplete line, up to a limit: a longer line is split.

const LINE_BREAK = 0x0a;
const DEFAULT_MAX_LINE_BYTES = 1 << 20;

export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #maxLineBytes: number;
  /** The start of a line whose end has not arrived. */
  #rest: Buffer[] = [];
  #restBytes = 0;

  constructor(onLine: (line: string) => void, { maxLineBytes = DEFAULT_MAX_LINE_BYTES } = {}) {
    this.#onLine = onLine;
    this.#maxLineBytes = maxLineBytes;
  }

  /** Keeps no view of the chunk: its memory may be reused. */
  push(bytes: Buffer): void {
    const last = bytes.lastIndexOf(LINE_BREAK);
    if (last === -1) {
      this.#hold(bytes);
      return;
    }
    let from = 0;
    if (this.#restBytes > 0) {
      from = bytes.indexOf(LINE_BREAK) + 1;
      this.#hold(bytes.subarray(0, from - 1));
      this.#onLine(this.#takeRest());
    }
    if (from <= last) this.#split(bytes.toString('utf8', from, last));
    this.#hold(bytes.subarray(last + 1));
  }

  /** Text after the last line break is a line, too. */
  end(): void {
    if (this.#restBytes > 0) this.#onLine(this.#takeRest());
  }

  // A line break is never part of another character, so whole lines are decoded together, which is many times faster.
  #split(text: string): void {
    let from = 0;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
      this.#onLine(text.slice(from, at));
      from = at + 1;
    }
    this.#onLine(text.slice(from));
  }

  #hold(bytes: Buffer): void {
    let piece = bytes;
    while (this.#restBytes + piece.length > this.#maxLineBytes) {
      const cut = this.#maxLineBytes - this.#restBytes;
      this.#keep(piece.subarray(0, cut));
      piece = piece.subarray(cut);
      const full = Buffer.concat(this.#rest);
      const end = lastBoundary(full);
      this.#rest = [];
      this.#restBytes = 0;
      this.#keep(full.subarray(end));
      this.#onLine(full.toString('utf8', 0, end));
    }
    this.#keep(piece);
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#rest.push(Buffer.from(bytes));
    this.#restBytes += bytes.length;
  }

  #takeRest(): string {
    const text = Buffer.concat(this.#rest).toString();
    this.#rest = [];
    this.#restBytes = 0;
    return text;
  }
}

/** Where the last character starts if it is incomplete, otherwise the end. */
function lastBoundary(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back < bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) break;
    if (byte >= 0xc0) {
      const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return size > back ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}
