// FolderProbe on the real disk.

import { lstatSync, readdirSync, statSync } from 'node:fs';
import { realPath } from '../local/real-path.ts';
import type { FolderReader } from './reading.ts';
import { foldName } from './remembered-folders.ts';

export const diskFolders: FolderReader = {
  realPath,
  // On macOS the real path of a name in other letters has those of the disk.
  ...(process.platform === 'linux' && { isLink }),
  isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === false,
  names(path) {
    try {
      return new Set(readdirSync(path).map(foldName));
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? new Set() : null;
    }
  },
  list(path) {
    try {
      return readdirSync(path, { withFileTypes: true }).map((entry) => ({
        name: entry.name,
        isLink: entry.isSymbolicLink(),
      }));
    } catch {
      return [];
    }
  },
};

function isLink(path: string): boolean | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? null;
  } catch {
    return null;
  }
}
