// Commands of this process that somebody waits for → seen, followed and ended by other processes of the user.
// Nothing is opened before a command has run for a moment, nothing is written, and nothing stays when none runs.

import type { KeptOutput } from '../../run/output.ts';
import type { RunHandle, RunStarted } from '../../run/port.ts';
import type { ListeningSocket } from '../../sockets/listening.ts';
import type { TaskFields } from '../registry.ts';

/** What ends sooner is over before anybody could look. */
const SHOWN_AFTER_MS = 250;
/** A follower that does not read must not keep the result from whoever waits for it. */
const PARTING_MS = 300;

export interface ShownCommand {
  readonly fields: TaskFields;
  readonly pid: number;
  readonly startedAt: number;
  /** All of it once the command has ended. */
  peek(): Promise<{ readonly output: KeptOutput; readonly hasEnded: boolean }>;
  /** Resolves when the command has ended, or when the time is over. */
  wait(timeoutMs: number): Promise<void>;
  /** Ends the whole tree, by the one who started it; false when it had ended already. */
  stop(): boolean;
  /** The last output is waited with until this has settled. */
  hold(follower: Promise<void>): void;
}

export interface Showing {
  /** Somebody in another process wanted its end. */
  readonly isStopped: boolean;
  /** With its output when it has ended. Resolves when its followers have had the last of it, or their time is over. */
  end(output: KeptOutput | null): Promise<void> | undefined;
}

export class ForegroundBoard {
  readonly #commands = new Map<string, Command>();
  #opening: Promise<ListeningSocket | null> | null = null;

  show(fields: TaskFields, { pid, startedAtMs }: RunStarted, handle: RunHandle): Showing {
    const command = new Command(fields, pid, startedAtMs, handle);
    const timer = setTimeout(() => this.#add(command), SHOWN_AFTER_MS);
    return {
      get isStopped() {
        return command.isStopped;
      },
      end: (output) => {
        clearTimeout(timer);
        if (this.#commands.get(fields.id) !== command) return;
        const parting = command.end(output);
        if (parting === undefined) return this.#remove(command);
        return parting.then(() => this.#remove(command));
      },
    };
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = null;
    await (await opening)?.close();
  }

  #add(command: Command): void {
    this.#commands.set(command.fields.id, command);
    // Where there is no private folder nobody can look; that is no reason to hold up a command.
    this.#opening ??= open(this.#commands).catch(() => null);
  }

  #remove(command: Command): undefined {
    this.#commands.delete(command.fields.id);
    if (this.#commands.size === 0) this.close().catch(() => {});
  }
}

/** Loaded when it is needed: a short command needs no sockets. */
async function open(commands: ReadonlyMap<string, ShownCommand>): Promise<ListeningSocket> {
  const { serveForeground } = await import('./serving.ts');
  return serveForeground(commands);
}

class Command implements ShownCommand {
  readonly fields: TaskFields;
  readonly pid: number;
  readonly startedAt: number;
  readonly #handle: RunHandle;
  readonly #followers = new Set<Promise<void>>();
  readonly #waiting = new Set<() => void>();
  #final: KeptOutput | null = null;
  #hasEnded = false;
  isStopped = false;

  constructor(fields: TaskFields, pid: number, startedAt: number, handle: RunHandle) {
    this.fields = fields;
    this.pid = pid;
    this.startedAt = startedAt;
    this.#handle = handle;
  }

  async peek() {
    // In this order: what has ended before the look at its output gets no more of it.
    const hasEnded = this.#hasEnded;
    return { output: this.#final ?? (await this.#handle.peek()), hasEnded };
  }

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

  stop(): boolean {
    if (this.#hasEnded) return false;
    this.isStopped = true;
    this.#handle.kill();
    return true;
  }

  hold(follower: Promise<void>): void {
    const forget = (): void => void this.#followers.delete(held);
    const held: Promise<void> = follower.then(forget, forget);
    this.#followers.add(held);
  }

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
