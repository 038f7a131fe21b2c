// The payload of a frame → its numbers, little-endian.

/** Reads numbers in sequence; throws if the payload is too short. */
export class PayloadReader {
  #at = 0;
  readonly #payload: Buffer;

  constructor(payload: Buffer) {
    this.#payload = payload;
  }

  u8(): number {
    this.#at += 1;
    return this.#payload.readUInt8(this.#at - 1);
  }

  u32(): number {
    this.#at += 4;
    return this.#payload.readUInt32LE(this.#at - 4);
  }

  u64(): number {
    this.#at += 8;
    return Number(this.#payload.readBigUInt64LE(this.#at - 8));
  }
}
