// "Everything except this may be read" as a list of readable paths: Landlock has grants only, no exceptions.

import { isBelow } from '../core/values/containment.ts';
import type { ConfinedPath } from './port.ts';

/** Disk queries; answers never follow a symbolic link in the last component. */
export interface FolderReader {
  /** Absolute, all links followed; null if it does not exist. */
  realPath(path: string): string | null;
  /** Whether the last name is a link; null if it does not exist. Only where a name has one spelling. */
  isLink?(path: string): boolean | null;
  /** Names with their kinds; empty if it cannot be listed. */
  list(path: string): readonly { readonly name: string; readonly isLink: boolean }[];
  /** Whether it exists and is not a folder: nothing can be below it. */
  isFile?(path: string): boolean;
  /** All names in a folder, through `foldName`; null when it cannot be listed. A folder that does not exist has none. */
  names?(path: string): NamesIn | null;
  /** Where file systems are mounted. */
  mountPoints?(): readonly string[];
  /** The same reader, which remembers what it has seen. */
  observe?(): ObservedDisk;
}

export interface NamesIn {
  has(name: string): boolean;
}

export interface ObservedDisk {
  readonly folders: FolderReader;
  /** Whether every answer would be the same now. */
  isSame(): boolean;
}

/** `//`, `/.`, `/..` or a slash at the end, or not absolute: such a path is not its parent and a name. */
export function isOddPath(path: string): boolean {
  return !path.startsWith('/') || ODD.test(path);
}

const ODD = /\/\.{0,2}(?:\/|$)/;

/** The complement of `denied`: whole siblings along the path to each of them. Links are left out, their targets count. */
export function carveReads(denied: readonly string[], folders: FolderReader): ConfinedPath[] {
  const result: ConfinedPath[] = [];
  const walk = (folder: string): void => {
    for (const { name, isLink } of folders.list(folder)) {
      const path = folder === '/' ? `/${name}` : `${folder}/${name}`;
      if (isLink || denied.includes(path)) continue;
      if (denied.some((other) => isBelow(other, path))) walk(path);
      else result.push({ kind: 'read', path });
    }
  };
  if (denied.length === 0) return [{ kind: 'read', path: '/' }];
  if (!denied.includes('/')) walk('/');
  return result;
}
