// Paths allowed by name → what opens for them: hidden files that are shown, and places outside that may be changed.
// Opens only named paths: the folder of a new name opens only as far as the new name needs it.

import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { OpenedFolder } from '../../confine/opened-folders.ts';
import { isAtOrBelow } from '../../core/values/containment.ts';
import { TEMPORARY_FOLDERS } from '../../core/values/temporary-folders.ts';
import type { NamedPath } from '../../decide/paths/named-paths.ts';
import { realPathOrSame } from '../../local/real-path.ts';

export interface Hiding {
  readonly hidden: readonly string[];
  /** Files and folders in it that settings show. */
  readonly places: readonly string[];
  /** Files in it that were approved for reading: exactly these. */
  readonly files: readonly string[];
}

/** Several groups of hidden places: a path that one group hides is not shown by another. */
export function uncover(groups: readonly Hiding[]): { readonly hidden: string[]; readonly shown: string[] } {
  if (groups.every(({ places, files }) => places.length + files.length === 0))
    return { hidden: groups.flatMap(({ hidden }) => hidden), shown: [] };
  const left = groups.map((group) => {
    const open = both(group.places);
    const files = new Set(group.files);
    const isOpen = (path: string) =>
      files.has(realPathOrSame(path)) || both([path]).some((each) => open.some((place) => isAtOrBelow(each, place)));
    return { ...group, open, hidden: group.hidden.filter((path) => !isOpen(path)) };
  });
  const hides = ({ hidden, open, files }: (typeof left)[number], path: string) =>
    hidden.some((place) => isAtOrBelow(path, realPathOrSame(place))) &&
    !files.includes(path) &&
    !open.some((place) => isAtOrBelow(path, place));
  const candidates = left.flatMap(({ open, files }) => [...open, ...files]).map(realPathOrSame);
  const isBelowHidden = (path: string) =>
    left.some(({ hidden }) => hidden.some((place) => isAtOrBelow(path, realPathOrSame(place))));
  const shown = candidates.filter((path) => isBelowHidden(path) && !left.some((group) => hides(group, path)));
  return { hidden: left.flatMap(({ hidden }) => hidden), shown: [...new Set(shown)] };
}

export interface Opened {
  /** Existing files. */
  readonly files: readonly string[];
  /** Folders that were named with everything below. */
  readonly trees: readonly string[];
  /** Folders in which names are created or deleted: the other files in them stay protected. */
  readonly folders: readonly OpenedFolder[];
}

/** Places outside of the writable folders where changes are allowed by name. */
export function openFor(
  writes: readonly NamedPath[],
  deletes: readonly NamedPath[],
  { roots, isTree }: { readonly roots: readonly string[]; readonly isTree: (folder: string) => boolean },
): Opened {
  // Temporary folders belong to the sandbox.
  const inside = [...both(roots), ...TEMPORARY_FOLDERS];
  const isOutside = ({ path }: NamedPath) => isGrantable(path) && !inside.some((root) => isAtOrBelow(path, root));
  const files: string[] = [];
  const trees: string[] = [];
  // A name is removed from its folder.
  const folders = deletes.filter(isOutside).map(({ path }) => around(path));
  for (const named of writes.filter(isOutside)) {
    const found = statSync(named.path, { throwIfNoEntry: false });
    if (found === undefined) folders.push(around(named.path));
    else if (!found.isDirectory()) files.push(named.path);
    else if (named.isTree && isTree(named.path)) trees.push(named.path);
    else folders.push({ folder: named.path, names: [] });
  }
  return { files, trees, folders: folders.filter(({ folder }) => folder !== '/') };
}

/** The nearest existing folder, and the name in it. */
function around(path: string): OpenedFolder {
  const folder = dirname(path);
  if (folder !== '/' && statSync(folder, { throwIfNoEntry: false }) === undefined) return around(folder);
  return { folder, names: [basename(path)] };
}

/** Devices are granted by the sandbox itself. */
function isGrantable(path: string): boolean {
  return !/^\/(?:dev|proc|sys)(?:\/|$)/.test(path);
}

/** By their names and by their link targets. */
function both(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => [path, realPathOrSame(path)]))];
}
