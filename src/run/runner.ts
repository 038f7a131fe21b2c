// Selects the runner: the keeper if available, otherwise Node's own spawn, with the reason.

import { locateKeeper } from './keeper/binary.ts';
import { KeeperRunner } from './keeper/runner.ts';
import { NodeRunner } from './node-runner.ts';
import type { Runner } from './port.ts';

export type ChosenRunner =
  | { readonly kind: 'keeper'; readonly runner: Runner; readonly reason: null }
  | { readonly kind: 'node'; readonly runner: Runner; readonly reason: string };

/**
 * `nativeFolder`: where the keeper was built, if not in the package. `pool`: how many shells may wait for a command; default
 * none, because a process that runs one command needs none.
 */
export function chooseRunner({ nativeFolder, pool = 0 }: { nativeFolder?: string; pool?: number } = {}): ChosenRunner {
  const keeper = locateKeeper(nativeFolder);
  return keeper.isAvailable
    ? { kind: 'keeper', runner: new KeeperRunner(keeper.program, { pool }), reason: null }
    : { kind: 'node', runner: new NodeRunner(), reason: keeper.reason };
}
