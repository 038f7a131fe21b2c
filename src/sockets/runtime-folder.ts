// Environment → the private folder where the sockets of this user lie; checked, and made when asked.
// Refuses a folder that someone else could have prepared or could exchange: a socket in it would not be ours.

import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { HardshellError } from '../core/errors.ts';
import { checkFoldersAbove, checkPrivateFolder } from '../probe/private-folder.ts';

/** What the processes of one user say to each other: each has a folder of sockets. */
export type SocketKind = 'approvals' | 'running';

/** HARDSHELL_RUNTIME_DIR, or a folder in XDG_RUNTIME_DIR, or one in the folder for temporary files. */
export function runtimeFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (process.platform === 'win32' || process.getuid === undefined) {
    throw new HardshellError('invalid-argument', 'Sockets for other terminals are not supported on Windows.', {
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

/**
 * Every folder in which a process of this user may have its sockets, whatever its environment says, made where one is
 * missing: a sandbox can hide only what exists when a command starts.
 */
export function prepareRuntimeFolders(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const own = runtimeFolder(env);
  const uid = process.getuid?.();
  const others = [
    ...[env.XDG_RUNTIME_DIR ?? '', `/run/user/${uid}`].filter(isAbsolute).map((folder) => join(folder, 'hardshell')),
    ...[tmpdir(), '/tmp'].map((folder) => join(folder, `hardshell-${uid}`)),
  ];
  const folders = [...new Set([own, ...others])];
  for (const folder of folders) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch {
      // It exists, or nobody can put sockets there.
    }
  }
  return folders;
}

/** The folder of the sockets, made where it is missing. */
export function makeSocketFolder(kind: SocketKind, env?: NodeJS.ProcessEnv): string {
  const folder = runtimeFolder(env);
  const sockets = join(folder, kind);
  checkFoldersAbove(folder, unsafe);
  for (const path of [folder, sockets]) {
    makePrivate(path);
    checkPrivateFolder(path, unsafe);
  }
  return sockets;
}

/** The folder of the sockets, or `null` when there is none: then nobody listens. */
export function findSocketFolder(kind: SocketKind, env?: NodeJS.ProcessEnv): string | null {
  const folder = runtimeFolder(env);
  const sockets = join(folder, kind);
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return null;
  checkFoldersAbove(folder, unsafe);
  checkPrivateFolder(folder, unsafe);
  if (lstatSync(sockets, { throwIfNoEntry: false }) === undefined) return null;
  checkPrivateFolder(sockets, unsafe);
  return sockets;
}

function makePrivate(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // Whoever made it: it is checked next.
    if (code === 'EEXIST') return;
    throw unsafe(`The folder ${path} for sockets cannot be made: ${(cause as Error).message}.`, cause);
  }
}

function unsafe(message: string, cause?: unknown): HardshellError {
  const hint = 'Set HARDSHELL_RUNTIME_DIR to a folder of your own that only you can open (mode 700), for both sides.';
  return new HardshellError('invalid-argument', message, cause === undefined ? { hint } : { hint, cause });
}
