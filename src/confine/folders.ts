// FolderProbe on the real disk.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { realPath } from '../local/real-path.ts';
import type { FolderReader } from './reading.ts';
import { foldName } from './remembered-folders.ts';

export const diskFolders: FolderReader = {
  realPath,
  isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === false,
  names(path) {
    try {
      return new Set(existsSync(path) ? readdirSync(path).map(foldName) : []);
    } catch {
      return null;
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
