// The private folder where the sockets of this user lie; checked, and made when asked.
// Refuses a folder that another user could have prepared or could replace: a socket in it would not be ours.

import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { refuseRuntime, runtimeFolder, runtimeFolders } from '../places.ts';
import {
  checkFoldersAbove,
  checkPrivateFolder,
  type FolderUse,
  makeIfMissing,
  makePrivateFolder,
} from '../private-folder.ts';

/** The purposes of sockets: each has its own folder. */
export type SocketKind = 'approvals' | 'running' | 'worlds';

const SOCKETS: FolderUse = { contents: 'sockets', refuse: refuseRuntime, above: 'existing' };

/** Makes every folder that may have sockets: a sandbox can hide only what exists when a command starts. */
export function prepareRuntimeFolders(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const folders = runtimeFolders(env);
  for (const folder of folders) makeIfMissing(folder);
  return folders;
}

/** The folder of the sockets, created if it is missing. */
export function makeSocketFolder(kind: SocketKind, env?: NodeJS.ProcessEnv): string {
  return makePrivateFolder(join(makePrivateFolder(runtimeFolder(env), SOCKETS), kind), SOCKETS);
}

/** The folder of the sockets, or `null` if there is none: then no process listens. */
export function findSocketFolder(kind: SocketKind, env?: NodeJS.ProcessEnv): string | null {
  const folder = runtimeFolder(env);
  const sockets = join(folder, kind);
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return null;
  checkFoldersAbove(folder, refuseRuntime);
  checkPrivateFolder(folder, refuseRuntime);
  if (lstatSync(sockets, { throwIfNoEntry: false }) === undefined) return null;
  checkPrivateFolder(sockets, refuseRuntime);
  return sockets;
}
