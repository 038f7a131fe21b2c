// Text → a file that is complete, or not there at all. Nothing stays behind if the disk is full.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fdatasyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';

export interface DraftOptions {
  /** Default 0o600. */
  readonly mode?: number;
  /** On the disk when the call returns. */
  readonly sync?: boolean;
}

/** A new file beside `path`, which the caller renames, or links and removes. Leftovers of killed processes end in `.tmp`. */
export function writeDraft(path: string, content: string | Uint8Array, options: DraftOptions = {}): string {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  const descriptor = openSync(draft, 'wx', options.mode ?? 0o600);
  try {
    try {
      writeFileSync(descriptor, content);
      if (options.sync === true) fdatasyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return draft;
}

/** A concurrent reader sees the old file or the new one. */
export function replaceWhole(path: string, content: string | Uint8Array, options: DraftOptions = {}): void {
  const draft = writeDraft(path, content, options);
  try {
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Throws EEXIST if there is a file with that name. */
export function createWhole(path: string, content: string | Uint8Array, options: DraftOptions = {}): void {
  const draft = writeDraft(path, content, options);
  try {
    linkSync(draft, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw error;
    // A file system without hard links.
    copyNew(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function copyNew(from: string, to: string): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(to, { force: true });
    throw error;
  }
}
