// A socket → bytes in the portions that a parser requests, each with a limit; the rest is returned at the end.
// Buffers little data that was not requested yet, so a fast sender cannot fill the memory.

import type { Socket } from 'node:net';
import type { Feed } from './pour.ts';

export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

interface Flow {
  /** Whether more may come. */
  take(bytes: Buffer): boolean;
  end(): void;
}

const EMPTY = Buffer.alloc(0);
const HOLD_BYTES = 64 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');

export class ByteReader {
  readonly #socket: Socket;
  #held: Buffer = EMPTY;
  #hasEnded = false;
  #waiting: (() => void)[] = [];
  #flow: Flow | null = null;
  readonly #onData = (chunk: Buffer) => {
    if (!this.#receive(chunk)) this.#socket.pause();
  };
  readonly #onEnd = () => {
    this.#hasEnded = true;
    this.#flow?.end();
    this.#wakeAll();
  };

  /** `feed`: for a socket that delivers its bytes that way, in reused memory. */
  constructor(socket: Socket, feed: Feed | null = null) {
    this.#socket = socket;
    socket.pause();
    socket.on('end', this.#onEnd).on('close', this.#onEnd);
    if (feed === null) socket.on('data', this.#onData);
    else feed.start((bytes) => this.#receive(this.#flow === null ? Buffer.from(bytes) : bytes));
  }

  get hasHeld(): boolean {
    return this.#held.length > 0;
  }

  /** Waits for more data than is buffered; false at the end of the stream. */
  async fill(): Promise<boolean> {
    const before = this.#held.length;
    while (this.#held.length === before) {
      if (this.#hasEnded || this.#socket.destroyed) return false;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        this.#socket.resume();
      });
    }
    return true;
  }

  /** Returns buffered data without consuming it. */
  peek(): Buffer {
    return this.#held;
  }

  /** All buffered data, waiting if there is none; at most `limit` bytes. `null` at the end. */
  async read(limit: number): Promise<Buffer | null> {
    if (this.#held.length === 0 && !(await this.fill())) return null;
    return this.#take(Math.min(limit, this.#held.length));
  }

  async readExactly(count: number): Promise<Buffer> {
    while (this.#held.length < count) if (!(await this.fill())) throw new ProtocolError('The stream ended too early.');
    return this.#take(count);
  }

  /** Head of a message with its empty line; `null` if the stream ends before the first byte. */
  async readHead(limit: number): Promise<Buffer | null> {
    for (let from = 0; ; ) {
      const at = this.#held.indexOf(HEAD_END, from);
      if (at !== -1 && at + 4 <= limit) return this.#take(at + 4);
      if (at !== -1 || this.#held.length > limit) throw new ProtocolError('The head is too long.', 431);
      from = Math.max(0, this.#held.length - 3);
      if (await this.fill()) continue;
      if (this.#held.length === 0) return null;
      throw new ProtocolError('The stream ended inside a head.');
    }
  }

  /**
   * The next `count` bytes go to another socket as they arrive, without buffering; all of them if it is infinite.
   * False if the receiver is gone.
   */
  async flow(to: Socket, count: number): Promise<boolean> {
    let left = count;
    while (left > 0 && this.#held.length > 0) {
      const bytes = this.#take(Math.min(left, this.#held.length));
      left -= bytes.length;
      if (!(await writeAll(to, bytes))) return false;
    }
    if (left === 0 || (this.#hasEnded && count === Number.POSITIVE_INFINITY)) return true;
    if (this.#hasEnded || this.#socket.destroyed) throw new ProtocolError('The body ended too early.');
    return this.#flowOn(to, left);
  }

  #flowOn(to: Socket, count: number): Promise<boolean> {
    let left = count;
    return new Promise((resolve, reject) => {
      const finish = (isAlive: boolean) => {
        this.#flow = null;
        to.off('close', onClose);
        resolve(isAlive);
      };
      const onClose = () => finish(false);
      to.on('close', onClose);
      this.#flow = {
        take: (bytes) => {
          if (to.destroyed || !to.writable) {
            finish(false);
            return false;
          }
          const part = bytes.length > left ? bytes.subarray(0, left) : bytes;
          left -= part.length;
          const isLast = left === 0;
          let isPaused = false;
          // The following bytes belong to a later request.
          if (isLast) this.#flow = null;
          if (part.length < bytes.length) this.#held = Buffer.from(bytes.subarray(part.length));
          to.write(part, () => {
            if (isLast) finish(true);
            else if (isPaused) this.#socket.resume();
          });
          // Usually the kernel takes everything at once; only then can the memory be reused.
          isPaused = to.writableLength > 0;
          return !isPaused;
        },
        end: () => {
          if (left === Number.POSITIVE_INFINITY) return finish(true);
          reject(new ProtocolError('The body ended too early.'));
          finish(false);
        },
      };
      this.#socket.resume();
    });
  }

  /** A line without its CRLF. */
  async readLine(limit: number): Promise<string> {
    for (let from = 0; ; ) {
      const at = this.#held.indexOf(10, from);
      if (at > limit || (at === -1 && this.#held.length > limit)) throw new ProtocolError('A line is too long.');
      if (at !== -1) {
        const line = this.#take(at + 1);
        if (at === 0 || line[at - 1] !== 13) throw new ProtocolError('A line ends without CR.');
        return line.toString('latin1', 0, at - 1);
      }
      from = this.#held.length;
      if (!(await this.fill())) throw new ProtocolError('The stream ended inside a line.');
    }
  }

  /** Releases the socket, paused; unconsumed data is returned. */
  release(): Buffer {
    this.#socket.pause();
    this.#socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd);
    const rest = this.#held;
    this.#held = EMPTY;
    return rest;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether more may come. */
  #receive(chunk: Buffer): boolean {
    if (this.#flow !== null) return this.#flow.take(chunk);
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#wakeAll();
    return this.#held.length <= HOLD_BYTES;
  }

  #wakeAll(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #take(count: number): Buffer {
    const taken = this.#held.subarray(0, count);
    this.#held = count === this.#held.length ? EMPTY : this.#held.subarray(count);
    return taken;
  }
}

/** Resolves when the socket accepts more; false if it is gone. */
export function writeAll(socket: Socket, bytes: Buffer | string): Promise<boolean> {
  if (socket.destroyed || !socket.writable) return Promise.resolve(false);
  const encoded = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
  if (socket.write(encoded)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const settle = (isAlive: boolean) => () => {
      socket.off('drain', onDrain).off('close', onClose);
      resolve(isAlive);
    };
    const onDrain = settle(true);
    const onClose = settle(false);
    socket.on('drain', onDrain).on('close', onClose);
  });
}
