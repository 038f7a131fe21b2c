// The runner of a shell tool, and the sandbox backends that it can use: chosen with the first command.

import type { Runner } from '../run/port.ts';
import { chooseRunner } from '../run/runner.ts';
import { Backends } from '../sandbox/backends.ts';
import type { Terms } from '../terms/terms.ts';
import type { ShellSetup } from './shell-options.ts';

export interface ChosenRunner {
  readonly runner: Runner;
  readonly backends: Backends;
  readonly canDetach: () => Promise<boolean>;
}

/** One for the next command, one for a second session or a parallel command. */
const WAITING_SHELLS = 2;

export class LazyRunner {
  readonly #setup: Pick<ShellSetup, 'runner' | 'pool'>;
  #chosen: ChosenRunner | null = null;

  constructor(setup: Pick<ShellSetup, 'runner' | 'pool'>) {
    this.#setup = setup;
  }

  choose({ waitingShells }: Pick<Terms, 'waitingShells'>): ChosenRunner {
    if (this.#chosen === null) {
      const pool = this.#setup.pool ?? waitingShells ?? WAITING_SHELLS;
      const runner = this.#setup.runner ?? chooseRunner({ pool }).runner;
      const canDetach = async () =>
        (await runner.guarantees()).some(({ name, isHeld }) => name === 'background-survives-host' && isHeld);
      this.#chosen = { runner, backends: new Backends(runner), canDetach };
    }
    return this.#chosen;
  }

  async close(): Promise<void> {
    await this.#chosen?.runner.close();
  }
}
