// Running commands of this user, in the background and in the foreground of any process, with their usage; the newest ended
// tasks; the output of one, and a way to stop it.

import {
  createShell,
  type ForegroundCommand,
  followForeground,
  listForeground,
  type ShellTool,
  stopForeground,
  type TaskHandle,
} from '../../../host.ts';
import { Refused } from '../refused.ts';
import type { Output, Task, WaitedCommand } from '../wire.ts';
import { Foreground } from './foreground.ts';
import { Samples } from './samples.ts';

const MAX_ENDED = 20;
const MAX_OUTPUT_BYTES = 1 << 16;
const MAX_LINE = 4096;

export class Tasks {
  readonly #shell: ShellTool = createShell();
  readonly foreground = new Foreground();
  readonly #samples = new Samples();
  #list: readonly Task[] = [];
  #waited: readonly WaitedCommand[] = [];
  #live: ReadonlyMap<string, ForegroundCommand> = new Map();

  get list(): readonly Task[] {
    return this.#list;
  }

  /** Foreground commands of other processes. */
  get waited(): readonly WaitedCommand[] {
    return this.#waited;
  }

  async look(): Promise<void> {
    const [all, live] = await Promise.all([this.#shell.tasks(), this.#listLive()]);
    const running = all.filter(({ state }) => state === 'running');
    const ended = all.filter(({ state }) => state !== 'running').slice(0, MAX_ENDED);
    const background = new Set(all.map(({ id }) => id));
    const answering = [...live.values()].filter(({ id }) => !background.has(id));
    const silent = this.foreground.running(new Set([...background, ...live.keys()]), Date.now());
    const trees = [
      ...running,
      ...answering.map(({ id, pid }) => ({ id, pid, pgid: pid })),
      ...silent.map(({ task, pid }) => ({ id: task, pid, pgid: pid })),
    ];
    this.#samples.take(trees, Date.now());
    const samplesOf = (id: string) => this.#samples.of(id);
    this.#waited = [
      ...answering.map(({ id, command, cwd, session, startedAt, outputBytes, host }) => {
        const samples = samplesOf(id);
        return { task: id, command, cwd, session, startedAt, outputBytes, host: host.pid, samples };
      }),
      ...silent.map(({ pid: _, ...one }) => ({ ...one, host: null, outputBytes: 0, samples: samplesOf(one.task) })),
    ];
    this.#list = [...running, ...ended].map((info) => ({ ...info, samples: samplesOf(info.id) }));
  }

  /** `null` if there is none, or its output was never kept. */
  async find(id: string): Promise<TaskHandle | null> {
    return this.#shell.task(id);
  }

  /** A command that some process waits for, or `null`. */
  async findLive(id: string): Promise<ForegroundCommand | null> {
    return this.#live.get(id) ?? (await this.#listLive()).get(id) ?? null;
  }

  /** From a byte offset; by default, its end. */
  async read(id: string, cursor: number | null): Promise<Output> {
    const task = await this.#known(id);
    const from = cursor ?? Math.max(0, (await task.info()).outputBytes - MAX_OUTPUT_BYTES);
    const output = await task.read({ cursor: from, limitBytes: MAX_OUTPUT_BYTES });
    // A line that begins somewhere before may hold the rest of a secret.
    const line = cursor === null && from > 0 ? output.text.slice(0, MAX_LINE).indexOf('\n') : -1;
    return line === -1 ? output : { ...output, text: output.text.slice(line + 1) };
  }

  async size(id: string): Promise<number> {
    return (await (await this.#known(id)).info()).outputBytes;
  }

  /** Until its end, which is reported, or until its host process is gone. */
  async follow(
    command: ForegroundCommand,
    cursor: number | null,
    signal: AbortSignal,
    onOutput: (output: Output) => void | Promise<void>,
  ): Promise<boolean> {
    return followForeground(command, { cursor, signal, onOutput });
  }

  async stop(id: string): Promise<{ readonly isStopped: boolean }> {
    const live = await this.findLive(id);
    if (live !== null && (await this.find(id)) === null) return { isStopped: await stopForeground(live) };
    const task = await this.#known(id);
    return { isStopped: await task.stop() };
  }

  async close(): Promise<void> {
    await this.#shell.close();
  }

  async #listLive(): Promise<ReadonlyMap<string, ForegroundCommand>> {
    // Without a private folder there are no hosts to ask; the doctor page says why.
    const { commands } = await listForeground().catch(() => ({ commands: [] }));
    this.#live = new Map(commands.map((command) => [command.id, command]));
    return this.#live;
  }

  async #known(id: string): Promise<TaskHandle> {
    const task = await this.find(id);
    if (task === null) throw new Refused(404, 'No such task, or its output is not kept.');
    return task;
  }
}
