// Commands of this process that somebody waits for → seen, followed and ended by other processes of the user.
// Nothing is opened before a command has run for a moment, nothing is written, and nothing stays when none runs.

import type { ListeningSocket } from '../../local/sockets/listening.ts';
import type { KeptOutput } from '../../run/output.ts';
import type { RunHandle, RunStarted } from '../../run/port.ts';
import type { TaskFields } from '../registry.ts';
import { ShownCommand } from './shown-command.ts';

/** What ends sooner is over before anybody could look. */
const SHOWN_AFTER_MS = 250;

export interface Registration {
  /** Somebody in another process wanted its end. */
  readonly isStopped: boolean;
  /** With its output when it has ended. Resolves when its followers have had the last of it, or their time is over. */
  end(output: KeptOutput | null): Promise<void> | undefined;
}

export class ForegroundRegistry {
  readonly #commands = new Map<string, ShownCommand>();
  #opening: Promise<ListeningSocket | null> | null = null;

  register(fields: TaskFields, { pid, startedAtMs }: RunStarted, handle: RunHandle): Registration {
    const command = new ShownCommand(fields, pid, startedAtMs, handle);
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

  #add(command: ShownCommand): void {
    this.#commands.set(command.fields.id, command);
    // Where there is no private folder nobody can look; that is no reason to hold up a command.
    this.#opening ??= open(this.#commands).catch(() => null);
  }

  #remove(command: ShownCommand): undefined {
    this.#commands.delete(command.fields.id);
    if (this.#commands.size === 0) this.close().catch(() => {});
  }
}

/** Loaded when it is needed: a short command needs no sockets. */
async function open(commands: ReadonlyMap<string, ShownCommand>): Promise<ListeningSocket> {
  const { serveForeground } = await import('./serving.ts');
  return serveForeground(commands);
}
