// Writes a spool in the keeper's layout (native/spool.c) for the runner without a keeper.
// Weaker: the header is written on reads and at the end, so a host that dies leaves bytes without their order.

import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import type { OutputStream } from './output.ts';
import { MAP_OFFSET, SPOOL_FLAGS, SPOOL_MAGIC } from './spool.ts';

const DEFAULT_BYTES = 32 << 20;

export class SpoolWriter {
  readonly #data: number;
  readonly #map: number;
  readonly #head: number;
  readonly #tail: number;
  readonly #bits: Buffer | null;
  readonly #counts = { stdout: 0, stderr: 0 };
  #total = 0;
  #isFinished = false;
  #isOpen = true;

  constructor(spool: { path: string; headBytes?: number; tailBytes?: number }, isSplit: boolean) {
    this.#head = spool.headBytes ?? DEFAULT_BYTES;
    this.#tail = spool.tailBytes ?? DEFAULT_BYTES;
    this.#bits = isSplit ? Buffer.alloc((this.#head + this.#tail) / 8) : null;
    this.#data = openSync(spool.path, 'wx+', 0o600);
    this.#map = openSync(`${spool.path}.map`, 'wx+', 0o600);
  }

  write(stream: OutputStream, bytes: Buffer): void {
    for (let done = 0; done < bytes.length; ) {
      const at = this.#total;
      const place = at < this.#head ? at : this.#tail > 0 ? this.#head + ((at - this.#head) % this.#tail) : -1;
      const room = at < this.#head ? this.#head - at : this.#head + this.#tail - place;
      const size = place < 0 ? bytes.length - done : Math.min(bytes.length - done, room);
      if (place >= 0) {
        writeSync(this.#data, bytes, done, size, place);
        this.#mark(stream, place, size);
      }
      this.#total += size;
      done += size;
    }
    this.#counts[stream] += bytes.length;
  }

  #mark(stream: OutputStream, from: number, size: number): void {
    const bits = this.#bits;
    if (bits === null) return;
    for (let at = from; at < from + size; ) {
      if (at % 8 === 0 && from + size - at >= 8) {
        const whole = Math.floor((from + size - at) / 8);
        bits.fill(stream === 'stderr' ? 0xff : 0, at / 8, at / 8 + whole);
        at += whole * 8;
        continue;
      }
      const mask = 1 << (at % 8);
      const byte = bits[at >> 3] as number;
      bits[at >> 3] = stream === 'stderr' ? byte | mask : byte & ~mask;
      at += 1;
    }
  }

  // So that the file can be read from top to bottom.
  #rotate(): void {
    const start = (this.#total - this.#head) % this.#tail;
    const ring = Buffer.alloc(this.#tail);
    readSync(this.#data, ring, 0, this.#tail, this.#head);
    const turned = Buffer.concat([ring.subarray(start), ring.subarray(0, start)]);
    writeSync(this.#data, turned, 0, this.#tail, this.#head);
    const bits = this.#bits;
    if (bits === null) return;
    const old = Buffer.from(bits.subarray(this.#head / 8));
    for (let i = 0; i < this.#tail; i += 1) {
      const from = (start + i) % this.#tail;
      const isStderr = ((old[from >> 3] as number) >> (from & 7)) & 1;
      this.#mark(isStderr === 1 ? 'stderr' : 'stdout', this.#head + i, 1);
    }
  }

  /** So that the current content can be read, as one stream. */
  publish(): void {
    // File descriptors of closed files may be reused.
    if (this.#isOpen && !this.#isFinished) this.#writeHeader(0);
  }

  #writeHeader(more: number): void {
    const header = Buffer.alloc(MAP_OFFSET);
    const flags = more | (this.#bits === null ? 0 : SPOOL_FLAGS.split);
    const { stdout, stderr } = this.#counts;
    header.write(SPOOL_MAGIC, 0, 'latin1');
    [this.#head, this.#tail, this.#total, this.#total, stdout, stderr, flags].forEach((value, i) => {
      header.writeBigUInt64LE(BigInt(value), 8 + i * 8);
    });
    writeSync(this.#map, header, 0, header.length, 0);
  }

  finish(): void {
    this.#isFinished = true;
    const isWrapped = this.#tail > 0 && this.#total > this.#head + this.#tail;
    if (isWrapped) this.#rotate();
    this.#writeHeader(SPOOL_FLAGS.finished | (isWrapped ? SPOOL_FLAGS.rotated : 0));
    if (this.#bits !== null) {
      if (this.#counts.stderr > 0) writeSync(this.#map, this.#bits, 0, this.#bits.length, MAP_OFFSET);
      ftruncateSync(this.#map, MAP_OFFSET + this.#bits.length);
    }
  }

  close(): void {
    this.#isOpen = false;
    closeSync(this.#data);
    closeSync(this.#map);
  }
}
