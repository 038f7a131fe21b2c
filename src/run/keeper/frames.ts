// Frames as native/frame.h defines them: bytes of the socket → whole frames, and fields → one frame.

const MAX_INBOUND_BYTES = 256 << 10;
const HEADER_BYTES = 9;

export interface Frame {
  readonly type: number;
  readonly task: number;
  /** A view of the bytes that came; copy what must outlive the callback. */
  readonly payload: Buffer;
}

/** Hands each whole frame to `onFrame`, without copying where a read holds it whole. */
export class FrameReader {
  #rest: Buffer | null = null;

  push(bytes: Buffer, onFrame: (frame: Frame) => void): void {
    let data = this.#rest === null ? bytes : Buffer.concat([this.#rest, bytes]);
    while (data.length >= HEADER_BYTES) {
      const size = data.readUInt32LE(0);
      if (size < HEADER_BYTES - 4 || size > MAX_INBOUND_BYTES) throw new RangeError(`a frame of ${size} bytes`);
      if (data.length < size + 4) break;
      onFrame({ type: data[4] as number, task: data.readUInt32LE(5), payload: data.subarray(HEADER_BYTES, size + 4) });
      data = data.subarray(size + 4);
    }
    this.#rest = data.length > 0 ? data : null;
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
