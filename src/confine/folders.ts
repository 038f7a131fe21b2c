// The disk behind FolderProbe.

import { readdirSync } from 'node:fs';
import { realPath } from '../local/real-path.ts';
import type { FolderProbe } from './reading.ts';

export const diskFolders: FolderProbe = {
  realPath,
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
