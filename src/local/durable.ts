// Files and folders → on the disk, so that they survive a loss of power.

import { closeSync, fsyncSync, openSync } from 'node:fs';

export function syncFile(path: string): void {
  sync(path, 'r+');
}

/** So that new names in it survive, too. Not every file system can: then only the names may be the old ones. */
export function syncFolder(folder: string): void {
  try {
    sync(folder, 'r');
  } catch {}
}

function sync(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
