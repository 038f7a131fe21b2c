// Policy → the paths that matter on this disk: what is writable, hidden, protected, and which of these names do not exist yet.

import { dirname, resolve } from 'node:path';
import { isAtOrBelow, isAtOrBelowAny, isBelow, isBelowAny } from '../core/values/containment.ts';
import { TEMPORARY_FOLDERS } from '../core/values/temporary-folders.ts';
import type { ConfinementPolicy } from './confinement-policy.ts';
import { keptBeside, openedIn } from './opened-folders.ts';
import { findNamesInRoots, type NamesInRoots } from './protected-names.ts';
import type { FolderReader } from './reading.ts';

/** Devices that every command may use. */
export const DEVICES = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty'];

export interface Wanted {
  /** Those of `writable` that are swept afterwards. */
  readonly swept: readonly string[];
  /** Folders outside of these that are open for some names: everything else in them that exists is in `guarded`. */
  readonly openedFolders: readonly string[];
  readonly writable: readonly string[];
  readonly visible: readonly string[];
  readonly hidden: readonly string[];
  readonly shown: readonly string[];
  readonly unseen: readonly string[];
  readonly guarded: readonly string[];
  readonly absent: readonly string[];
  /** How many more are absent: they exceed the limit. */
  readonly omitted: number;
  /** Protected names that are links: their targets can be protected, they themselves cannot. */
  readonly links: readonly string[];
  readonly temporary: string | null;
}

export function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort();
}

function existing(paths: readonly string[], folders: FolderReader): string[] {
  return unique(paths.map((path) => folders.realPath(path)).filter((path) => path !== null));
}

export function wantedOf(policy: ConfinementPolicy, folders: FolderReader): Wanted {
  const isWorkspace = policy.name === 'workspace';
  const trees = isWorkspace ? existing(policy.writable ?? [], folders) : [];
  const scratch = isWorkspace ? existing(policy.scratch ?? [], folders) : [];
  const { opened = [], unprotected = [] } = policy;
  const shut = unprotected.length === 0 ? [] : existing(protectedNames(policy, trees, folders).names, folders);
  const partly = isWorkspace ? keptBeside([...opened, ...openedIn(shut, unprotected, folders)], folders) : [];
  const roots = unique([...trees, ...partly.map(({ folder }) => folder)]);
  const writable = unique([...roots, ...scratch]);
  const swept = new Set(trees);
  const openedFolders = roots.filter((root) => !isAtOrBelowAny(root, swept));
  // A thousand writable folders have tens of thousands of names.
  const open = new Set(writable);
  const beside = partly.flatMap(({ kept }) => kept);
  const inRoots = protectedNames(policy, roots, folders);
  const names = [...inRoots.names, ...beside].filter((path) => !open.has(path));
  // `~/.bash_history` may be a link to /dev/null, which holds no secrets.
  const hidden = existing(policy.hidden ?? [], folders).filter((path) => !DEVICES.includes(path));
  const covers = new Set(hidden);
  const isHeld = (path: string): boolean => {
    for (let at = dirname(path); ; at = dirname(at)) {
      // A path hidden with its folder cannot be changed either, and must not be visible.
      if (covers.has(at)) return false;
      if (open.has(at)) return true;
      if (at === '/') return false;
    }
  };
  const guarded = existing(names, folders).filter(isHeld);
  // By its own name: a link in a writable folder can be replaced, even if its target is outside.
  const within = names.filter((path) => isBelowAny(path, open));
  const absent = unique([...inRoots.absent, ...within.filter((path) => folders.realPath(path) === null)]);
  const links = unique(within.filter((path) => (folders.realPath(path) ?? path) !== path));
  const temporary = policy.temporary === undefined ? null : folders.realPath(policy.temporary);
  const own = new Set<string>(TEMPORARY_FOLDERS);
  const covered = existing(policy.visible ?? [], folders).filter((path) => isBelowAny(path, own));
  const visible = covered.filter((path) => !isAtOrBelowAny(path, open));
  const shown = existing(policy.shown ?? [], folders).filter((path) => isBelowAny(path, covers) && !isHeld(path));
  // In a writable folder the command may have created it itself; in an opened one only if it names it.
  const free = new Set([...trees, ...scratch, ...own]);
  const isNamed = (path: string) => unprotected.some((name) => isAtOrBelow(name, path) || isAtOrBelow(path, name));
  const unseen = (policy.watched ?? [])
    .filter((path) => folders.realPath(path) === null)
    .map((path) => resolve(path))
    .filter((path) => !isBelowAny(path, free) && !(isBelowAny(path, open) && isNamed(path)));
  const { omitted } = inRoots;
  return {
    swept: trees,
    openedFolders,
    writable,
    visible,
    hidden,
    shown,
    unseen,
    guarded,
    absent,
    omitted,
    links,
    temporary,
  };
}

/** A name that may be changed is not protected; a missing folder opens with its first name. */
function protectedNames(policy: ConfinementPolicy, roots: readonly string[], folders: FolderReader): NamesInRoots {
  const { unprotected: free = [] } = policy;
  const { names, absent, omitted } = findNamesInRoots(roots, folders);
  const all = [...names, ...(policy.protected ?? [])];
  if (free.length === 0) return { names: all, absent, omitted };
  const isShut = (name: string) => !free.includes(name) && !free.some((path) => isBelow(path, name));
  return {
    names: all.filter((name) => isShut(name) || (!free.includes(name) && folders.realPath(name) !== null)),
    absent: absent.filter(isShut),
    omitted,
  };
}
