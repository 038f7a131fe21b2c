// What confines commands here, and what prevents a stronger tier: the keeper, the tier, Landlock by feature, cgroups.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CheckFinding } from '../confine/doctor/diagnosis.ts';
import type { MachineFacts } from '../confine/doctor/machine.ts';
import {
  cgroupRemedies,
  installing,
  landlockRemedies,
  namespaceRemedies,
  stepRemedies,
} from '../confine/doctor/remedies.ts';
import { findKernelSupport, type KernelSupport } from '../confine/kernel-support.ts';
import type { AttemptConfinement, ConfineStep } from '../confine/port.ts';
import type { Tier } from '../core/confinement.ts';
import type { KeeperBinary } from '../run/keeper/binary.ts';
import type { Guarantee } from '../run/port.ts';

/** The source tree and the built one are at the same depth. */
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

export function checkSystem(machine: MachineFacts): CheckFinding {
  const { platform, arch, kernel, distribution, container } = machine;
  const base = { name: 'system', details: [], fixes: [] } as const;
  if (platform === 'darwin')
    return {
      ...base,
      state: 'weaker',
      says: `macOS (${arch}): the keeper needs Linux. Seatbelt confines commands if it is used, which is not tested here.`,
    };
  if (platform !== 'linux')
    return {
      ...base,
      state: 'weaker',
      says: `${platform === 'win32' ? 'Windows' : platform} (${arch}): no confinement available.`,
      fixes: platform === 'win32' ? ['Run hardshell inside WSL 2: everything below then works as on Linux.'] : [],
    };
  const where = container === null ? '' : `, in a container (${container})`;
  return { ...base, state: 'good', says: `${distribution ?? 'Linux'}, Linux ${kernel} (${arch})${where}` };
}

export function checkKeeper(
  machine: MachineFacts,
  keeper: KeeperBinary,
  failure: string | null,
  nativeFolder = join(PACKAGE, 'dist/native', `${machine.platform}-${machine.arch}`),
): CheckFinding {
  const base = { name: 'keeper', details: [] } as const;
  if (keeper.isAvailable && failure === null) {
    const how = readBuild(nativeFolder);
    return {
      ...base,
      state: 'good',
      says: `found, unchanged${how}; a verified copy of ${keeper.path} runs`,
      fixes: [],
    };
  }
  if (keeper.isAvailable)
    return {
      ...base,
      state: 'broken',
      says: `found, but it does not run: ${failure}`,
      fixes: [`Run it by hand: ${keeper.path}`],
    };
  if (machine.platform !== 'linux') return { ...base, state: 'note', says: keeper.reason, fixes: [] };
  const says = `missing: ${keeper.reason.replace(/:.*/, '')}`;
  return { ...base, state: 'weaker', says, fixes: buildRemedies(machine) };
}

function buildRemedies(machine: MachineFacts): string[] {
  if (!existsSync(join(PACKAGE, 'native/main.c')))
    return [
      'Install it again from its tarball: npm install --global --force ./hardshell-VERSION.tgz',
      `If it is missing after that, this package has none for ${machine.platform}-${machine.arch}: build it in a clone with \`npm run build\`.`,
    ];
  const hasCompiler = ['musl-gcc', 'cc'].some((name) => isInPath(name));
  return [...(hasCompiler ? [] : [installing(machine, 'compiler')]), `npm run build   (in ${PACKAGE})`];
}

function isInPath(name: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => folder !== '' && existsSync(join(folder, name)));
}

function readBuild(folder: string): string {
  try {
    const { compiler, flags } = JSON.parse(readFileSync(join(folder, 'keeper.json'), 'utf8'));
    return `, built by ${compiler}${flags.includes('-static') ? ' without libraries' : ''}`;
  } catch {
    return '';
  }
}

const FEATURES: readonly [ConfineStep, string][] = [
  ['files', 'files (1)'],
  ['refer', 'renames between folders (2)'],
  ['truncate', 'cutting files (3)'],
  ['ports', 'TCP ports (4)'],
  ['device-ioctl', 'device controls (5)'],
  ['scope', 'signals and abstract sockets (6)'],
];

/** Nothing is missing without these: the system call filter and the supervisor refuse the same. */
const ADDED: readonly [ConfineStep, string][] = [['socket-files', 'socket files (9)']];

