// The backend that confines commands here: detected once per tool and setting by using it, then cached.

import { tryLaunch } from '../confine/backends/attempt.ts';
import type { BackendAvailability } from '../confine/backends/backend.ts';
import { chooseBackend } from '../confine/backends/choose.ts';
import { KeeperBackend } from '../confine/backends/keeper.ts';
import { diskFolders } from '../confine/folders.ts';
import { findKernelSupport } from '../confine/kernel-support.ts';
import type { BackendName } from '../core/confinement.ts';
import { makeTemporaryFolder } from '../local/state-folders.ts';
import { attemptConfinement } from '../run/confinement-attempt.ts';
import type { Runner } from '../run/port.ts';

export class Backends {
  readonly #runner: Runner;
  readonly #found = new Map<BackendName, Promise<BackendAvailability>>();

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  choose(name: BackendName): Promise<BackendAvailability> {
    let found = this.#found.get(name);
    if (found === undefined) {
      found = this.#find(name);
      this.#found.set(name, found);
      // A runner that was lost in the meantime says nothing about the machine.
      found.catch(() => this.#found.delete(name));
    }
    return found;
  }

  async #find(wanted: BackendName): Promise<BackendAvailability> {
    const guarantees = await this.#runner.guarantees();
    const isKeeper = guarantees.some(({ name, isHeld }) => name === 'whole-tree-ends' && isHeld);
    const why = 'the keeper, which confines commands, is missing; `hardshell doctor` says why';
    const missing = isKeeper ? {} : { dependency: 'the keeper' };
    if (wanted === 'landlock') return isKeeper ? this.#findLandlock() : { isAvailable: false, why, ...missing };
    const { found } = await chooseBackend({
      platform: process.platform,
      wanted,
      folders: diskFolders,
      privateFolder: makeTemporaryFolder(),
      attemptByKeeper: isKeeper ? attemptConfinement(this.#runner) : { why },
      tryLaunch,
      endsTree: isKeeper,
    });
    return found.isAvailable ? found : { ...found, ...missing };
  }

  async #findLandlock(): Promise<BackendAvailability> {
    const probe = await findKernelSupport(attemptConfinement(this.#runner), { allowNamespaces: false });
    if (probe.tier === 'none') return { isAvailable: false, why: probe.why ?? 'the kernel has no Landlock' };
    return { isAvailable: true, backend: new KeeperBackend(probe, diskFolders) };
  }
}
