// Environment → the private folders of the audit log and of its key; made where they are missing, and checked.
// Refuses folders that someone else could have prepared, could read, or could exchange.

import { mkdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { HardshellError } from '../core/errors.ts';
import { checkFoldersAbove, checkPrivateFolder } from '../probe/private-folder.ts';
import { stateFolder } from '../tasks/folder.ts';
import { LOCK_FOLDER, TORN_FOLDER } from './chain/segments.ts';

export interface AuditPlaces {
  readonly folder: string;
  /** Not in the log's own folder: whoever may copy or send the log must not get the key with it. */
  readonly keyFolder: string;
}

export function auditPlaces(env: NodeJS.ProcessEnv = process.env): AuditPlaces {
  const state = stateFolder(env);
  return { folder: join(state, 'audit'), keyFolder: join(state, 'keys') };
}

export function makeAuditFolders({ folder, keyFolder }: AuditPlaces): void {
  for (const path of [folder, keyFolder]) makePrivate(path);
  for (const name of [LOCK_FOLDER, TORN_FOLDER]) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
}

function makePrivate(path: string): void {
  if (!isAbsolute(path) || /[\0-\x1f]/.test(path))
    throw unsafe(`The folder for the audit log must be an absolute path of one line: ${JSON.stringify(path)}.`);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw unsafe(`The folder ${path} for the audit log cannot be made: ${(cause as Error).message}.`, cause);
  }
  // Windows has other means, which these questions do not see.
  if (process.getuid === undefined) return;
  checkFoldersAbove(path, unsafe);
  checkPrivateFolder(path, unsafe);
}

function unsafe(message: string, cause?: unknown): HardshellError {
  const hint = 'Choose a folder of your own that only you can open (mode 700), for example with HARDSHELL_STATE_DIR.';
  return new HardshellError('unwritable-audit', message, cause === undefined ? { hint } : { hint, cause });
}
