// The file in which a shell told its end folder → that folder, or null; and which folder the next command starts in.
// The command could have written the file itself, so nothing in it is believed before the disk confirms it.

import { constants, statSync, unlinkSync } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';

/** PATH_MAX and a line break; whatever is longer was not written by `pwd`. */
const MAX_BYTES = 4_097;

/** Null when the shell told nothing: it was replaced by `exec`, killed, or the command set an EXIT trap of its own. */
export async function readEndFolder(cwdFile: string): Promise<string | null> {
  try {
    // Not through a link, and never waiting for the other end of a pipe that somebody put there.
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

/** What the command put in its place, a folder for example, is left: it lies in a temporary folder of the command's own. */
export function removeEndFolder(cwdFile: string): void {
  try {
    unlinkSync(cwdFile);
  } catch {}
}

/** `pwd` ends its answer with one line break; a name may contain others, and PowerShell's files may end in CR LF. */
export function parseEndFolder(bytes: Uint8Array): string | null {
  if (bytes.length > MAX_BYTES || bytes.at(-1) !== 0x0a) return null;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, -1));
  } catch {
    // A name that is not UTF-8 cannot be named in a string without becoming another one.
    return null;
  }
  return /^(?:\/|[A-Za-z]:\\)/.test(text) && !text.includes('\0') ? text : null;
}

export interface FolderChoice {
  /** What `readEndFolder` said. */
  readonly told: string | null;
  readonly before: string;
  /** Where the session began; the last resort. */
  readonly original: string;
  /** Whether a real path lies inside the roots. */
  readonly isInside: (path: string) => boolean;
}

export interface NextFolder {
  readonly folder: string;
  /** `outside`: the command ended outside the roots. `vanished`: the folder before is gone, the session goes back. */
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

/** At once: two turns through Node's threads after every command would be dear for the answer that nearly always comes. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
