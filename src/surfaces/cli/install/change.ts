// One file of an agent: read it, show the change, keep a backup, write it. Never leaves half a file, and never overwrites
// changes that others made in the meantime: agents rewrite these files while they run.

import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HardshellError } from '../../../host/deciding.ts';
import { adviceForWriting } from '../../../host/values.ts';
import { decodeUtf8 } from '../input.ts';
import { process } from '../process.ts';
import type { Text } from './target.ts';

const MAX_BYTES = 64 << 20;

export function readText(file: string): Text {
  if (!existsSync(file)) return null;
  try {
    if (statSync(file).size > MAX_BYTES) throw new Error('it is larger than 64 MiB');
    return decodeUtf8(readFileSync(file));
  } catch (cause) {
    const why = cause instanceof HardshellError ? 'it is not valid UTF-8' : (cause as Error).message;
    throw new HardshellError('unreadable-settings', `${file} cannot be read: ${why}.`, {
      hint: 'Nothing was changed. Make it readable, and try again.',
      cause,
    });
  }
}

/** Replaces `before` with `after`. Returns the backup of `before`, `null` if none was wanted or needed. */
export function replaceText(file: string, before: Text, after: Text, keep: Date | null): string | null {
  // Settings are often links into a dotfiles folder: the link stays, its target is written.
  const target = existsSync(file) ? realpathSync(file) : file;
  try {
    mkdirSync(dirname(target), { recursive: true });
    const backup = before === null || keep === null ? null : `${target}.${stamp(keep)}${BACKUP_END}`;
    if (backup !== null) writeWhole(backup, before as string, modeOf(target));
    if (after === null) {
      refuseIfChanged(target, before);
      rmSync(target);
    } else {
      const fresh = `${target}.${process.pid}.tmp`;
      try {
        writeWhole(fresh, after, before === null ? 0o600 : modeOf(target));
        refuseIfChanged(target, before);
        renameSync(fresh, target);
      } finally {
        rmSync(fresh, { force: true });
      }
    }
    return backup;
  } catch (cause) {
    if (cause instanceof HardshellError) throw cause;
    throw new HardshellError('unwritable-settings', `${file} cannot be written: ${(cause as Error).message}.`, {
      hint: `It was not changed. ${adviceForWriting(cause, 'Make the folder writable, or use --dry-run and change the file by hand.')}`,
      cause,
    });
  }
}

function refuseIfChanged(target: string, before: Text): void {
  if (readText(target) === before) return;
  throw new HardshellError('unwritable-settings', `${target} was changed by another program just now.`, {
    hint: 'Nothing was written. Try again.',
  });
}

function writeWhole(path: string, text: string, mode: number): void {
  const file = openSync(path, 'wx', mode);
  try {
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    // A part of a backup must not look like one.
    rmSync(path, { force: true });
    throw error;
  }
  // The umask may have removed permissions that the file had.
  chmodSync(path, mode);
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

const BACKUP_END = '.hardshell-backup';

/** `20261115-143207-123`, in UTC: sorts by time and is valid in every file system. */
function stamp(now: Date): string {
  return now.toISOString().replace(/[-:]/g, '').replace('T', '-').replace('.', '-').replace('Z', '');
}

/** Backups next to a file, oldest first. */
export function listBackups(file: string): readonly string[] {
  const target = existsSync(file) ? realpathSync(file) : file;
  const folder = dirname(target);
  if (!existsSync(folder)) return [];
  const start = `${basename(target)}.`;
  return readdirSync(folder)
    .filter((name) => name.startsWith(start) && name.endsWith(BACKUP_END))
    .sort()
    .map((name) => join(folder, name));
}
