// What this machine can confine: found by doing it to a command that does nothing, tier by tier, never by a version.

import type { AttemptConfinement, ConfineAttempt, ConfinementSpec, ConfineReport, ConfineStep } from './port.ts';

export interface ConfineProbe {
  readonly tier: 'namespaces' | 'landlock' | 'none';
  /** Steps that this machine lacks in that tier. */
  readonly missing: ConfineReport['missing'];
  /** Why a better tier cannot be had; null in the best one. */
  readonly why: string | null;
  /**
   * What the kernel said when the supervisor was to make connections for the command, which needs `pidfd_getfd` and
   * `process_vm_readv`. Absent where it can. Never optional: without it, nothing that needs it runs.
   */
  readonly withoutBroker?: string;
}

/** Steps whose absence leaves a confinement that is worth having; the result says what it lacks. */
const NAMESPACES_OPTIONAL: readonly ConfineStep[] = [
  'proc',
  'terminals',
  'loopback',
  'files',
  'refer',
  'truncate',
  'device-ioctl',
  'scope',
];
const LANDLOCK_OPTIONAL: readonly ConfineStep[] = ['refer', 'truncate', 'device-ioctl', 'scope'];

const base = { paths: [], reads: 'all', unixSockets: 'pairs' } as const;
const inNamespaces: ConfinementSpec = { ...base, tier: 'namespaces', network: 'own', optional: NAMESPACES_OPTIONAL };
const byLandlock: ConfinementSpec = { ...base, tier: 'landlock', network: 'none', optional: LANDLOCK_OPTIONAL };

/** As every command that has a proxy; nothing listens on port 1. */
const listed: ConfinementSpec = { ...byLandlock, network: 'listed', proxyPort: 1 };

function refusal(attempt: ConfineAttempt): string | null {
  return 'failed' in attempt ? `${attempt.failed}: ${attempt.error}` : null;
}

export async function probeConfinement(
  attempt: AttemptConfinement,
  { allowNamespaces = true }: { allowNamespaces?: boolean } = {},
): Promise<ConfineProbe> {
  let why = 'namespaces were not allowed';
  if (allowNamespaces) {
    const full = await attempt(inNamespaces);
    if (!('failed' in full)) return { tier: 'namespaces', missing: full.missing, why: null };
    why = `the kernel refused namespaces (${refusal(full)})`;
  }
  const plain = await attempt(byLandlock);
  if (!('failed' in plain)) {
    // With namespaces the proxy needs none.
    const withoutBroker = refusal(await attempt(listed));
    return { tier: 'landlock', missing: plain.missing, why, ...(withoutBroker === null ? {} : { withoutBroker }) };
  }
  return { tier: 'none', missing: [], why: `${why}, and Landlock with a filter of system calls (${refusal(plain)})` };
}
