// A settings file → its text, or `null` if there is none. Everything else is an error.
// Reads regular files only: a FIFO would block forever, a device would never end.

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { toError } from '../document/problem.ts';

const MAX_BYTES = 1 << 20;

export interface FileText {
  readonly text: string;
  /** Who can change it, besides the owner and root; `null` if no one. */
  readonly writableBy: string | null;
}

export type ReadFile = (file: string) => FileText | null;

export function readSettingsFile(file: string): FileText | null {
  let descriptor: number;
  try {
    // Most of these files do not exist, and this runs before every command: an exception for each would be expensive.
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A file in place of the folder `.hardshell` contains no settings either.
    if (code === 'ENOENT' && !isLink(file)) return null;
    if (code === 'ENOTDIR') return null;
    throw unreadable(file, ...(OPEN_ERRORS[code ?? ''] ?? [`Cannot read it: ${message}`, 'Check the file.']));
  }
  try {
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) throw unreadable(file, 'This is a folder, not a file.', 'Put the settings into a file.');
    if (!stats.isFile()) throw unreadable(file, 'This is not a regular file.', 'Put the settings into a plain file.');
    const bytes = readAtMost(descriptor, { expectedBytes: stats.size, limitBytes: MAX_BYTES + 1 });
    if (bytes.length > MAX_BYTES) {
      throw unreadable(file, 'The file is larger than 1 MiB.', 'Settings are small: is this the right file?');
    }
    return { text: decode(bytes, file), writableBy: whoElseWrites(stats) };
  } finally {
    closeSync(descriptor);
  }
}

/** A dangling symlink was meant to point to settings: it is not the same as no settings. */
function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

const OPEN_ERRORS: Readonly<Record<string, readonly [message: string, fix: string]>> = {
  EACCES: ['Permission denied.', 'Make it readable (chmod u+r), and the parent folders too.'],
  EPERM: ['Permission denied.', 'Make it readable (chmod u+r), and the parent folders too.'],
  ENOENT: ['The symbolic link is dangling.', 'Remove the link, or create its target.'],
  ELOOP: ['The symbolic links form a loop.', 'Replace the link with the file.'],
  ENAMETOOLONG: ['The path is too long.', 'Use a shorter path.'],
  ENXIO: ['This is not a regular file.', 'Put the settings into a plain file.'],
  EISDIR: ['This is a folder, not a file.', 'Put the settings into a file.'],
};

export function unreadable(file: string, message: string, fix: string): Error {
  return toError([{ file, line: null, column: null, message, fix }], 'unreadable-settings');
}

function readAtMost(descriptor: number, bounds: { expectedBytes: number; limitBytes: number }): Buffer {
  const { expectedBytes, limitBytes } = bounds;
  // One byte more than the limit: that shows whether it has grown in the meantime.
  const room = Math.min(expectedBytes + 1, limitBytes);
  const buffer = Buffer.allocUnsafe(room);
  let size = 0;
  for (let read = -1; read !== 0 && size < room; size += read) {
    read = readSync(descriptor, buffer, size, room - size, size);
  }
  if (size === room && room < limitBytes) {
    return readAtMost(descriptor, { expectedBytes: limitBytes, limitBytes });
  }
  return buffer.subarray(0, size);
}

function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The first difference to the repaired text is the position of the damage.
    const repaired = bytes.toString('utf8');
    const again = Buffer.from(repaired);
    let bad = 0;
    while (bytes[bad] === again[bad]) bad++;
    const before = again.subarray(0, bad).toString('utf8').split('\n');
    const place = { line: before.length, column: (before.at(-1) as string).length + 1 };
    throw toError([{ file, ...place, message: 'This is not valid UTF-8.', fix: 'Save the file as UTF-8.' }]);
  }
}

function whoElseWrites({ mode, uid }: { readonly mode: number; readonly uid: number }): string | null {
  if (process.platform === 'win32') return null;
  if ((mode & 0o002) !== 0) return 'all users';
  if ((mode & 0o020) !== 0) return 'its group';
  return uid === 0 || uid === process.getuid?.() ? null : `the user with uid ${uid}`;
}