/** `used`: the tier of a run, which may be that of another backend. */
export function checkTier(machine: MachineFacts, probe: KernelSupport, used: Tier): CheckFinding {
  // Missing Landlock features are reported by the Landlock check.
  const missing = probe.missing.filter(({ step }) => !FEATURES.some(([feature]) => feature === step));
  const details = missing.map(({ step, error }) => `without ${step} (${error})`);
  if (probe.tier === 'namespaces') {
    const hasLandlock = !probe.missing.some(({ step }) => step === 'files');
    return {
      name: 'tier',
      state: details.length === 0 && hasLandlock ? 'good' : 'weaker',
      says: hasLandlock
        ? `namespaces, Landlock and a system call filter${probe.missing.length === 0 ? ': the strongest' : ''}`
        : 'namespaces and a system call filter, without Landlock',
      details,
      fixes: missing.flatMap(({ step }) => stepRemedies(machine, step)),
    };
  }
  const otherwise = used === 'none' ? 'no confinement available here' : `${used}: the keeper cannot confine here`;
  return {
    name: 'tier',
    state: 'weaker',
    says: probe.tier === 'landlock' ? 'Landlock and a system call filter, without namespaces' : otherwise,
    details: [...(probe.why === null ? [] : [`because ${probe.why}`]), ...details],
    fixes: namespaceRemedies(machine, probe.why),
  };
}

/** The numbers are Landlock ABI versions; each feature is tested by using it. */
export async function checkLandlock(machine: MachineFacts, attempt: AttemptConfinement): Promise<CheckFinding> {
  const plain = await findKernelSupport(attempt, { allowNamespaces: false });
  if (plain.tier === 'none') {
    const error = /\(files: (\w+)\)/.exec(plain.why ?? '')?.[1] ?? null;
    const says = `not available${error === null ? '' : ` (${error})`}`;
    const modules = machine.securityModules;
    return {
      name: 'landlock',
      state: 'weaker',
      says,
      details: modules === null ? [] : [`active security modules: ${modules.join(', ')}`],
      fixes: landlockRemedies(machine, error),
    };
  }
  const withPorts = await attempt({
    tier: 'landlock',
    paths: [],
    reads: 'all',
    network: 'host',
    connectPorts: [1],
    unixSockets: 'pairs',
    optional: ['files', 'refer', 'truncate', 'device-ioctl', 'scope'],
  });
  const missing = new Set<ConfineStep>(plain.missing.map(({ step }) => step));
  if ('failed' in withPorts) missing.add('ports');
  const added = 'failed' in withPorts ? [] : ADDED.filter(([step]) => withPorts.held.includes(step));
  const has = [...FEATURES.filter(([step]) => !missing.has(step)), ...added].map(([, name]) => name);
  const lacks = FEATURES.filter(([step]) => missing.has(step));
  return {
    name: 'landlock',
    state: lacks.length === 0 ? 'good' : 'weaker',
    says: has.join(', '),
    details: lacks.map(([, name]) => `without ${name}`),
    fixes: lacks.flatMap(([step]) =>
      step === 'ports' ? ['Use Linux 6.7 or newer for ports.'] : stepRemedies(machine, step),
    ),
  };
}

export function checkCgroup(machine: MachineFacts, guarantees: readonly Guarantee[]): CheckFinding {
  const hard = guarantees.filter(({ name }) => name.startsWith('hard-'));
  const missing = hard.filter(({ isHeld }) => !isHeld);
  const hasFolder = !missing.some(({ why }) => why?.startsWith('no cgroup') === true);
  if (hard.length > 0 && missing.length === 0)
    return {
      name: 'cgroup',
      state: 'good',
      says: 'memory, processes and CPU are limited by the kernel',
      details: [],
      fixes: [],
    };
  return {
    name: 'cgroup',
    // They are still enforced, but can be exceeded for a moment.
    state: 'note',
    says: 'some limits of memory, processes and CPU are polled, not enforced by the kernel',
    details: hasFolder
      ? [`cgroup v2 does not delegate ${missing.map(({ name }) => name.split('-')[1]).join(', ')}`]
      : ['this user cannot create a cgroup v2 folder'],
    fixes: cgroupRemedies(machine),
  };
}
