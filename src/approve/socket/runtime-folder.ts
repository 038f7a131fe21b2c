// Environment → the private folder where the sockets of this user lie; checked, and made when asked.
// Refuses a folder that someone else could have prepared or could exchange: a socket in it would not be ours.

import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { HardshellError } from '../../core/errors.ts';

const SOCKETS = 'approvals';
const STICKY = 0o1000;

/** HARDSHELL_RUNTIME_DIR, or a folder in XDG_RUNTIME_DIR, or one in the folder for temporary files. */
export function runtimeFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (process.platform === 'win32' || process.getuid === undefined) {
    throw new HardshellError('invalid-argument', 'Approvals from another terminal are not supported on Windows.', {
      hint: 'Answer where the question is asked, or give the host a callback.',
    });
  }
  const chosen = env.HARDSHELL_RUNTIME_DIR;
  if (chosen) {
    if (!isAbsolute(chosen)) throw unsafe(`HARDSHELL_RUNTIME_DIR is not an absolute path: ${chosen}.`);
    return chosen;
  }
  if (env.XDG_RUNTIME_DIR && isAbsolute(env.XDG_RUNTIME_DIR)) return join(env.XDG_RUNTIME_DIR, 'hardshell');
  return join(tmpdir(), `hardshell-${process.getuid()}`);
}

/** The folder of the sockets, made where it is missing. */
export function makeSocketFolder(env?: NodeJS.ProcessEnv): string {
  const folder = runtimeFolder(env);
  const sockets = join(folder, SOCKETS);
  checkAncestors(folder);
  for (const path of [folder, sockets]) {
    makePrivate(path);
    checkPrivate(path);
  }
  return sockets;
}

/** The folder of the sockets, or `null` when there is none: then nobody asks anything. */
export function findSocketFolder(env?: NodeJS.ProcessEnv): string | null {
  const folder = runtimeFolder(env);
  const sockets = join(folder, SOCKETS);
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return null;
  checkAncestors(folder);
  checkPrivate(folder);
  if (lstatSync(sockets, { throwIfNoEntry: false }) === undefined) return null;
  checkPrivate(sockets);
  return sockets;
}

function makePrivate(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // Whoever made it: it is checked next.
    if (code === 'EEXIST') return;
    throw unsafe(`The folder ${path} for approvals cannot be made: ${(cause as Error).message}.`, cause);
  }
}

function checkPrivate(path: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (cause) {
    throw unsafe(`${path} is not a folder of our own (a link, a file, or not readable).`, cause);
  }
  try {
    const { uid, mode } = fstatSync(descriptor);
    if (uid !== process.getuid?.()) throw unsafe(`The folder ${path} belongs to another user (${uid}).`);
    if ((mode & 0o077) !== 0) {
      throw unsafe(`The folder ${path} is open to other users (mode ${(mode & 0o777).toString(8)}, must be 700).`);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Whoever may rename things in a folder above could put another one in our place. */
function checkAncestors(folder: string): void {
  let start: string;
  try {
    start = realpathSync(dirname(folder));
  } catch (cause) {
    throw unsafe(`The folder ${dirname(folder)}, in which approvals would lie, cannot be opened.`, cause);
  }
  for (let path = start; ; path = dirname(path)) {
    const { uid, mode } = statSync(path);
    if (uid !== 0 && uid !== process.getuid?.()) {
      throw unsafe(`The folder ${path}, above ${folder}, belongs to another user (${uid}).`);
    }
    if ((mode & 0o022) !== 0 && (mode & STICKY) === 0) {
      throw unsafe(`Other users may rename what is in ${path}, above ${folder}.`);
    }
    if (path === dirname(path)) return;
  }
}

function unsafe(message: string, cause?: unknown): HardshellError {
  const hint = 'Set HARDSHELL_RUNTIME_DIR to a folder of your own that only you can open (mode 700), for both sides.';
  return new HardshellError('invalid-argument', message, cause === undefined ? { hint } : { hint, cause });
}
