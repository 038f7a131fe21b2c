// The disk behind FolderProbe.

import { existsSync, readdirSync, realpathSync } from 'node:fs';
import type { FolderProbe } from './reading.ts';

export const diskFolders: FolderProbe = {
  realPath(path) {
    try {
      // Most names that a plan asks about do not exist, and an error costs more than all the rest.
      if (!existsSync(path)) return null;
      return realpathSync.native(path);
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
