// Creates folders that are private to this user, and checks existing ones.
// Refuses folders that another user could have prepared, could read, or could replace; `refuse` makes the error.

import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { HardshellError } from '../core/errors.ts';
import { quoteIfNeeded } from '../core/values/shell-words.ts';
import { adviceForWriting } from '../core/values/write-advice.ts';
import { refuseState } from './places.ts';

/** `hint`: what to do, if that is known better than by the one who uses the folder. */
export type Refuse = (message: string, cause?: unknown, hint?: string) => Error;

export interface FolderUse {
  /** For messages: what lies in it. */
  readonly contents: string;
  readonly refuse: Refuse;
  /** `existing`: the folders above must be there, and are checked before anything is made. Default `made`. */
  readonly above?: 'made' | 'existing';
  /** Windows has other means than owners and modes. Default `refused`. */
  readonly onWindows?: 'refused' | 'unchecked';
}

const FILES_OF_COMMANDS: FolderUse = { contents: 'tasks', refuse: refuseState };
const STICKY = 0o1000;

/** Creates the folder and its parents, private to this user, and checks existing ones. */
export function makePrivateFolder(folder: string, use: FolderUse = FILES_OF_COMMANDS): string {
  const { contents, refuse, above = 'made', onWindows = 'refused' } = use;
  const isWindows = process.platform === 'win32' || process.getuid === undefined;
  if (isWindows && onWindows === 'refused')
    throw new HardshellError('cannot-start', `Private folders for ${contents} are not supported on Windows.`);
  if (!isAbsolute(folder) || /[\0-\x1f]/.test(folder))
    throw refuse(`The folder for ${contents} must be an absolute path of one line: ${JSON.stringify(folder)}.`);
  const before = identityOf(folder);
  if (before !== null && checked.get(folder) === before) return folder;
  if (above === 'existing') checkFoldersAbove(folder, refuse);
  try {
    if (above === 'made') makeFolders(folder);
    else mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    const isThere = above === 'existing' && (cause as NodeJS.ErrnoException).code === 'EEXIST';
    if (!isThere)
      throw refuse(
        `Cannot create the folder ${folder} for ${contents}: ${(cause as Error).message}.`,
        cause,
        adviceForWriting(cause, '') || undefined,
      );
  }
  if (isWindows) return folder;
  if (above === 'made') checkFoldersAbove(folder, refuse);
  checkPrivateFolder(folder, refuse);
  const identity = identityOf(folder);
  if (identity !== null) checked.set(folder, identity);
  return folder;
}

/** One by one: below `/proc`, Node's own `recursive` tries forever. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) {
    if (statSync(folder).isDirectory()) return;
    throw new Error('a file has that name');
  }
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it: it is checked next.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Folders that were found to be private: one that was exchanged since, or opened to others, has another identity. */
const checked = new Map<string, string>();

function identityOf(folder: string): string | null {
  try {
    const { dev, ino, uid, mode } = lstatSync(folder);
    return `${dev} ${ino} ${uid} ${mode}`;
  } catch {
    return null;
  }
}

/** In a folder that exists; if that fails, nothing uses it. Asking first costs less than an error. */
export function makeIfMissing(folder: string): void {
  if (existsSync(folder) || !existsSync(dirname(folder))) return;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // Another process may have created it, or nothing can be created there.
  }
}

/** For a folder whose mode a command may have changed, its `/tmp` for example: it is set right first. */
export function restorePrivateFolder(folder: string): string {
  const info = lstatSync(folder, { throwIfNoEntry: false });
  const isOurs = info?.isDirectory() === true && info.uid === process.getuid?.();
  if (isOurs && (info.mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
  return makePrivateFolder(folder);
}

/** For a folder whose contents are checked each time they are used: what lies above it does not matter. */
export function claimFolder(folder: string): void {
  makeFolders(folder);
  const info = lstatSync(folder);
  // The name under /tmp can be guessed.
  if (!info.isDirectory() || info.uid !== process.getuid?.()) throw new Error('it belongs to another user');
  chmodSync(folder, 0o700);
}

export function checkPrivateFolder(path: string, refuse: Refuse): void {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (cause) {
    throw refuse(`${path} is not a private folder (a link, a file, or not readable).`, cause);
  }
  try {
    const { uid, mode } = fstatSync(descriptor);
    if (uid !== process.getuid?.()) throw refuse(`The folder ${path} belongs to another user (${uid}).`);
    if ((mode & 0o077) !== 0)
      throw refuse(
        `The folder ${path} is open to other users (mode ${(mode & 0o777).toString(8)}, must be 700).`,
        undefined,
        `Make it private: chmod 700 ${quoteIfNeeded(path)}`,
      );
  } finally {
    closeSync(descriptor);
  }
}

/** Folders that belong to root on every multi-user system. */
const SYSTEM = new Set([
  '/',
  '/home',
  '/mnt',
  '/opt',
  '/root',
  '/run',
  '/run/user',
  '/srv',
  '/tmp',
  '/var',
  '/var/tmp',
]);

/**
 * In a user namespace that maps only this user (`unshare -r`, rootless containers), all other users have the same id,
 * including the host's root. The owner of these folders is known anyway.
 */
function isSystemOfHost(path: string, uid: number): boolean {
  return isUnknownUser(uid) && SYSTEM.has(path);
}

/** Whether the id stands for users that this user namespace does not map. */
export function isUnknownUser(uid: number): boolean {
  try {
    if (Number(readFileSync('/proc/sys/kernel/overflowuid', 'utf8')) !== uid) return false;
    const ranges = readFileSync('/proc/self/uid_map', 'utf8').trim().split('\n');
    return ranges.every((line) => {
      const [first = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
      return uid < first || uid >= first + count;
    });
  } catch {
    return false;
  }
}

function describeOwner(path: string, folder: string, uid: number): string {
  return isUnknownUser(uid)
    ? `The folder ${path}, above ${folder}, belongs to a user that this user namespace does not map.`
    : `The folder ${path}, above ${folder}, belongs to another user (${uid}).`;
}

/** A user who can rename entries in a parent folder could replace ours. */
export function checkFoldersAbove(folder: string, refuse: Refuse): void {
  let start: string;
  try {
    start = realpathSync.native(dirname(folder));
  } catch (cause) {
    throw refuse(`The folder ${dirname(folder)}, which would contain it, cannot be opened.`, cause);
  }
  for (let path = start; ; path = dirname(path)) {
    const { uid, mode } = statSync(path);
    if (uid !== 0 && uid !== process.getuid?.() && !isSystemOfHost(path, uid))
      throw refuse(describeOwner(path, folder, uid));
    if ((mode & 0o022) !== 0 && (mode & STICKY) === 0)
      throw refuse(`Other users can rename entries in ${path}, above ${folder}.`);
    if (path === dirname(path)) return;
  }
}
