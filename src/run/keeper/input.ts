// Bytes on their way to a command's stdin: sent in chunks, never more at once than the supervisor can buffer.

const PIECE_BYTES = 128 << 10;
const WINDOW_BYTES = 1 << 20;

interface PendingWrite {
  readonly bytes: Uint8Array;
  sent: number;
  taken: number;
  readonly resolve: (isTaken: boolean) => void;
}

export class InputQueue {
  readonly #send: (bytes: Uint8Array) => void;
  readonly #end: () => void;
  readonly #writes: PendingWrite[] = [];
  #onTheWay = 0;
  #state: 'open' | 'ending' | 'ended' | 'closed';

  constructor(isOpen: boolean, send: (bytes: Uint8Array) => void, end: () => void) {
    this.#state = isOpen ? 'open' : 'closed';
    this.#send = send;
    this.#end = end;
  }

  write(bytes: Uint8Array): Promise<boolean> {
    if (this.#state !== 'open') return Promise.resolve(false);
    if (bytes.length === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      this.#writes.push({ bytes, sent: 0, taken: 0, resolve });
      this.#pump();
    });
  }

  /** After everything that was written before. */
  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ending';
    this.#pump();
  }

  take(count: number): void {
    this.#onTheWay -= Math.min(count, this.#onTheWay);
    for (let rest = count; rest > 0 && this.#writes[0] !== undefined; ) {
      const write = this.#writes[0];
      const part = Math.min(rest, write.bytes.length - write.taken);
      write.taken += part;
      rest -= part;
      if (write.taken < write.bytes.length) break;
      this.#writes.shift();
      write.resolve(true);
    }
    this.#pump();
  }

  close(): void {
    this.#state = 'closed';
    for (const write of this.#writes.splice(0)) write.resolve(false);
  }

  #pump(): void {
    for (const write of this.#writes) {
      while (write.sent < write.bytes.length && this.#onTheWay < WINDOW_BYTES) {
        const piece = write.bytes.subarray(write.sent, write.sent + PIECE_BYTES);
        write.sent += piece.length;
        this.#onTheWay += piece.length;
        this.#send(piece);
      }
      if (write.sent < write.bytes.length) return;
    }
    if (this.#state !== 'ending') return;
    // Bytes in flight arrive before the end.
    this.#state = 'ended';
    this.#end();
  }
}
