// The tasks of this user: those that run with what they use, and the newest that ended; their output; the way to end one.

import { createShell, type ShellTool, type TaskHandle } from '../../../index.ts';
import { Refused } from '../http/exchange.ts';
import type { ForegroundCommand, Output, Task } from '../wire.ts';
import { Foreground } from './foreground.ts';
import { Samples } from './samples.ts';

const MAX_ENDED = 20;
const MAX_OUTPUT_BYTES = 1 << 16;

export class Tasks {
  readonly #shell: ShellTool = createShell();
  readonly foreground = new Foreground();
  readonly #samples = new Samples();
  #list: readonly Task[] = [];
  #others: readonly ForegroundCommand[] = [];

  get list(): readonly Task[] {
    return this.#list;
  }

  /** What runs in the foreground of other processes. */
  get others(): readonly ForegroundCommand[] {
    return this.#others;
  }

  async look(): Promise<void> {
    const all = await this.#shell.tasks();
    const running = all.filter(({ state }) => state === 'running');
    const ended = all.filter(({ state }) => state !== 'running').slice(0, MAX_ENDED);
    const others = this.foreground.running(new Set(all.map(({ id }) => id)));
    const trees = [...running, ...others.map(({ task, pid }) => ({ id: task, pid, pgid: pid }))];
    this.#samples.take(trees, Date.now());
    this.#others = others.map(({ pid: _, ...shown }) => ({ ...shown, samples: this.#samples.of(shown.task) }));
    this.#list = [...running, ...ended].map((info) => ({ ...info, samples: this.#samples.of(info.id) }));
  }

  /** `null` when there is none, or its output was never kept. */
  async find(id: string): Promise<TaskHandle | null> {
    return this.#shell.task(id);
  }

  /** From a byte on; without one, its end. */
  async read(id: string, cursor: number | null): Promise<Output> {
    const task = await this.#known(id);
    const from = cursor ?? Math.max(0, (await task.info()).outputBytes - MAX_OUTPUT_BYTES);
    return task.read({ cursor: from, limitBytes: MAX_OUTPUT_BYTES });
  }

  async stop(id: string): Promise<{ readonly isStopped: boolean }> {
    const task = await this.#known(id);
    return { isStopped: await task.stop() };
  }

  async close(): Promise<void> {
    await this.#shell.close();
  }

  async #known(id: string): Promise<TaskHandle> {
    const task = await this.find(id);
    if (task === null) throw new Refused(404, 'There is no such task, or its output is not kept.');
    return task;
  }
}
