// What a plan has seen of the disk, and whether all of it is still so: a folder whose state is the same has the same names.

import { lstatSync, readlinkSync, statfsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { realPath } from '../local/real-path.ts';
import { type FolderReader, isOddPath, type NamesIn, type ObservedDisk } from './reading.ts';

/** The kind of a name: `/` and the target for a link. */
type Kind = 'absent' | 'folder' | 'other' | `/${string}`;

/** What was seen in one folder. */
interface SeenFolder {
  /** Null if it cannot show that nothing has changed: then everything is looked up again. */
  state: string | null;
  readonly kinds: Map<string, Kind>;
  /** Names that were looked for in its list, through `foldName`; null if it cannot be listed. */
  listed?: Map<string, boolean> | null;
  /** Its whole list. */
  entries?: string;
}

/** File systems of this machine that give a folder a new time with each change of its names. */
const WITH_TIMES: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0x858458f6,
]);
/** Two changes within a tick of the kernel's clock have the same time. */
const SETTLED_MS = 50;
const MAX_HOPS = 40;

export function observeDisk(disk: FolderReader): ObservedDisk {
  const seen = new Map<string, SeenFolder>();
  const real = new Map<string, string | null>();
  let mounts: readonly string[] | null = null;
  /** Something was asked that folders do not tell. */
  let isUncertain = false;

  function folderAt(path: string): SeenFolder {
    let folder = seen.get(path);
    if (folder === undefined) {
      folder = { state: settledState(path), kinds: new Map() };
      seen.set(path, folder);
    }
    return folder;
  }

  /** `folder` has no links. */
  function kindOf(folder: string, name: string): Kind {
    const { kinds } = folderAt(folder);
    let kind = kinds.get(name);
    if (kind === undefined) {
      kind = lookUp(join(folder, name));
      kinds.set(name, kind);
    }
    return kind;
  }

  function find(path: string, hops = 0): string | null {
    if (path === '/') return '/';
    let found = real.get(path);
    if (found === undefined) {
      found = isOddPath(path) || hops > MAX_HOPS ? findUnseen(path) : findBelow(path, hops);
      real.set(path, found);
    }
    return found;
  }

  function findBelow(path: string, hops: number): string | null {
    const at = path.lastIndexOf('/');
    const folder = find(path.slice(0, at) || '/', hops);
    if (folder === null) return null;
    const name = path.slice(at + 1);
    const kind = kindOf(folder, name);
    if (kind === 'absent') return null;
    if (!kind.startsWith('/')) return join(folder, name);
    const target = kind.slice(1);
    // `a/..` is not this folder if `a` is a link.
    return /[^./][^/]*\/+\.\./.test(target) ? findUnseen(path) : find(resolve(folder, target), hops + 1);
  }

  function findUnseen(path: string): string | null {
    isUncertain = true;
    return realPath(path);
  }

  function namesIn(path: string): NamesIn | null {
    const folder = find(path);
    if (folder === null) return { has: () => false };
    const record = folderAt(folder);
    const names = disk.names?.(folder) ?? null;
    if (names === null) {
      record.listed = null;
      return null;
    }
    record.listed ??= new Map();
    const { listed } = record;
    return {
      has(name) {
        const isThere = names.has(name);
        listed.set(name, isThere);
        return isThere;
      },
    };
  }

  function isStill(path: string, folder: SeenFolder): boolean {
    if (folder.state !== null && folder.state === stateOf(path)) return true;
    const state = settledState(path);
    for (const [name, kind] of folder.kinds) if (lookUp(join(path, name)) !== kind) return false;
    if (folder.entries !== undefined && JSON.stringify(disk.list(path)) !== folder.entries) return false;
    if (folder.listed !== undefined) {
      const names = disk.names?.(path) ?? null;
      if ((names === null) !== (folder.listed === null)) return false;
      for (const [name, isThere] of folder.listed ?? []) if (names?.has(name) !== isThere) return false;
    }
    folder.state = state;
    return true;
  }

  return {
    folders: {
      realPath: (path) => find(path),
      names: namesIn,
      isFile: (path) => isFileAt(path),
      isLink(path) {
        const at = path.lastIndexOf('/');
        const folder = isOddPath(path) ? null : find(path.slice(0, at) || '/');
        if (folder === null) return null;
        const kind = kindOf(folder, path.slice(at + 1));
        return kind === 'absent' ? null : kind.startsWith('/');
      },
      list(path) {
        const folder = find(path);
        if (folder === null) return [];
        const entries = disk.list(folder);
        folderAt(folder).entries = JSON.stringify(entries);
        return entries;
      },
      mountPoints() {
        mounts = disk.mountPoints?.() ?? [];
        return mounts;
      },
    },
    isSame() {
      if (isUncertain) return false;
      if (mounts !== null && !isEqual(mounts, disk.mountPoints?.() ?? [])) return false;
      for (const [path, folder] of seen) if (!isStill(path, folder)) return false;
      return true;
    },
  };

  function isFileAt(path: string): boolean {
    const found = find(path);
    if (found === null || found === '/') return false;
    const at = found.lastIndexOf('/');
    return kindOf(found.slice(0, at) || '/', found.slice(at + 1)) === 'other';
  }
}

function join(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((path, index) => path === b[index]));
}

function lookUp(path: string): Kind {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return 'absent';
    if (found.isSymbolicLink()) return `/${readlinkSync(path)}`;
    return found.isDirectory() ? 'folder' : 'other';
  } catch {
    return 'absent';
  }
}

interface FolderStatus {
  readonly dev: number;
  readonly ino: number;
  readonly ctimeMs: number;
}

function statusOf(folder: string): FolderStatus | null {
  try {
    return statSync(folder, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function textOf({ dev, ino, ctimeMs }: FolderStatus): string {
  return `${dev}:${ino}:${ctimeMs}`;
}

function stateOf(folder: string): string | null {
  const status = statusOf(folder);
  return status === null ? null : textOf(status);
}

/** Null if the next change could have the same time, or if the file system may not note it. */
function settledState(folder: string): string | null {
  const status = statusOf(folder);
  if (status === null || status.ctimeMs > Date.now() - SETTLED_MS || !hasTimes(folder, status.dev)) return null;
  return textOf(status);
}

const timed = new Map<number, boolean>();

function hasTimes(folder: string, device: number): boolean {
  let has = timed.get(device);
  if (has === undefined) {
    try {
      has = WITH_TIMES.has(statfsSync(folder).type);
    } catch {
      has = false;
    }
    timed.set(device, has);
  }
  return has;
}
