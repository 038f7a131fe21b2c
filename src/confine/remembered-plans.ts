// Plans that were made before: the same policy has the same plan until something that the plan has seen on the disk changes.

import type { KernelSupport } from './kernel-support.ts';
import { type ConfinementPlan, type ConfinementPolicy, plan } from './plan.ts';
import type { FolderReader, ObservedDisk } from './reading.ts';

/** A session has few policies: for commands that read, that write, and with ports. */
const MAX_PLANS = 16;

export function rememberPlans(
  probe: KernelSupport,
  folders: FolderReader,
): (policy: ConfinementPolicy) => ConfinementPlan {
  const known = new Map<string, { readonly plan: ConfinementPlan; readonly disk: ObservedDisk }>();
  return (policy) => {
    const disk = folders.observe?.();
    if (disk === undefined) return plan(policy, probe, folders);
    const key = JSON.stringify(policy);
    const found = known.get(key);
    // The one that was not used for the longest time comes first.
    known.delete(key);
    const latest = found?.disk.isSame() === true ? found : { plan: plan(policy, probe, disk.folders), disk };
    known.set(key, latest);
    for (const oldest of known.keys()) if (known.size > MAX_PLANS) known.delete(oldest);
    return latest.plan;
  };
}
