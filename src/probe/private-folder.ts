// A folder → whether it is ours alone: a question about the disk, for whoever puts sockets or outputs into it.
// Refuses what someone else could have prepared, could read, or could exchange; `refuse` makes the error.

import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export type Refuse = (message: string, cause?: unknown) => Error;

const STICKY = 0o1000;

export function checkPrivateFolder(path: string, refuse: Refuse): void {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (cause) {
    throw refuse(`${path} is not a folder of our own (a link, a file, or not readable).`, cause);
  }
  try {
    const { uid, mode } = fstatSync(descriptor);
    if (uid !== process.getuid?.()) throw refuse(`The folder ${path} belongs to another user (${uid}).`);
    if ((mode & 0o077) !== 0)
      throw refuse(`The folder ${path} is open to other users (mode ${(mode & 0o777).toString(8)}, must be 700).`);
  } finally {
    closeSync(descriptor);
  }
}

/** Folders that belong to root wherever there is more than one user. */
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
 * In a user namespace that knows ourselves alone (`unshare -r`, rootless containers), everybody else has the same number,
 * the host's root too. Of these folders it is known whose they are.
 */
function isSystemOfHost(path: string, uid: number): boolean {
  return isUnknownUser(uid) && SYSTEM.has(path);
}

/** Whether it stands for users that this user namespace does not know. */
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
    ? `The folder ${path}, above ${folder}, belongs to a user that this user namespace does not know.`
    : `The folder ${path}, above ${folder}, belongs to another user (${uid}).`;
}

/** Whoever may rename things in a folder above could put another one in our place. */
export function checkFoldersAbove(folder: string, refuse: Refuse): void {
  let start: string;
  try {
    start = realpathSync.native(dirname(folder));
  } catch (cause) {
    throw refuse(`The folder ${dirname(folder)}, in which it would lie, cannot be opened.`, cause);
  }
  for (let path = start; ; path = dirname(path)) {
    const { uid, mode } = statSync(path);
    if (uid !== 0 && uid !== process.getuid?.() && !isSystemOfHost(path, uid))
      throw refuse(describeOwner(path, folder, uid));
    if ((mode & 0o022) !== 0 && (mode & STICKY) === 0)
      throw refuse(`Other users may rename what is in ${path}, above ${folder}.`);
    if (path === dirname(path)) return;
  }
}
