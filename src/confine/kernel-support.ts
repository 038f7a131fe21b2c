// What this machine can enforce: determined by confining a command that does nothing, tier by tier, never by a version.

import type { AttemptConfinement, ConfineAttempt, ConfinementSpec, ConfineReport, ConfineStep } from './port.ts';

export interface KernelSupport {
  readonly tier: 'namespaces' | 'landlock' | 'none';
  /** Steps that this machine lacks in that tier. */
  readonly missing: ConfineReport['missing'];
  /** Why a better tier is not available; null in the best one. */
  readonly why: string | null;
  /**
   * The error of the kernel when the supervisor tried to make connections for the command, which needs `pidfd_getfd` and
   * `process_vm_readv`. Absent if it works. Never optional: without it, nothing that needs it runs.
   */
  readonly withoutBroker?: string;
  /** Folders can be seen through overlays. */
  readonly hasOverlays?: true;
  /** What the kernel said when the supervisor was to report refusals. Absent where it can. */
  readonly withoutReports?: string;
  /** In namespaces, commands can use unix sockets of their own: the supervisor can tell them from those of the host. */
  readonly hasOwnSockets?: true;
}

/** Steps without which a confinement is still useful; the result reports what is missing. */
const NAMESPACES_OPTIONAL: readonly ConfineStep[] = [
  'proc',
  'terminals',
  'loopback',
  'files',
  'refer',
  'truncate',
  'device-ioctl',
  'scope',
  'overlays',
];
const LANDLOCK_OPTIONAL: readonly ConfineStep[] = ['refer', 'truncate', 'device-ioctl', 'scope'];

const base = { paths: [], reads: 'all', unixSockets: 'pairs' } as const;
/** Rarely has mounts below it, over which there can be no overlay. */
const TRIED = '/dev/shm';
const inNamespaces: ConfinementSpec = {
  ...base,
  tier: 'namespaces',
  network: 'own',
  optional: NAMESPACES_OPTIONAL,
  paths: [{ kind: 'overlay', path: TRIED }],
  covered: [`${TRIED}/hardshell`],
};
const byLandlock: ConfinementSpec = { ...base, tier: 'landlock', network: 'none', optional: LANDLOCK_OPTIONAL };

/** Like every command that has a proxy; nothing listens on port 1. */
const listed: ConfinementSpec = { ...byLandlock, network: 'listed', proxyPort: 1 };

function refusal(attempt: ConfineAttempt): string | null {
  return 'failed' in attempt ? `${attempt.failed}: ${attempt.error}` : null;
}

type Reporting = ConfineAttempt & { readonly withoutReports?: string };

/** Only one filter of a process can have somebody who is asked: inside of another sandbox that has one, ours reports nothing. */
async function attemptReporting(attempt: AttemptConfinement, spec: ConfinementSpec): Promise<Reporting> {
  const reporting = await attempt({ ...spec, reports: 'all' });
  const withoutReports = refusal(reporting);
  return withoutReports === null ? reporting : { ...(await attempt(spec)), withoutReports };
}

function lackOf({ withoutReports }: Reporting): Pick<KernelSupport, 'withoutReports'> {
  return withoutReports === undefined ? {} : { withoutReports };
}

function inside({ missing, held }: ConfineReport): KernelSupport {
  return { tier: 'namespaces', missing, why: null, ...(held.includes('overlays') && { hasOverlays: true }) };
}

export async function findKernelSupport(
  attempt: AttemptConfinement,
  { allowNamespaces = true }: { allowNamespaces?: boolean } = {},
): Promise<KernelSupport> {
  let why = 'namespaces were not allowed';
  if (allowNamespaces) {
    const complete = await attempt({ ...inNamespaces, unixSockets: 'own', reports: 'all' });
    if (!('failed' in complete)) return { ...inside(complete), hasOwnSockets: true };
    const full = await attemptReporting(attempt, inNamespaces);
    if (!('failed' in full)) return { ...inside(full), ...lackOf(full) };
    why = `the kernel refused namespaces (${refusal(full)})`;
  }
  const plain = await attemptReporting(attempt, byLandlock);
  if (!('failed' in plain)) {
    // With namespaces the proxy does not need it.
    const withoutBroker = refusal(await attempt(listed));
    const lacks = { ...lackOf(plain), ...(withoutBroker === null ? {} : { withoutBroker }) };
    return { tier: 'landlock', missing: plain.missing, why, ...lacks };
  }
  return { tier: 'none', missing: [], why: `${why}, and Landlock with a system call filter (${refusal(plain)})` };
}
