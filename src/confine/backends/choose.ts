// Which backend to use: determined by trying, with the reason for each that does not work. Windows has none.
// `auto` takes the strongest available, and for one policy the strongest that supports everything it allows.

import { describeEnforcement } from '../enforcement.ts';
import { findKernelSupport, type KernelSupport } from '../kernel-support.ts';
import type { ConfinementPolicy } from '../plan.ts';
import type { AttemptConfinement } from '../port.ts';
import type { FolderReader } from '../reading.ts';
import type { BackendAvailability, BackendName, BackendPlan, ConfineBackend, TryLaunch } from './backend.ts';
import { findBubblewrap } from './bubblewrap.ts';
import { KeeperBackend } from './keeper.ts';
import { findSeatbelt } from './seatbelt.ts';

export interface BackendChoice {
  readonly platform: NodeJS.Platform;
  readonly wanted: BackendName | 'auto';
  readonly folders: FolderReader;
  /** For filters of system calls, see BubblewrapOptions. */
  readonly privateFolder: string;
  /** From the keeper; null if it is not available, with the reason. */
  readonly attemptByKeeper: AttemptConfinement | { readonly why: string };
  readonly tryLaunch: TryLaunch;
  /** Whether the runner that will be used is the keeper, see BubblewrapOptions. */
  readonly endsTree: boolean;
}

export interface BackendAttempt {
  readonly name: BackendName;
  /** Null if it works. */
  readonly why: string | null;
}

export interface BackendSearch {
  /** The one to use, or why there is none: a sentence with what to do. */
  readonly found: BackendAvailability;
  /** In the order in which they were tried. */
  readonly tried: readonly BackendAttempt[];
}

const PLATFORM_OF: Readonly<Record<BackendName, { platform: NodeJS.Platform; needs: string }>> = {
  keeper: { platform: 'linux', needs: 'the keeper confines by Landlock and namespaces, which need Linux' },
  bubblewrap: { platform: 'linux', needs: 'bubblewrap needs Linux' },
  seatbelt: { platform: 'darwin', needs: 'Seatbelt needs macOS' },
};

/** A backend that uses the first one that supports everything in a policy, else the first that can enforce it. */
class Either implements ConfineBackend {
  readonly name: BackendName;
  readonly proxy: ConfineBackend['proxy'];
  readonly #first: ConfineBackend;
  readonly #second: ConfineBackend;

  constructor(first: ConfineBackend, second: ConfineBackend) {
    this.#first = first;
    this.#second = second;
    this.name = first.name;
    // A backend that cannot connect to a proxy blocks that traffic, reports it, and is not used for such a policy.
    this.proxy = first.proxy === 'none' ? second.proxy : first.proxy;
  }

  plan(policy: ConfinementPolicy): BackendPlan {
    const planned = this.#first.plan(policy);
    if (planned.kind === 'unconfined' || (planned.kind === 'confined' && planned.cannot.length === 0)) return planned;
    const other = this.#second.plan(policy);
    return other.kind === 'confined' || planned.kind === 'impossible' ? other : planned;
  }
}

class Search {
  readonly tried: BackendAttempt[] = [];
  readonly #choice: BackendChoice;

  constructor(choice: BackendChoice) {
    this.#choice = choice;
  }

  async keeper(): Promise<{ backend: ConfineBackend; probe: KernelSupport } | null> {
    const { attemptByKeeper, folders } = this.#choice;
    if (typeof attemptByKeeper !== 'function') return this.#note('keeper', attemptByKeeper.why);
    const probe = await findKernelSupport(attemptByKeeper);
    if (probe.tier === 'none') return this.#note('keeper', probe.why ?? 'the kernel cannot confine');
    this.#note('keeper', null);
    return { backend: new KeeperBackend(probe, folders), probe };
  }

  async other(name: 'bubblewrap' | 'seatbelt'): Promise<ConfineBackend | null> {
    const { folders, privateFolder, endsTree, tryLaunch } = this.#choice;
    const found =
      name === 'seatbelt'
        ? await findSeatbelt(folders, tryLaunch)
        : await findBubblewrap({ folders, privateFolder, endsTree }, tryLaunch);
    if (!found.isAvailable) return this.#note(name, found.why);
    this.#note(name, null);
    return found.backend;
  }

  #note(name: BackendName, why: string | null): null {
    this.tried.push({ name, why });
    return null;
  }

  whyNone(): string {
    return this.tried.map(({ name, why }) => `${name}: ${why}`).join('; ');
  }
}

async function searchOn(
  platform: NodeJS.Platform,
  wanted: BackendName | 'auto',
  search: Search,
): Promise<ConfineBackend | null> {
  if (wanted !== 'auto') return wanted === 'keeper' ? ((await search.keeper())?.backend ?? null) : search.other(wanted);
  if (platform === 'darwin') return search.other('seatbelt');
  const keeper = await search.keeper();
  if (keeper?.probe.tier === 'namespaces') return keeper.backend;
  // Where the kernel reserves namespaces for bubblewrap, its mounts enforce what Landlock cannot; but it has no port lists.
  const bubblewrap = await search.other('bubblewrap');
  if (bubblewrap === null || keeper === null) return bubblewrap ?? keeper?.backend ?? null;
  return new Either(bubblewrap, keeper.backend);
}

export async function chooseBackend(choice: BackendChoice): Promise<BackendSearch> {
  const { platform, wanted } = choice;
  const none = (why: string, tried: readonly BackendAttempt[] = []): BackendSearch => ({
    found: { isAvailable: false, why },
    tried,
  });
  if (platform !== 'linux' && platform !== 'darwin')
    return none(
      `Commands cannot be confined on ${platform === 'win32' ? 'Windows' : platform}: use WSL or a container, or choose the sandbox unrestricted.`,
    );
  if (wanted !== 'auto' && PLATFORM_OF[wanted].platform !== platform)
    return none(`${PLATFORM_OF[wanted].needs}; choose "auto" as the backend.`, [
      { name: wanted, why: PLATFORM_OF[wanted].needs },
    ]);
  const search = new Search(choice);
  const backend = await searchOn(platform, wanted, search);
  return backend === null
    ? none(search.whyNone(), search.tried)
    : { found: { isAvailable: true, backend }, tried: search.tried };
}

/** The plan for a machine without any backend: nothing runs, unless the policy asks for no confinement. */
export function planWithoutBackend(policy: ConfinementPolicy, why: string): BackendPlan {
  if (policy.name === 'unrestricted') {
    const enforcement = describeEnforcement('none', [], [], 'the policy asks for no confinement');
    return { kind: 'unconfined', backend: 'none', enforcement };
  }
  return { kind: 'impossible', backend: 'none', why, enforcement: describeEnforcement('none', [], [], why) };
}
