// A confinement by namespaces → the arguments of bubblewrap, and the mounts that must exist afterwards.
// Never mounts on a missing path: bubblewrap would create it on the disk of the host, and leave it there.

import { HardshellError } from '../../core/errors.ts';
import type { ConfinedPath, ConfinementSpec } from '../port.ts';
import { type HostMounts, ownLine } from './mount-check.ts';

export interface BubblewrapFeatures {
  /** A separate /proc can be mounted; not in containers that mask parts of theirs. */
  readonly hasOwnProc: boolean;
  readonly hasFilter: boolean;
}

export type PathKind = 'folder' | 'other' | 'link' | null;

export interface Disk {
  /** Of the path itself; null if it does not exist. */
  kindOf(path: string): PathKind;
}

interface Mounts {
  readonly args: readonly string[];
  readonly required: readonly string[];
  /** Writable, and optional. */
  readonly allowed: readonly string[];
  /** Arguments after all mounts: a path inside a hidden folder may be visible. */
  readonly last?: readonly string[];
}

/** Created by `--dev`. */
const OWN_DEVICES = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty'];
const MASK_FILE = '/dev/null';

function vanished(path: string): HardshellError {
  return new HardshellError('cannot-start', `${path} has changed since the confinement was planned`, {
    hint: 'run the command again; if it happens again, another program keeps replacing that path',
  });
}

function mountsOf(item: ConfinedPath, disk: Disk, host: HostMounts): Mounts {
  const { kind, path } = item;
  const there = disk.kindOf(path);
  const same = (mode: 'ro' | 'rw'): Mounts => {
    if (there === null || there === 'link') throw vanished(path);
    return {
      args: [mode === 'rw' ? '--bind' : '--ro-bind', path, path],
      required: [host.line(path, path, mode)],
      allowed: [],
    };
  };
  switch (kind) {
    case 'write':
      return same('rw');
    case 'staged':
      throw new HardshellError('cannot-start', 'bubblewrap cannot stage changes');
    case 'read-only':
      return same('ro');
    case 'mask': {
      // First itself: bubblewrap fails silently if the source of a mount is gone, but would create its mount point.
      const itself = same('ro').args;
      if (there !== 'folder') {
        // A device cannot be opened on a nodev mount.
        const args = [...itself, '--ro-bind', MASK_FILE, path];
        return { args, required: [host.line(MASK_FILE, path, 'ro')], allowed: [] };
      }
      return {
        args: [...itself, '--tmpfs', path],
        last: ['--remount-ro', path],
        required: [ownLine('tmpfs', path, 'ro')],
        allowed: [],
      };
    }
    case 'empty':
      if (there !== 'folder') return { args: [], required: [], allowed: [] };
      return { args: ['--perms', '1777', '--tmpfs', path], required: [ownLine('tmpfs', path, 'rw')], allowed: [] };
    case 'bind':
      if (there !== 'folder' || disk.kindOf(item.from) !== 'folder') throw vanished(item.from);
      return { args: ['--bind', item.from, path], required: [host.line(item.from, path, 'rw')], allowed: [] };
    case 'device':
      if (there === null || OWN_DEVICES.includes(path))
        return { args: [], required: [], allowed: [host.line(path, path, 'rw')] };
      return { args: ['--dev-bind', path, path], required: [], allowed: [host.line(path, path, 'rw')] };
    case 'overlay':
      throw new HardshellError('cannot-start', `bubblewrap does not support overlays, and ${path} needs one`);
    case 'read':
    case 'list':
      throw new HardshellError(
        'cannot-start',
        `bubblewrap does not support a list of readable paths, and ${path} is on one`,
      );
  }
}

/** The caller, which has the filter, adds `--seccomp` and the arguments after it. */
export function bubblewrapMounts(
  spec: ConfinementSpec,
  features: BubblewrapFeatures,
  disk: Disk,
  host: HostMounts,
): Mounts {
  const isAllWritable = spec.paths.some(({ kind, path }) => kind === 'write' && path === '/');
  const parts = spec.paths.filter(({ path }) => path !== '/').map((item) => mountsOf(item, disk, host));
  const writable = spec.paths.filter(({ kind }) => kind === 'write').map(({ path }) => path);
  const root = isAllWritable ? 'rw' : 'ro';
  const required = [host.line('/', '/', root), ...parts.flatMap((part) => part.required)];
  return {
    args: [
      ...[isAllWritable ? '--bind' : '--ro-bind', '/', '/'],
      // Root without capabilities still owns the kernel's settings: bwrap leaves them writable, unlike their folder.
      ...(features.hasOwnProc ? ['--proc', '/proc', '--remount-ro', '/proc'] : ['--ro-bind', '/proc', '/proc']),
      ...['--dev', '/dev'],
      ...parts.flatMap(({ args }) => args),
      ...parts.flatMap(({ last = [] }) => last),
      ...['--remount-ro', '/dev'],
    ],
    required,
    allowed: [
      ...required.filter((line) => line.endsWith(' rw')),
      ...parts.flatMap((part) => part.allowed),
      ...host.alongWith(writable),
      ...OWN_DEVICES.map((path) => host.line(path, path, 'rw')),
      ownLine('devpts', '/dev/pts', 'rw'),
      ownLine('tmpfs', '/dev/shm', 'rw'),
    ],
  };
}

export function bubblewrapNamespaces(spec: ConfinementSpec, { endsTree }: { endsTree: boolean }): string[] {
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(spec.network === 'host' ? [] : ['--unshare-net']),
    ...['--cap-drop', 'ALL', '--new-session'],
    // With it, leftover processes of the command are killed at once: only for runners that could not kill them.
    ...(endsTree ? [] : ['--die-with-parent']),
  ];
}
