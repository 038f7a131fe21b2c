// What confines here: found out once per tool, by doing, and kept.

import type { BackendFound } from '../../confine/backends/backend.ts';
import { KeeperBackend } from '../../confine/backends/keeper.ts';
import { diskFolders } from '../../confine/folders.ts';
import { probeConfinement } from '../../confine/probe.ts';
import type { BackendName } from '../../core/confinement.ts';
import { attemptConfinement } from '../../run/confinement-attempt.ts';
import type { Runner } from '../../run/port.ts';

export class Backends {
  readonly #runner: Runner;
  readonly #found = new Map<BackendName, Promise<BackendFound>>();

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  choose(name: BackendName): Promise<BackendFound> {
    let found = this.#found.get(name);
    if (found === undefined) {
      found = this.#find();
      this.#found.set(name, found);
      // A runner that was lost meanwhile says nothing about the machine.
      found.catch(() => this.#found.delete(name));
    }
    return found;
  }

  async #find(): Promise<BackendFound> {
    const probe = await probeConfinement(attemptConfinement(this.#runner));
    if (probe.tier === 'none') return { isAvailable: false, why: probe.why ?? 'the kernel cannot confine' };
    return { isAvailable: true, backend: new KeeperBackend(probe, diskFolders) };
  }
}
