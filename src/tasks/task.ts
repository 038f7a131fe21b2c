// One task as any process of this user sees it: state, output from a cursor, waiting, stopping, removing.
// The process that started it also has its handle, and may write to its input.

import { type FSWatcher, watch } from 'node:fs';
import { HardshellError } from '../core/errors.ts';
import { checkOptions, signal, unchecked } from '../core/option-checks.ts';
import type { TaskHandle, TaskInfo } from '../core/running.ts';
import { MAX_TIMER_MS } from '../core/values/timers.ts';
import type { RunHandle } from '../run/port.ts';
import { continueTask, stopTask } from '../run/record.ts';
import { nameFiles } from './names.ts';
import { readPiece } from './piece.ts';
import { deleteTask, describeTask, findRecord, openOutput } from './registry.ts';

const DEFAULT_READ_BYTES = 256 << 10;
/** A supervisor that is killed changes no file, so its death is checked for periodically. */
const LOOK_MS = 1000;
/** Grace period between SIGTERM and SIGKILL, plus a margin. */
const STOP_MS = 15_000;
/** SIGKILL takes effect at once; the supervisor of an older version does not support it, and is asked to stop it instead. */
const KILL_MS = 3_000;

export class StoredTask implements TaskHandle {
  readonly id: string;
  readonly #folder: string;
  readonly #handle: RunHandle | null;

  constructor(folder: string, id: string, handle: RunHandle | null) {
    this.id = id;
    this.#folder = folder;
    this.#handle = handle;
  }

  async info(): Promise<TaskInfo> {
    return describeTask(this.#folder, this.id, this.#record());
  }

  async read({ cursor = 0, limitBytes = DEFAULT_READ_BYTES }: { cursor?: number; limitBytes?: number } = {}): Promise<{
    text: string;
    cursor: number;
    isAtEnd: boolean;
  }> {
    for (const [name, value] of Object.entries({ cursor, limitBytes }))
      if (!Number.isSafeInteger(value) || value < 0)
        throw new HardshellError('invalid-argument', `${name} must be a non-negative integer.`);
    // In this order: if it ended before its output is read, there is no more output.
    const hasEnded = this.#record().state !== 'running';
    const output = await openOutput(this.#folder, this.id);
    return readPiece(output, { cursor, limitBytes, hasEnded });
  }

  async write(text: string): Promise<boolean> {
    return this.#handle === null ? false : this.#handle.write(Buffer.from(text));
  }

  endInput(): void {
    this.#handle?.endInput();
  }

  /** Resolves with the current state at the timeout or when the signal is aborted. */
  async wait(options: { timeout?: number; signal?: AbortSignal } = {}): Promise<TaskInfo> {
    checkOptions(options, { timeout: unchecked, signal });
    const { timeout, signal: ended } = options;
    if (timeout !== undefined && !(timeout >= 0))
      throw new HardshellError('invalid-argument', 'timeout must be a non-negative number.');
    const first = await this.info();
    if (first.state !== 'running' || ended?.aborted) return first;
    await this.#untilEnded(timeout ?? null, ended);
    return this.info();
  }

  async stop(): Promise<boolean> {
    if (!stopTask(this.#record())) return false;
    await this.wait({ timeout: STOP_MS });
    return true;
  }

  async kill(): Promise<boolean> {
    if (!stopTask(this.#record(), 'at-once')) return false;
    const { state } = await this.wait({ timeout: KILL_MS });
    return state === 'running' ? this.stop() : true;
  }

  async signal(signal: number): Promise<boolean> {
    if (this.#handle === null || this.#record().state !== 'running') return false;
    this.#handle.signal(signal);
    return true;
  }

  async remove(): Promise<void> {
    const record = findRecord(this.#folder, this.id);
    if (record?.state === 'running')
      throw new HardshellError('invalid-argument', `The task ${this.id} is still running.`, {
        hint: 'Stop it first, or wait for its end.',
      });
    deleteTask(this.#folder, this.id);
  }

  #record() {
    const record = findRecord(this.#folder, this.id);
    if (record === null) throw new HardshellError('no-output', `No such task: ${this.id}. It may have been removed.`);
    return record;
  }

  #untilEnded(timeoutMs: number | null, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      let watcher: FSWatcher | null = null;
      const finish = () => {
        clearInterval(looking);
        clearTimeout(timer);
        watcher?.close();
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const look = () => {
        const record = findRecord(this.#folder, this.id);
        if (record?.state === 'running') continueTask(record);
        else finish();
      };
      const looking = setInterval(look, LOOK_MS);
      // Longer than a timer can be counts as forever.
      const timer = timeoutMs === null || timeoutMs > MAX_TIMER_MS ? undefined : setTimeout(finish, timeoutMs);
      signal?.addEventListener('abort', finish);
      this.#handle?.done.then(look, look);
      try {
        const { record } = nameFiles(this.#folder, this.id);
        // The folder, not the file: a record is replaced, never changed.
        watcher = watch(this.#folder, (_, name) => {
          if (name === null || record.endsWith(`/${name}`)) look();
        });
        watcher.on('error', () => {});
      } catch {
        // Too many file watches on this machine: then only the timer checks.
      }
      look();
    });
  }
}
