// The file in which a shell reported its end folder → that folder, or null; and the start folder of the next command.
// The command could have written the file itself, so its content is verified on disk.

import { constants, statSync, unlinkSync } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';

/** PATH_MAX and a line break; anything longer was not written by `pwd`. */
const MAX_BYTES = 4_097;

/** Null if the shell reported nothing: it was replaced by `exec`, killed, or the command set its own EXIT trap. */
export async function readEndFolder(cwdFile: string): Promise<string | null> {
  try {
    // Does not follow links, and never waits for the other end of a pipe.
    const file = await open(cwdFile, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) return null;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES + 1), 0, MAX_BYTES + 1, 0);
      return parseEndFolder(buffer.subarray(0, bytesRead));
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

/** A replacement, such as a folder, is left: it is in the command's private temporary folder. */
export function removeEndFolder(cwdFile: string): void {
  try {
    unlinkSync(cwdFile);
  } catch {}
}

/** `pwd` ends its output with one line break; a name may contain others, and PowerShell's files may end in CR LF. */
export function parseEndFolder(bytes: Uint8Array): string | null {
  if (bytes.length > MAX_BYTES || bytes.at(-1) !== 0x0a) return null;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, -1));
  } catch {
    // A name that is not UTF-8 cannot be represented in a string.
    return null;
  }
  return /^(?:\/|[A-Za-z]:\\)/.test(text) && !text.includes('\0') ? text : null;
}

export interface FolderChoice {
  /** The result of `readEndFolder`. */
  readonly told: string | null;
  readonly before: string;
  /** Where the session started; the last resort. */
  readonly original: string;
  /** Whether a real path is inside the roots. */
  readonly isInside: (path: string) => boolean;
}

export interface NextFolder {
  readonly folder: string;
  /** `outside`: the command ended outside of the roots. `vanished`: the previous folder is gone, and the session goes back. */
  readonly cause: 'kept' | 'changed' | 'outside' | 'vanished';
}

export async function chooseNextFolder({ told, before, original, isInside }: FolderChoice): Promise<NextFolder> {
  const real = told === null ? null : await realFolder(told);
  if (real !== null && isInside(real)) return { folder: real, cause: real === before ? 'kept' : 'changed' };
  if (!isFolder(before)) return { folder: original, cause: 'vanished' };
  return { folder: before, cause: real === null ? 'kept' : 'outside' };
}

async function realFolder(path: string): Promise<string | null> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : null;
  } catch {
    return null;
  }
}

/** Synchronous: two trips through Node's thread pool after every command would be expensive for a nearly constant answer. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
