// Makes the folders of tasks, of the audit log, and of temporary files.

import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { HardshellError } from '../core/errors.ts';
import {
  type AuditPlaces,
  secretTasksFolder,
  sharedTemporaryFolder,
  stagesFolderIn,
  stateFolder,
  stateFolders,
  ticketsFolderIn,
} from './places.ts';
import { type FolderUse, makeIfMissing, makePrivateFolder } from './private-folder.ts';

/** The tasks folder. `folder` overrides the environment. */
export function makeTaskFolder(folder?: string, env?: NodeJS.ProcessEnv): string {
  if (folder !== undefined) return makePrivateFolder(folder);
  return makePrivateFolder(join(makePrivateFolder(stateFolder(env)), 'tasks'));
}

export function makeSecretTasksFolder(tasks: string): string {
  return makePrivateFolder(secretTasksFolder(tasks));
}

/**
 * The secret folders of this tasks folder, of the usual one, and of the one that variables name. They are made where there are tasks: a sandbox can hide
 * only what exists when a command starts.
 */
export function prepareSecretTasksFolders(tasks: string | null): readonly string[] {
  const usual = stateFolders().map((state) => join(state, 'tasks'));
  const folders = new Set([...usual, ...(tasks === null ? [] : [tasks])]);
  return [...folders].map((folder) => {
    const secret = secretTasksFolder(folder);
    // There may be no tasks, or outputs cannot be stored there.
    makeIfMissing(secret);
    return secret;
  });
}

/** Staged changes and tickets. Made where there is a state folder, for the same reason. */
export function prepareHiddenFolders(): readonly string[] {
  const folders = stateFolders().flatMap((state) => [stagesFolderIn(state), ticketsFolderIn(state)]);
  for (const folder of folders) makeIfMissing(folder);
  return folders;
}

/** Of commands that a hook handed to `hardshell run`. */
export function makeTicketsFolder(): string {
  return makePrivateFolder(ticketsFolderIn(makePrivateFolder(stateFolder())));
}

const AUDIT_LOG: FolderUse = { contents: 'the audit log', refuse: refuseAudit, onWindows: 'unchecked' };

export function makeAuditFolders({ folder, keyFolder }: AuditPlaces): void {
  for (const path of [folder, keyFolder]) makePrivateFolder(path, AUDIT_LOG);
}

function refuseAudit(
  message: string,
  cause?: unknown,
  hint = 'Choose a private folder that only you can open (mode 700), for example with HARDSHELL_STATE_DIR.',
): HardshellError {
  return new HardshellError('unwritable-audit', message, cause === undefined ? { hint } : { hint, cause });
}

let temporary: string | null = null;

/** Private to this user. If the name is taken by another user, a random one is used. */
export function makeTemporaryFolder(): string {
  if (temporary === null) {
    try {
      temporary = makePrivateFolder(sharedTemporaryFolder());
    } catch {
      temporary = mkdtempSync(`${sharedTemporaryFolder()}-`);
    }
  } else if (!existsSync(temporary)) mkdirSync(temporary, { recursive: true, mode: 0o700 });
  return temporary;
}
