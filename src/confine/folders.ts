// FolderReader on the real disk.

import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { realPath } from '../local/real-path.ts';
import { observeDisk } from './observed-disk.ts';
import type { FolderReader } from './reading.ts';
import { foldName } from './remembered-folders.ts';

/** Mounts rarely change, and on some machines there are thousands. The keeper copes with one that it does not expect. */
const FRESH_MS = 5_000;
let mounts: { readonly at: number; readonly points: readonly string[] } | null = null;

function readMountPoints(): string[] {
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    return lines.flatMap((line) => line.split(' ', 5)[4] ?? []).map(decodeMountPoint);
  } catch {
    return [];
  }
}

/** The kernel writes blanks and backslashes as three octal digits. */
function decodeMountPoint(path: string): string {
  if (!path.includes('\\')) return path;
  const bytes = Buffer.from(path, 'utf8').toString('latin1');
  const plain = bytes.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
  return Buffer.from(plain, 'latin1').toString('utf8');
}

export const diskFolders: FolderReader = {
  realPath,
  // On macOS the real path of a name in other letters has those of the disk.
  ...(process.platform === 'linux' && { isLink, observe: () => observeDisk(diskFolders) }),
  isFile,
  names(path) {
    try {
      return new Set(readdirSync(path).map(foldName));
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? new Set() : null;
    }
  },
  mountPoints() {
    const now = performance.now();
    if (mounts === null || now - mounts.at >= FRESH_MS) mounts = { at: now, points: readMountPoints() };
    return mounts.points;
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

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
  } catch {
    return false;
  }
}

function isLink(path: string): boolean | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? null;
  } catch {
    return null;
  }
}
