// Seatbelt, built into macOS: policy → a request that starts `sandbox-exec -p PROFILE … program argv`, for any runner.
// NOT run on macOS so far: the profile is tested as text, and a start under it is tried before it is trusted.

import { basename, dirname, join } from 'node:path';
import { type Enforcement, GUARANTEES, type MissingGuarantee } from '../../core/confinement.ts';
import { HardshellError } from '../../core/errors.ts';
import { isBelow } from '../../core/values/containment.ts';
import { describeEnforcement } from '../enforcement.ts';
import { type ConfinementPolicy, plan, UNCHECKED_STATE } from '../plan.ts';
import type { ConfinementSpec } from '../port.ts';
import type { FolderReader } from '../reading.ts';
import type { BackendAvailability, BackendPlan, ConfineBackend, Launch, TryLaunch } from './backend.ts';
import { type SeatbeltProfile, type SeatbeltWishes, seatbeltProfile } from './seatbelt-profile.ts';

const PROGRAM = '/usr/bin/sandbox-exec';

/** Rules use paths, so that missing ones can be covered too: links are followed as far as the path exists. */
function withAbsent(folders: FolderReader): FolderReader {
  const realPath = (path: string): string => {
    const found = folders.realPath(path);
    if (found !== null || dirname(path) === path) return found ?? path;
    return join(realPath(dirname(path)), basename(path));
  };
  return { realPath, list: (path) => folders.list(path) };
}

function pathsOf({ paths }: ConfinementSpec, kind: string): string[] {
  return paths.filter((item) => item.kind === kind).map(({ path }) => path);
}

function wishesOf(policy: ConfinementPolicy, spec: ConfinementSpec, folders: FolderReader): SeatbeltWishes {
  const { network, proxyPort, hostPorts = [], publishPorts = [], unixSockets, unixPaths = [] } = policy;
  const temporary = spec.paths.flatMap((item) => (item.kind === 'bind' ? [item.from] : []));
  const exists = (path: string) => folders.realPath(path) !== null;
  const hidden = pathsOf(spec, 'mask');
  return {
    writable: [...new Set([...pathsOf(spec, 'write'), ...temporary])].filter(exists),
    fixed: pathsOf(spec, 'read-only'),
    hidden,
    shown: pathsOf(spec, 'read-only').filter((path) => hidden.some((place) => isBelow(path, place))),
    network: network === 'host' ? 'host' : 'none',
    ...(policy.connectPorts !== undefined && { connectPorts: policy.connectPorts }),
    ...(policy.bindPorts !== undefined && { bindPorts: policy.bindPorts }),
    loopbackPorts: [...(proxyPort === undefined ? [] : [proxyPort]), ...hostPorts],
    publishPorts,
    unixSockets: unixSockets === 'any' ? 'any' : unixPaths.map((path) => withAbsent(folders).realPath(path) ?? path),
  };
}

function enforcementBy(planned: Enforcement, policy: ConfinementPolicy): Enforcement {
  const missing: MissingGuarantee[] = [
    ...planned.missing,
    ...(policy.name === 'workspace' ? [UNCHECKED_STATE] : []),
    { guarantee: 'processes-unseen', why: 'Seatbelt does not hide the list of processes' },
    { guarantee: 'shared-ipc', why: 'named semaphores of other programs can be opened' },
    { guarantee: 'kernel-surface', why: 'Seatbelt filters no system calls for third-party programs' },
  ];
  const gone = new Set(missing.map(({ guarantee }) => guarantee));
  return { tier: 'seatbelt', held: GUARANTEES.filter((guarantee) => !gone.has(guarantee)), missing, reported: [] };
}

function wrap<T extends Launch>(request: T, { text, parameters }: SeatbeltProfile, temporary: string | null): T {
  if (request.program.startsWith('-'))
    throw new HardshellError('cannot-start', `${request.program} looks like an option: use the path of the program`);
  const [, ...words] = request.argv;
  const values = [...parameters].flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  const argv = ['sandbox-exec', '-p', text, ...values, request.program, ...words];
  const env = temporary === null ? request.env : { ...request.env, TMPDIR: temporary };
  return { ...request, program: PROGRAM, argv, env };
}

export class SeatbeltBackend implements ConfineBackend {
  readonly name = 'seatbelt';
  /** There is only the loopback of the machine. */
  readonly proxy = 'port';
  readonly #folders: FolderReader;

  constructor(folders: FolderReader) {
    this.#folders = folders;
  }

  plan(policy: ConfinementPolicy): BackendPlan {
    const planned = plan(
      policy,
      { tier: 'namespaces', missing: [], why: null, withoutReports: 'seatbelt' },
      withAbsent(this.#folders),
    );
    if (planned.kind === 'unconfined') return { ...planned, backend: 'none' };
    if (planned.kind === 'impossible')
      return { ...planned, backend: this.name, enforcement: describeEnforcement('none', [], [], planned.why) };
    const profile = seatbeltProfile(wishesOf(policy, planned.spec, this.#folders));
    const temporary = policy.temporary === undefined ? null : this.#folders.realPath(policy.temporary);
    const isShut = policy.network !== 'host' && (policy.publishPorts ?? []).length === 0;
    return {
      kind: 'confined',
      backend: this.name,
      enforcement: enforcementBy(planned.enforcement, policy),
      cannot: [
        ...(isShut ? ['No server can be started: commands have no separate loopback on this system.'] : []),
        ...(temporary === null ? ['No temporary folder is available.'] : []),
      ],
      apply: (request) => wrap(request, profile, temporary),
    };
  }
}

/** A start that does nothing must work, and a forbidden write must fail. */
export async function findSeatbelt(folders: FolderReader, attempt: TryLaunch): Promise<BackendAvailability> {
  const backend = new SeatbeltBackend(folders);
  const planned = backend.plan({ name: 'restricted' });
  if (planned.kind !== 'confined') return { isAvailable: false, why: `Seatbelt: the plan is ${planned.kind}` };
  const start = (script: string) =>
    attempt(
      planned.apply({ program: '/bin/sh', argv: ['sh', '-c', script], cwd: '/', env: { PATH: '/usr/bin:/bin' } }),
    );
  const nothing = await start(':');
  if (nothing.exitCode !== 0)
    return { isAvailable: false, why: `${PROGRAM} does not work here: ${nothing.text.trim()}` };
  const written = await start('f=/private/tmp/hardshell-probe-$$; : > $f && rm $f');
  if (written.exitCode === 0) return { isAvailable: false, why: `${PROGRAM} runs commands, but does not confine them` };
  return { isAvailable: true, backend };
}
