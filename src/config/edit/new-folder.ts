// A settings folder that did not exist before. While a command runs, protected names that appear in its writable folders are
// removed, no matter who creates them: the command could change what is in them. The writer checks that the folder stays.

import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { HardshellError } from '../../core/errors.ts';
import { FOLDER_NAME } from '../layers/places.ts';

/** A new folder is removed as soon as the kernel reports it: milliseconds, or more on a busy machine. */
const STAY_MS = 300;

/** Runs `write`, which may create the folder of `file`; throws if that folder was removed again. */
export async function writeInNewFolder<T>(file: string, write: () => T | Promise<T>): Promise<T> {
  const folder = dirname(file);
  if (basename(folder) !== FOLDER_NAME || existsSync(folder)) return write();
  let written: T;
  try {
    written = await write();
  } catch (cause) {
    throw isMissing(cause) && !existsSync(folder) ? removed(folder, cause) : cause;
  }
  if (!existsSync(file)) {
    if (existsSync(folder)) return written;
    throw removed(folder, null);
  }
  await new Promise((resolve) => setTimeout(resolve, STAY_MS));
  if (!existsSync(file)) throw removed(folder, null);
  return written;
}

/** Also as the cause of an error of ours. */
function isMissing(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  return code === 'ENOENT' || (cause !== undefined && isMissing(cause));
}

function removed(folder: string, cause: unknown): HardshellError {
  const message = `${folder} was removed again right after it was created, so nothing was saved. A command of hardshell runs in this project, and protected names that appear while it runs are removed.`;
  const hint =
    'Stop the task (`hardshell tasks` lists them, `hardshell tasks stop ID` stops one) or wait for its end, and run this again.';
  return new HardshellError('unwritable-settings', message, { hint, ...(cause === null ? {} : { cause }) });
}
