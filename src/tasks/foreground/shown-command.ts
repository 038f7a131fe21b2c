// One foreground command as other processes see it: its output so far, its end, and a way to stop it.

import type { KeptOutput } from '../../run/output.ts';
import type { RunHandle } from '../../run/port.ts';
import type { TaskFields } from '../registry.ts';

/** A follower that does not read must not delay the result for the caller. */
const PARTING_MS = 300;

export class ShownCommand {
  readonly fields: TaskFields;
  readonly pid: number;
  readonly startedAt: number;
  readonly #handle: RunHandle;
  readonly #followers = new Set<Promise<void>>();
  readonly #waiting = new Set<() => void>();
  #final: KeptOutput | null = null;
  #hasEnded = false;
  /** Another process asked to stop it. */
  isStopped = false;

  constructor(fields: TaskFields, pid: number, startedAt: number, handle: RunHandle) {
    this.fields = fields;
    this.pid = pid;
    this.startedAt = startedAt;
    this.#handle = handle;
  }

  /** All of it once the command has ended. */
  async peek(): Promise<{ readonly output: KeptOutput; readonly hasEnded: boolean }> {
    // In this order: if it ended before its output is read, there is no more output.
    const hasEnded = this.#hasEnded;
    return { output: this.#final ?? (await this.#handle.peek()), hasEnded };
  }

  /** Resolves when the command has ended, or at the timeout. */
  wait(timeoutMs: number): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs).unref();
      this.#waiting.add(wake);
    });
  }

  /** Ends the whole process tree through its starter; false if it had already ended. */
  stop(): boolean {
    if (this.#hasEnded) return false;
    this.isStopped = true;
    this.#handle.kill();
    return true;
  }

  /** The last output waits until this has settled. */
  hold(follower: Promise<void>): void {
    const forget = (): void => void this.#followers.delete(held);
    const held: Promise<void> = follower.then(forget, forget);
    this.#followers.add(held);
  }

  /** Settles when its followers have read the rest, or at the timeout. */
  end(output: KeptOutput | null): Promise<unknown> | undefined {
    this.#final = output;
    this.#hasEnded = true;
    for (const wake of this.#waiting) wake();
    if (this.#followers.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise((resolve) => {
      timer = setTimeout(resolve, PARTING_MS);
    });
    return Promise.race([Promise.all(this.#followers), over]).finally(() => clearTimeout(timer));
  }
}
