// Whether changes of commands in this folder can be staged: a command that does nothing is started over it.

import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckFinding } from '../confine/doctor/diagnosis.ts';
import type { KernelSupport } from '../confine/kernel-support.ts';
import type { AttemptConfinement } from '../confine/port.ts';
import type { StagingMode } from '../core/staging.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import { describeError } from '../core/values/error-text.ts';
import { explainUnstaged } from '../sandbox/staging.ts';
import { discardStage, makeStage, makeStagesFolder } from '../stage/store.ts';

export async function checkStaging(
  attempt: AttemptConfinement,
  probe: KernelSupport,
  { cwd, staging }: { readonly cwd: string; readonly staging: StagingMode },
): Promise<CheckFinding> {
  const base = { name: 'staging', details: [], fixes: [] } as const;
  const why = await whyNot(attempt, probe, cwd);
  const set = staging === 'off' ? '; it is off in the settings' : ` (staging: ${staging})`;
  if (why === null) return { ...base, state: 'good', says: `changes of commands in this folder can be undone${set}` };
  const effect = staging === 'review' ? 'commands that change files are refused' : 'they cannot be undone';
  return staging === 'off'
    ? { ...base, state: 'note', says: `${why}${set}` }
    : { ...base, state: 'weaker', says: `${why}: ${effect}`, fixes: ['Set staging to off for this folder.'] };
}

async function whyNot(attempt: AttemptConfinement, probe: KernelSupport, cwd: string): Promise<string | null> {
  if (probe.tier !== 'namespaces') return 'changes cannot be staged without mounts';
  try {
    const root = realpathSync(cwd);
    const stages = realpathSync(makeStagesFolder());
    if (isAtOrBelow(stages, root)) return "changes cannot be staged in a folder that contains hardshell's own files";
    return await tryStage(attempt, probe, root, stages);
  } catch (error) {
    return `changes cannot be staged: ${describeError(error)}`;
  }
}

async function tryStage(
  attempt: AttemptConfinement,
  { missing }: KernelSupport,
  root: string,
  stages: string,
): Promise<string | null> {
  const id = `doctor-${randomBytes(4).toString('hex')}`;
  const folder = join(stages, id);
  const meta = { id, command: 'true', cwd: root, session: null, startedAt: Date.now() } as const;
  makeStage(folder, { ...meta, mode: 'apply', roots: [root] });
  try {
    const answer = await attempt({
      tier: 'namespaces',
      reads: 'all',
      network: 'own',
      unixSockets: 'pairs',
      paths: [{ kind: 'staged', path: root, from: join(folder, '0') }],
      stage: { folder, mode: 'apply', guarded: [] },
      optional: missing.map(({ step }) => step),
    });
    return 'failed' in answer ? explainUnstaged(answer.error) : null;
  } finally {
    // The keeper has removed it, because nothing was changed.
    discardStage(folder);
  }
}
