// Frames as native/frame.h defines them: bytes of the socket → whole frames, and fields → one frame.

const MAX_INBOUND_BYTES = 256 << 10;
const HEADER_BYTES = 9;

export interface Frame {
  readonly type: number;
  readonly task: number;
  /** A view of the received bytes; copy what must outlive the callback. */
  readonly payload: Buffer;
}

/** Output of a task, cut wherever a read ended. */
export interface OutputPiece {
  readonly task: number;
  readonly stream: number;
  readonly offset: number;
  readonly bytes: Buffer;
}

export interface FrameSink {
  onFrame(frame: Frame): void;
  onOutput(piece: OutputPiece): void;
}

const OUTPUT_TYPE = 131;
const OUTPUT_HEADER_BYTES = HEADER_BYTES + 9;

/** Bytes → frames. Output is passed on as it arrives, without waiting for the rest of its frame: it is most of the traffic. */
export class FrameReader {
  readonly #sink: FrameSink;
  #rest: Buffer | null = null;
  #output: { task: number; stream: number; offset: number; left: number } | null = null;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  push(bytes: Buffer): void {
    let data = bytes;
    if (this.#output !== null) data = this.#continueOutput(data);
    if (this.#rest !== null) data = Buffer.concat([this.#rest, data]);
    this.#rest = null;
    while (data.length >= HEADER_BYTES) {
      const size = data.readUInt32LE(0);
      if (size < HEADER_BYTES - 4 || size > MAX_INBOUND_BYTES) throw new RangeError(`a frame of ${size} bytes`);
      const [type, task] = [data[4] as number, data.readUInt32LE(5)];
      if (type === OUTPUT_TYPE) {
        if (data.length < OUTPUT_HEADER_BYTES) break;
        data = this.#beginOutput(task, size, data);
        continue;
      }
      if (data.length < size + 4) break;
      this.#sink.onFrame({ type, task, payload: data.subarray(HEADER_BYTES, size + 4) });
      data = data.subarray(size + 4);
    }
    if (data.length > 0) this.#rest = data;
  }

  #beginOutput(task: number, size: number, data: Buffer): Buffer {
    const left = size + 4 - OUTPUT_HEADER_BYTES;
    if (left < 0) throw new RangeError('output without an offset');
    const stream = data.readUInt8(HEADER_BYTES);
    this.#output = { task, stream, offset: Number(data.readBigUInt64LE(HEADER_BYTES + 1)), left };
    return this.#continueOutput(data.subarray(OUTPUT_HEADER_BYTES));
  }

  #continueOutput(data: Buffer): Buffer {
    const output = this.#output;
    if (output === null) return data;
    const bytes = data.subarray(0, output.left);
    const { task, stream, offset } = output;
    output.left -= bytes.length;
    output.offset += bytes.length;
    if (output.left === 0) this.#output = null;
    if (bytes.length > 0) this.#sink.onOutput({ task, stream, offset, bytes });
    return data.subarray(bytes.length);
  }
}

export function encodeFrame(type: number, task: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  frame.writeUInt32LE(payload.length + HEADER_BYTES - 4, 0);
  frame[4] = type;
  frame.writeUInt32LE(task, 5);
  frame.set(payload, HEADER_BYTES);
  return frame;
}

/** Collects tagged fields (u16 tag, u32 size, bytes) behind a frame header. */
export class FieldWriter {
  #buffer = Buffer.allocUnsafe(4096);
  #size = HEADER_BYTES;

  #reserve(bytes: number): number {
    const at = this.#size;
    if (at + bytes > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, at + bytes));
      this.#buffer.copy(larger, 0, 0, at);
      this.#buffer = larger;
    }
    this.#size = at + bytes;
    return at;
  }

  #field(tag: number, size: number): number {
    const at = this.#reserve(6 + size);
    this.#buffer.writeUInt16LE(tag, at);
    this.#buffer.writeUInt32LE(size, at + 2);
    return at + 6;
  }

  text(tag: number, text: string): void {
    const size = Buffer.byteLength(text) + 1;
    const at = this.#field(tag, size);
    this.#buffer.write(text, at);
    this.#buffer[at + size - 1] = 0;
  }

  bytes(tag: number, bytes: Uint8Array): void {
    const at = this.#field(tag, bytes.length);
    this.#buffer.set(bytes, at);
  }

  u32(tag: number, value: number): void {
    const at = this.#field(tag, 4);
    this.#buffer.writeUInt32LE(value, at);
  }

  u64(tag: number, value: number): void {
    const at = this.#field(tag, 8);
    this.#buffer.writeBigUInt64LE(BigInt(value), at);
  }

  limit(tag: number, kind: number, value: number): void {
    const at = this.#field(tag, 9);
    this.#buffer[at] = kind;
    this.#buffer.writeBigUInt64LE(BigInt(value), at + 1);
  }

  finish(type: number, task: number): Buffer {
    this.#buffer.writeUInt32LE(this.#size - 4, 0);
    this.#buffer[4] = type;
    this.#buffer.writeUInt32LE(task, 5);
    return this.#buffer.subarray(0, this.#size);
  }
}
