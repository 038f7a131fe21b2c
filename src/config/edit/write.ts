// Text → a settings file, atomically: a concurrent reader sees the old file or the new one.
// Refuses symlinks: a project could point its settings at a file of the user.

import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HardshellError } from '../../core/errors.ts';
import { describeError } from '../../core/values/error-text.ts';
import { adviceForWriting } from '../../core/values/write-advice.ts';
import { syncFolder } from '../../local/durable.ts';
import { FOLDER_NAME } from '../layers/places.ts';
import { readSettingsFile } from '../layers/read.ts';

/** Creates the folder if it is missing, and refuses a path that links out of it. */
export function prepareFolder(file: string): void {
  const folder = dirname(file);
  if (basename(folder) === FOLDER_NAME && isLink(folder)) throw refuseLink(folder);
  if (isLink(file)) throw refuseLink(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw unwritable(folder, cause);
  }
}

/** `before` is the content when the file was read (`null`: it was missing); if it has changed, nothing is written. */
export function replaceFile(file: string, before: string | null, text: string): void {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`);
  const mode = lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0o600;
  try {
    const descriptor = openSync(temporary, 'wx', mode & 0o777);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (isLink(file)) throw refuseLink(file);
    if ((readSettingsFile(file)?.text ?? null) !== before) {
      throw new HardshellError('unwritable-settings', `${file} was changed by another process in the meantime.`, {
        hint: 'Nothing was written. Try again.',
      });
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error instanceof HardshellError ? error : unwritable(file, error);
  }
  syncFolder(dirname(file));
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function refuseLink(path: string): HardshellError {
  return new HardshellError(
    'unwritable-settings',
    `${path} is a symbolic link; settings are not written through links.`,
    {
      hint: 'Edit the target of the link by hand, or replace the link with a file.',
    },
  );
}

function unwritable(path: string, cause: unknown): HardshellError {
  const reason = describeError(cause);
  return new HardshellError('unwritable-settings', `${path} cannot be written: ${reason}`, {
    hint: adviceForWriting(cause, 'Check the permissions of the file and of its folder.'),
    cause,
  });
}
