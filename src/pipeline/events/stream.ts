// The events of one run for a `for await` loop. The loop sets the pace: output waits for its reader.
// Starts when it is read, or when its result is requested; leaving the loop early ends the command.

import { HardshellError } from '../../core/errors.ts';
import type { RunResult, ShellEvent } from '../../core/running.ts';
import type { CompleteOptions } from '../call-options.ts';
import type { Listeners } from './feed.ts';

type Begin = (options: CompleteOptions, listeners: Listeners) => Promise<RunResult>;

export class RunStream implements AsyncIterable<ShellEvent> {
  readonly #options: CompleteOptions;
  readonly #begin: Begin;
  #running: Promise<RunResult> | null = null;
  #result: Promise<RunResult> | null = null;

  constructor(options: CompleteOptions, begin: Begin) {
    this.#options = options;
    this.#begin = begin;
  }

  /** If only the result is requested, the command runs without a reader: no one would ever take its events. */
  get result(): Promise<RunResult> {
    this.#result ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#running ??= this.#begin(this.#options, [this.#options.onEvent]);
        resolve(this.#running);
      });
    });
    return this.#result;
  }

  [Symbol.asyncIterator](): AsyncIterator<ShellEvent, undefined> {
    if (this.#running !== null)
      throw new HardshellError('invalid-argument', 'The events of a run can be read once, and from the start.');
    const { signal, onEvent } = this.#options;
    const leaving = new AbortController();
    const forward = () => leaving.abort(signal?.reason);
    if (signal?.aborted) forward();
    signal?.addEventListener('abort', forward);
    const queue = new EventQueue(() => leaving.abort());
    this.#running = this.#begin({ ...this.#options, signal: leaving.signal }, [onEvent, queue.push]);
    const over = (problem?: { error: unknown }) => {
      signal?.removeEventListener('abort', forward);
      queue.end(problem);
    };
    this.#running.then(
      () => over(),
      (error) => over({ error }),
    );
    return queue;
  }
}

/** How far a reader may fall behind before the command has to wait. */
const AHEAD_CHARACTERS = 1 << 20;
const AHEAD_EVENTS = 1024;

/** Events on their way to one `for await` loop. */
class EventQueue implements AsyncIterableIterator<ShellEvent> {
  readonly #events: ShellEvent[] = [];
  readonly #onLeave: () => void;
  #characters = 0;
  #isOver = false;
  #problem: { readonly error: unknown } | null = null;
  #wake: (() => void) | null = null;
  #drained: { readonly promise: Promise<void>; readonly resolve: () => void } | null = null;

  /** `onLeave`: the loop was left before the end. */
  constructor(onLeave: () => void) {
    this.#onLeave = onLeave;
  }

  push = (event: ShellEvent): void | Promise<void> => {
    if (this.#isOver) return;
    this.#events.push(event);
    this.#characters += sizeOf(event);
    this.#wake?.();
    if (this.#characters < AHEAD_CHARACTERS && this.#events.length < AHEAD_EVENTS) return;
    if (this.#drained === null) {
      let resolve = () => {};
      const promise = new Promise<void>((settle) => {
        resolve = settle;
      });
      this.#drained = { promise, resolve };
    }
    return this.#drained.promise;
  };

  /** With an error: the reader gets it after the earlier events. */
  end(problem?: { readonly error: unknown }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#problem = problem ?? null;
    this.#release();
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<ShellEvent, undefined>> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) {
        this.#characters -= sizeOf(event);
        if (this.#characters <= AHEAD_CHARACTERS / 2 && this.#events.length <= AHEAD_EVENTS / 2) this.#release();
        return { done: false, value: event };
      }
      if (this.#isOver && this.#problem !== null) {
        const { error } = this.#problem;
        this.#problem = null;
        throw error;
      }
      if (this.#isOver) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
  }

  async return(): Promise<IteratorResult<ShellEvent, undefined>> {
    const isEarly = !this.#isOver;
    this.end();
    this.#events.length = 0;
    this.#characters = 0;
    if (isEarly) this.#onLeave();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = null;
  }
}

function sizeOf(event: ShellEvent): number {
  return 'text' in event ? event.text.length : 0;
}
