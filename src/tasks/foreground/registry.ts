// Foreground commands of this process → listed, followed and ended by other processes of the user.
// Nothing is opened before a command has run for a moment, nothing is written, and nothing stays when none runs.

import type { ListeningSocket } from '../../local/sockets/listening.ts';
import type { KeptOutput } from '../../run/output.ts';
import type { RunHandle, RunStarted } from '../../run/port.ts';
import type { TaskFields } from '../registry.ts';
import { ShownCommand } from './shown-command.ts';

/** A command that ends sooner is over before anyone could look. */
const SHOWN_AFTER_MS = 250;

export interface Registration {
  /** Another process asked to stop it. */
  readonly isStopped: boolean;
  /** Called with its output after it has ended. Resolves when its followers have read the rest, or after a timeout. */
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
    // Without a private folder it is not visible to others; that is no reason to delay a command.
    this.#opening ??= open(this.#commands).catch(() => null);
  }

  #remove(command: ShownCommand): undefined {
    this.#commands.delete(command.fields.id);
    if (this.#commands.size === 0) this.close().catch(() => {});
  }
}

/** Loaded on demand: a short command needs no sockets. */
async function open(commands: ReadonlyMap<string, ShownCommand>): Promise<ListeningSocket> {
  const { serveForeground } = await import('./serving.ts');
  return serveForeground(commands);
}
