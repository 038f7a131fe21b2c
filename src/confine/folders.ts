// The disk behind FolderProbe.

import { readdirSync, realpathSync } from 'node:fs';
import type { FolderProbe } from './reading.ts';

export const diskFolders: FolderProbe = {
  realPath(path) {
    try {
      return realpathSync(path);
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
