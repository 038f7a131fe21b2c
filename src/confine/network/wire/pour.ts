// Bytes of a socket → another socket, through one reused buffer.
// A pipe allocates a buffer for each read; this allocates none, and reads only after the buffer has been written.

import type { Socket, TcpSocketConnectOpts } from 'node:net';

type OnRead = NonNullable<TcpSocketConnectOpts['onread']>;

const BUFFER_BYTES = 256 * 1024;

export interface Pour {
  /** For `connect`. */
  readonly onread: OnRead;
  /** Everything after this call, and the end. */
  start(from: Socket, to: Socket): void;
}

/** The same memory for code that reads the socket in portions; see `ByteReader`. */
export interface Feed {
  /** For `connect`. */
  readonly onread: OnRead;
  /** `take` may use the bytes until it returns, and returns whether more may come before the socket is resumed. */
  start(take: (bytes: Buffer) => boolean): void;
}

export function createFeed(): Feed {
  let take: ((bytes: Buffer) => boolean) | null = null;
  let early: Buffer[] = [];
  return {
    onread: {
      buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES),
      callback: (count, buffer) => {
        const bytes = (buffer as Buffer).subarray(0, count);
        if (take !== null) return take(bytes);
        early.push(Buffer.from(bytes));
        return false;
      },
    },
    start(taker) {
      take = taker;
      for (const bytes of early) taker(bytes);
      early = [];
    },
  };
}

export function createPour(): Pour {
  let target: Socket | null = null;
  let source: Socket | null = null;
  let early: Buffer[] = [];
  const resume = () => source?.resume();

  return {
    onread: {
      buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES),
      callback: (count, buffer) => {
        const bytes = (buffer as Buffer).subarray(0, count);
        if (target === null) {
          early.push(Buffer.from(bytes));
          return false;
        }
        if (target.destroyed || !target.writable) return false;
        let isWritten = false;
        let isPaused = false;
        target.write(bytes, () => {
          isWritten = true;
          if (isPaused) resume();
        });
        // Usually the kernel takes everything at once; only then can the buffer be refilled.
        isPaused = !isWritten && (target.writableLength > 0 || target.writableNeedDrain);
        return !isPaused;
      },
    },
    start(from, to) {
      source = from;
      target = to;
      for (const bytes of early) to.write(bytes);
      early = [];
      from.on('end', () => to.end());
      from.resume();
    },
  };
}
