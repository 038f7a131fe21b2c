// Environment → the private folder in which outputs and records of tasks lie; made where it is missing, and checked.
// Refuses a folder that someone else could have prepared, could read, or could exchange.

import { lstatSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { HardshellError } from '../core/errors.ts';
import { checkFoldersAbove, checkPrivateFolder } from '../probe/private-folder.ts';

/** HARDSHELL_STATE_DIR, or a folder of ours in XDG_STATE_HOME or ~/.local/state. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  const chosen = env.HARDSHELL_STATE_DIR;
  if (chosen) {
    if (!isAbsolute(chosen)) throw unsafe(`HARDSHELL_STATE_DIR is not an absolute path: ${chosen}.`);
    return chosen;
  }
  const base = env.XDG_STATE_HOME;
  return join(base && isAbsolute(base) ? base : join(homedir(), '.local', 'state'), 'hardshell');
}

/** The folder of the tasks. `folder`: this one instead of the one in the environment. */
export function makeTaskFolder(folder?: string, env?: NodeJS.ProcessEnv): string {
  if (folder !== undefined) return makePrivateFolder(folder);
  return makePrivateFolder(join(makePrivateFolder(stateFolder(env)), 'tasks'));
}

/** Makes the folder, and those above it, with access for this user alone, and checks what is there. */
export function makePrivateFolder(folder: string): string {
  if (process.platform === 'win32' || process.getuid === undefined)
    throw new HardshellError('cannot-start', 'Private folders for tasks are not supported on Windows.');
  if (!isAbsolute(folder) || /[\0-\x1f]/.test(folder))
    throw unsafe(`The folder for tasks must be an absolute path of one line: ${JSON.stringify(folder)}.`);
  const before = identityOf(folder);
  if (before !== null && checked.get(folder) === before) return folder;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw unsafe(`The folder ${folder} for tasks cannot be made: ${(cause as Error).message}.`, cause);
  }
  checkFoldersAbove(folder, unsafe);
  checkPrivateFolder(folder, unsafe);
  const identity = identityOf(folder);
  if (identity !== null) checked.set(folder, identity);
  return folder;
}

/** Folders that were found to be ours alone: whoever exchanged one since, or opened it to others, gave it another identity. */
const checked = new Map<string, string>();

function identityOf(folder: string): string | null {
  try {
    const { dev, ino, uid, mode } = lstatSync(folder);
    return `${dev} ${ino} ${uid} ${mode}`;
  } catch {
    return null;
  }
}

function unsafe(message: string, cause?: unknown): HardshellError {
  const hint = 'Set HARDSHELL_STATE_DIR to a folder of your own that only you can open (mode 700).';
  return new HardshellError('cannot-start', message, cause === undefined ? { hint } : { hint, cause });
}
