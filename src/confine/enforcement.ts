// Which guarantees hold: those of the tier, minus failed steps of the kernel and what the plan could not request.

import { type ConfineGuarantee, type Enforcement, GUARANTEES, type MissingGuarantee } from '../core/confinement.ts';
import type { ConfineReport, ConfineStep } from './port.ts';

interface Loss {
  readonly guarantee: ConfineGuarantee;
  readonly why: string;
}

/** What is lost without a step. In namespaces, mounts still enforce much of what Landlock would. */
const LOSSES: Readonly<Record<'namespaces' | 'landlock', Partial<Record<ConfineStep, readonly Loss[]>>>> = {
  namespaces: {
    proc: [{ guarantee: 'processes-unseen', why: 'a separate /proc could not be mounted' }],
    terminals: [{ guarantee: 'terminals', why: 'separate terminals could not be mounted' }],
    files: [{ guarantee: 'devices', why: 'without Landlock, device files of the user can be opened' }],
  },
  landlock: {
    truncate: [
      { guarantee: 'writes-outside', why: 'this kernel does not prevent truncating files (Landlock below 3)' },
    ],
    'device-ioctl': [{ guarantee: 'devices', why: 'this kernel does not check device controls (Landlock below 5)' }],
    scope: [{ guarantee: 'signals-outside', why: 'this kernel does not block signals (Landlock below 6)' }],
  },
};

/** Guarantees lost during the run do not count as held. */
export function withLosses(enforcement: Enforcement, lost: readonly MissingGuarantee[]): Enforcement {
  if (lost.length === 0) return enforcement;
  const gone = new Set(lost.map(({ guarantee }) => guarantee));
  const held = enforcement.held.filter((guarantee) => !gone.has(guarantee));
  return { ...enforcement, held, missing: [...enforcement.missing, ...lost] };
}

export function describeEnforcement(
  tier: Enforcement['tier'],
  missingSteps: ConfineReport['missing'],
  missingByPlan: readonly MissingGuarantee[],
  whyNone: string | null,
): Enforcement {
  if (tier === 'none') {
    const why = whyNone ?? 'nothing is confined';
    return { tier, held: [], missing: GUARANTEES.map((guarantee) => ({ guarantee, why })), reported: [] };
  }
  const losses: Partial<Record<ConfineStep, readonly Loss[]>> =
    tier === 'namespaces' || tier === 'landlock' ? LOSSES[tier] : {};
  const lost = missingSteps.flatMap(({ step, error }) =>
    (losses[step] ?? []).map(({ guarantee, why }) => ({ guarantee, why: `${why}: ${error}` })),
  );
  const missing = [...missingByPlan, ...lost];
  const gone = new Set(missing.map(({ guarantee }) => guarantee));
  return { tier, held: GUARANTEES.filter((guarantee) => !gone.has(guarantee)), missing, reported: [] };
}
