// Removes a folder with everything in it, also where its modes forbid that.

import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** False if it cannot be removed. */
export function removeTree(folder: string): boolean {
  for (const prepare of [() => {}, makeAccessible]) {
    try {
      prepare(folder);
      rmSync(folder, { recursive: true, force: true });
      return true;
    } catch {}
  }
  return false;
}

/** Go, for example, makes the folders of its cache read-only. */
function makeAccessible(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) makeAccessible(join(folder, entry.name));
}
