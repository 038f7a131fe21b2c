// Properties of this machine that explain why a confinement is not available. Reads files; tries nothing.

import { existsSync, readFileSync } from 'node:fs';
import { release } from 'node:os';

export type PackageTool = 'apt' | 'dnf' | 'pacman' | 'apk' | 'zypper' | null;

export interface MachineFacts {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly kernel: string;
  /** "Debian GNU/Linux 12 (bookworm)" */
  readonly distribution: string | null;
  readonly packageTool: PackageTool;
  readonly container: 'docker' | 'podman' | 'other' | null;
  readonly isRoot: boolean;
  /** Null if the kernel has no such setting. */
  readonly apparmorRestrictsNamespaces: boolean | null;
  readonly unprivilegedNamespaces: boolean | null;
  readonly maxNamespaces: number | null;
  /** Active security modules, or null if unknown. */
  readonly securityModules: readonly string[] | null;
  readonly hasSystemd: boolean;
  /** Controllers of cgroup v2; null if it is not mounted. Those used by cgroup v1 are not included. */
  readonly cgroupControllers: readonly string[] | null;
}

export type ReadText = (path: string) => string | null;

const readText: ReadText = (path) => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
};

const TOOLS: readonly [PackageTool, RegExp][] = [
  ['apt', /\b(?:debian|ubuntu)\b/],
  ['dnf', /\b(?:fedora|rhel|centos|amzn)\b/],
  ['pacman', /\barch\b/],
  ['apk', /\balpine\b/],
  ['zypper', /\b(?:suse|opensuse[\w-]*|sles)\b/],
];

export function readMachine(read: ReadText = readText, has: (path: string) => boolean = existsSync): MachineFacts {
  const system = read('/etc/os-release') ?? '';
  const field = (name: string) => new RegExp(`^${name}="?([^"\\n]*)"?$`, 'm').exec(system)?.[1] ?? null;
  const family = `${field('ID') ?? ''} ${field('ID_LIKE') ?? ''}`;
  const number = (path: string): number | null => {
    const text = read(path);
    return text === null || !/^\d+$/.test(text) ? null : Number(text);
  };
  const isOne = (path: string): boolean | null => {
    const value = number(path);
    return value === null ? null : value !== 0;
  };
  return {
    platform: process.platform,
    arch: process.arch,
    kernel: release(),
    distribution: field('PRETTY_NAME'),
    packageTool: TOOLS.find(([, names]) => names.test(family))?.[0] ?? null,
    container: containerOf(read, has),
    isRoot: process.getuid?.() === 0,
    apparmorRestrictsNamespaces: isOne('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'),
    unprivilegedNamespaces: isOne('/proc/sys/kernel/unprivileged_userns_clone'),
    maxNamespaces: number('/proc/sys/user/max_user_namespaces'),
    securityModules: read('/sys/kernel/security/lsm')?.split(',') ?? null,
    hasSystemd: has('/run/systemd/system'),
    cgroupControllers: controllersOf(read),
  };
}

function containerOf(read: ReadText, has: (path: string) => boolean): MachineFacts['container'] {
  if (has('/run/.containerenv')) return 'podman';
  if (has('/.dockerenv')) return 'docker';
  return /docker|kubepods|containerd|lxc/.test(read('/proc/1/cgroup') ?? '') ? 'other' : null;
}

function controllersOf(read: ReadText): string[] | null {
  const mount = /^(?:\S+ ){4}(\S+) .* - cgroup2 /m.exec(read('/proc/self/mountinfo') ?? '')?.[1];
  if (mount === undefined) return null;
  return (read(`${mount}/cgroup.controllers`) ?? '').split(' ').filter((name) => name !== '');
}
