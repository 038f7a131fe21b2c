// The runner that uses the keeper: one keeper process per runner, started with the first command, and again if it died.

import { HardshellError } from '../../core/errors.ts';
import type { Guarantee, RunHandle, RunListener, Runner, RunRequest } from '../port.ts';
import { KeeperConnection, type KeeperSettings, LANES } from './connection.ts';
import type { Hello } from './messages.ts';
import { KeeperTask } from './task.ts';

const MAX_TASK = 0xffff_ffff;
/** One for the next command, one for a second session or a parallel command. */
const DEFAULT_POOL = 2;

export class KeeperRunner implements Runner {
  readonly #path: string;
  readonly #settings: KeeperSettings;
  #connection: KeeperConnection | null = null;
  #nextTask = 1;

  /** `path`: the verified program from `locateKeeper`. `pool`: how many shells may wait for a command, 0 for none. */
  constructor(path: string, { stderr = 'ignore', pool = DEFAULT_POOL }: Partial<KeeperSettings> = {}) {
    if (!Number.isInteger(pool) || pool < 0 || pool > LANES)
      throw new HardshellError('invalid-argument', `pool must be an integer from 0 to ${LANES}, not ${pool}`);
    this.#path = path;
    this.#settings = { stderr, pool };
  }

  start(request: RunRequest, listener?: RunListener): RunHandle {
    const task = this.#nextTask;
    this.#nextTask = task === MAX_TASK ? 1 : task + 1;
    return new KeeperTask(this.#connect(), task, request, listener);
  }

  /** Starts the keeper ahead of the first command. */
  async warmUp(): Promise<Hello> {
    try {
      return await this.#connect().hello;
    } catch (cause) {
      throw new HardshellError('runner-lost', (cause as Error).message, { cause });
    }
  }

  async guarantees(): Promise<readonly Guarantee[]> {
    const { cgroup } = await this.warmUp();
    const missing = cgroup === null ? 'this user cannot create a cgroup folder; polled instead' : null;
    const delegated = (name: string) =>
      missing ?? `the ${name} controller of cgroup v2 is not delegated to this user; polled instead`;
    const held = (name: string): Guarantee => ({ name, isHeld: true, why: null });
    const byCgroup = (name: string, feature: 'memory' | 'processes' | 'cpu'): Guarantee => {
      const isHeld = cgroup?.includes(feature) === true;
      return { name, isHeld, why: isHeld ? null : delegated(feature) };
    };
    return [
      held('whole-tree-ends'),
      held('ends-with-host'),
      held('background-survives-host'),
      held('output-survives-host'),
      held('real-pipes'),
      held('process-limits'),
      held('usage-measured'),
      byCgroup('hard-memory-limit', 'memory'),
      byCgroup('hard-process-limit', 'processes'),
      byCgroup('hard-cpu-limit', 'cpu'),
    ];
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    await connection?.close();
  }

  #connect(): KeeperConnection {
    if (this.#connection === null || this.#connection.isLost)
      this.#connection = new KeeperConnection(this.#path, this.#settings);
    return this.#connection;
  }
}
