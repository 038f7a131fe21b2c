// "Everything may be read but this" as a list of what may be read: Landlock knows grants only, never exceptions.

import { isBelow } from '../core/values/containment.ts';
import type { ConfinedPath } from './port.ts';

/** Questions about the disk; answers never follow a symbolic link in the last place. */
export interface FolderProbe {
  /** Absolute, all links followed; null when it does not exist. */
  realPath(path: string): string | null;
  /** Names with what they are; empty when it cannot be listed. */
  list(path: string): readonly { readonly name: string; readonly isLink: boolean }[];
  /** All names in a folder, through `foldName`; null when it cannot be listed. A folder that does not exist has none. */
  names?(path: string): ReadonlySet<string> | null;
}

/** The complement of `denied`: whole siblings along the way to each of them. Links are left out, their targets count. */
export function carveReads(denied: readonly string[], folders: FolderProbe): ConfinedPath[] {
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
