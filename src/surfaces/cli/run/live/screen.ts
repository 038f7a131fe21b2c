// Output of a command → our own stdout and stderr, byte for byte, as fast as the reader takes it.
// On a terminal a status line is shown below it. If the reader is gone, `onReaderGone` is called once.

import type { StatusLine } from './status-line.ts';

/** Redrawn at most this often, and not for commands that end at once. */
const REDRAW_MS = 100;
const FIRST_DRAWN_MS = 500;

export type StreamName = 'stdout' | 'stderr';

interface Writable {
  write(bytes: Uint8Array | string, done: (error?: Error | null) => void): unknown;
  readonly columns?: number;
}

export interface ScreenOptions {
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly onReaderGone: (error: NodeJS.ErrnoException) => void;
  /** Null without a viewer. */
  readonly status: StatusLine | null;
}

export interface Screen {
  /** Settles when the reader has taken the bytes; never rejects. */
  write(stream: StreamName, bytes: Uint8Array): Promise<void>;
  setMemory(bytes: number): void;
  /** The time counts from here. */
  begin(): void;
  /** Removes the status line; settles when everything is written. */
  end(): Promise<void>;
  /** After the end: the next text starts on a new line, even after the `^C` that a terminal shows. */
  closeLine(): Promise<void>;
  /** A question is on the terminal: nothing is drawn, and output waits, until the returned function is called. */
  hold(): () => void;
  /** The timer's work; for callers without a clock. */
  redraw(elapsedMs: number): Promise<void>;
}

export function createScreen(options: ScreenOptions): Screen {
  const { status } = options;
  let isGone = false;
  let memoryBytes: number | null = null;
  let held = 0;
  let timer: NodeJS.Timeout | undefined;
  let waiting: Promise<unknown> = Promise.resolve();
  /** The last write of each stream: earlier ones finish before it. */
  const writing: Record<StreamName, Promise<void>> = { stdout: Promise.resolve(), stderr: Promise.resolve() };

  function put(stream: StreamName, bytes: Uint8Array | string): Promise<void> {
    writing[stream] = new Promise((resolve) => {
      options[stream].write(bytes, (error) => {
        if (error && !isGone) {
          isGone = true;
          options.onReaderGone(error);
        }
        resolve();
      });
    });
    return writing[stream];
  }

  /** In sequence: the line and the output go to one terminal through two streams. */
  function inOrder(work: () => Promise<void>): Promise<void> {
    const done = waiting.then(work);
    waiting = done;
    return done;
  }

  async function erase(): Promise<void> {
    const text = status?.erase() ?? '';
    if (text !== '') await put('stderr', text);
  }

  function hold(): () => void {
    // At once: the question is written next, and must not be erased by a queued write.
    void erase();
    held += 1;
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    void inOrder(() => released);
    return () => {
      held -= 1;
      release();
    };
  }

  const redraw = (elapsedMs: number): Promise<void> =>
    inOrder(async () => {
      // A terminal that does not know its width reports 0.
      const width = options.stderr.columns || 80;
      const text = status?.draw({ elapsedMs, memoryBytes, width }) ?? '';
      if (text !== '' && !isGone) await put('stderr', text);
    });

  return {
    write(stream, bytes) {
      if (isGone || bytes.length === 0) return Promise.resolve();
      if (status === null) return put(stream, bytes);
      return inOrder(async () => {
        await erase();
        status.observe(bytes);
        await put(stream, bytes);
      });
    },
    setMemory(bytes) {
      memoryBytes = bytes;
    },
    begin() {
      if (status === null || timer !== undefined) return;
      const startedAt = performance.now();
      timer = setInterval(() => {
        const elapsedMs = performance.now() - startedAt;
        if (elapsedMs >= FIRST_DRAWN_MS && held === 0) void redraw(elapsedMs);
      }, REDRAW_MS);
      timer.unref();
    },
    async end() {
      clearInterval(timer);
      await inOrder(erase);
      await Promise.all([writing.stdout, writing.stderr]);
    },
    async closeLine() {
      if (status !== null) await put('stderr', status.isMidLine() ? '\n' : '\r\x1b[2K');
    },
    hold,
    redraw,
  };
}
