// Plans that were made before: the same policy has the same plan until something that the plan has seen on the disk changes.
// The stage of each command has a folder of its own: only its place in the plan differs.

import { dirname } from 'node:path';
import type { KernelSupport } from './kernel-support.ts';
import { type ConfinementPlan, type ConfinementPolicy, plan } from './plan.ts';
import type { FolderReader, ObservedDisk } from './reading.ts';
import { stageIn } from './staged-roots.ts';

/** A session has few policies: for commands that read, that write, and with ports. */
const MAX_PLANS = 16;

interface KnownPlan {
  readonly plan: ConfinementPlan;
  readonly disk: ObservedDisk;
}

export function rememberPlans(
  probe: KernelSupport,
  folders: FolderReader,
): (policy: ConfinementPolicy) => ConfinementPlan {
  const known = new Map<string, KnownPlan>();
  return (policy) => {
    if (folders.observe === undefined) return plan(policy, probe, folders);
    const key = keyOf(policy);
    const found = known.get(key);
    // The one that was not used for the longest time comes first.
    known.delete(key);
    const latest = found?.disk.isSame() === true ? found : makePlan(policy, folders.observe());
    known.set(key, latest);
    for (const oldest of known.keys()) if (known.size > MAX_PLANS) known.delete(oldest);
    return latest === found ? inStage(found.plan, policy) : latest.plan;
  };

  function makePlan(policy: ConfinementPolicy, disk: ObservedDisk): KnownPlan {
    return { plan: plan(policy, probe, disk.folders), disk };
  }
}

function keyOf({ stage, ...policy }: ConfinementPolicy): string {
  return JSON.stringify(
    stage === undefined ? policy : { ...policy, stage: { ...stage, folder: dirname(stage.folder) } },
  );
}

function inStage(known: ConfinementPlan, { stage }: ConfinementPolicy): ConfinementPlan {
  if (stage === undefined || known.kind !== 'confined') return known;
  return { ...known, spec: stageIn(stage.folder, known.spec) };
}
