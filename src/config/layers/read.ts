// A settings file → its text, or `null` when there is none. Everything else that may lie there is an error.
// Reads regular files only: a pipe would wait for ever, a device would never end.

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { toError } from '../document/problem.ts';

const MAX_BYTES = 1 << 20;

export interface FileText {
  readonly text: string;
  /** Who besides the owner and root can change it; `null` when nobody. */
  readonly writableBy: string | null;
}

export type ReadFile = (file: string) => FileText | null;

export function readSettingsFile(file: string): FileText | null {
  let descriptor: number;
  try {
    // Most of these files are not there, and this is asked before every command: an exception each would be dear.
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A file in the place of the folder `.hardshell` holds no settings either.
    if (code === 'ENOENT' && !isLink(file)) return null;
    if (code === 'ENOTDIR') return null;
    throw unreadable(file, ...(OPEN_ERRORS[code ?? ''] ?? [`It cannot be read: ${message}`, 'Look at the file.']));
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

/** A link to nothing was meant to be something: it is not the same as no settings. */
function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

const OPEN_ERRORS: Readonly<Record<string, readonly [message: string, fix: string]>> = {
  EACCES: ['There is no permission to read it.', 'Make it readable (chmod u+r), also the folders above it.'],
  EPERM: ['There is no permission to read it.', 'Make it readable (chmod u+r), also the folders above it.'],
  ENOENT: ['The symbolic link leads nowhere.', 'Remove the link, or make the file that it names.'],
  ELOOP: ['The symbolic links lead in a circle.', 'Replace the link by the file.'],
  ENAMETOOLONG: ['The path is too long.', 'Use a shorter path.'],
  ENXIO: ['This is not a regular file.', 'Put the settings into a plain file.'],
  EISDIR: ['This is a folder, not a file.', 'Put the settings into a file.'],
};

export function unreadable(file: string, message: string, fix: string): Error {
  return toError([{ file, line: null, column: null, message, fix }], 'unreadable-settings');
}

function readAtMost(descriptor: number, bounds: { expectedBytes: number; limitBytes: number }): Buffer {
  const { expectedBytes, limitBytes } = bounds;
  // One byte more than it should have: that shows whether it has grown meanwhile.
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
    // Where the bytes of the repaired text first differ, there is the damage.
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
  if ((mode & 0o002) !== 0) return 'everybody';
  if ((mode & 0o020) !== 0) return 'its group';
  return uid === 0 || uid === process.getuid?.() ? null : `the user with number ${uid}`;
}
