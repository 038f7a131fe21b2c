// Folders that are partly writable: what stays fixed next to the names that may change, and what keeps it in place.

import { basename, dirname } from 'node:path';
import { isBelow } from '../core/values/containment.ts';
import type { FolderReader } from './reading.ts';

/** A folder in which new names may be created, and these names may be changed; everything else stays fixed. */
export interface OpenedFolder {
  readonly folder: string;
  readonly names: readonly string[];
}

/** The folders around single names that may change inside a path that is otherwise read-only. */
export function openedIn(
  shut: readonly string[],
  unprotected: readonly string[],
  folders: FolderReader,
): readonly OpenedFolder[] {
  return unprotected.flatMap((path) => {
    const around = shut.find((name) => isBelow(path, name));
    if (around === undefined) return [];
    let at = path;
    while (dirname(at) !== around && folders.realPath(dirname(at)) === null) at = dirname(at);
    return [{ folder: dirname(at), names: [basename(at)] }];
  });
}

/** More entries than this are not protected one by one: such a folder is not opened. */
const MAX_BESIDE = 2_000;

export function keptBeside(
  opened: readonly OpenedFolder[],
  folders: FolderReader,
): { readonly folder: string; readonly kept: readonly string[] }[] {
  const wished = new Map<string, Set<string>>();
  for (const { folder: path, names } of opened) {
    const folder = folders.realPath(path);
    if (folder !== null) wished.set(folder, new Set([...(wished.get(folder) ?? []), ...names]));
  }
  return [...wished].flatMap(([folder, names]) => {
    const entries = folders.list(folder);
    if (entries.length > MAX_BESIDE) return [];
    const kept = entries.filter(({ name }) => !names.has(name)).map(({ name }) => `${folder}/${name}`);
    return [{ folder, kept }];
  });
}

/** Folders between a writable one and a fixed path inside it: as separate mounts they cannot be moved away. */
export function findPins(
  fixed: readonly string[],
  writable: readonly string[],
  guarded: readonly string[],
): readonly string[] {
  const open = new Set(writable);
  const shut = new Set(guarded);
  // Entries of a guarded folder cannot be moved, and must not become writable.
  const isShut = (folder: string): boolean => {
    for (let at = folder; at !== '/'; at = dirname(at)) {
      if (shut.has(at)) return true;
      if (open.has(at)) return false;
    }
    return false;
  };
  const pins = new Set<string>();
  for (const path of fixed) {
    // All folders up to the highest writable one.
    const above: string[] = [];
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      if (open.has(folder)) for (const pin of above.splice(0)) pins.add(pin);
      if (folder === '/') break;
      above.push(folder);
    }
  }
  return [...pins].filter((pin) => !open.has(pin) && !isShut(pin)).sort();
}
