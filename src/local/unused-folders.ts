// Deletes private folders of projects that have not been used for long; each project has one.
// A folder that a running process uses stays, however old it is.

import { lstatSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree } from './remove-tree.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const KEEP_DAYS = 30;
const MARK = 'pruned';
/** Names of project folders. */
const NAME = /^[0-9a-f]{16}$/;
const LEAVING = '.leaving';

const touched = new Map<string, number>();

/** Its modification time is the time of last use. */
export function noteUse(folder: string, now = Date.now()): void {
  if (now - (touched.get(folder) ?? 0) < HOUR_MS) return;
  utimesSync(folder, now / 1000, now / 1000);
  touched.set(folder, now);
}

export interface UnusedOptions {
  readonly now?: number;
  readonly keepDays?: number;
}

/** Returns how many were deleted; null if it already ran within the last day. */
export function pruneUnused(
  parent: string,
  { now = Date.now(), keepDays = KEEP_DAYS }: UnusedOptions = {},
): number | null {
  const mark = join(parent, MARK);
  if (Math.abs(now - (statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0)) < DAY_MS) return null;
  const before = now - keepDays * DAY_MS;
  const names = listFolder(parent);
  const old = names.filter((name) => NAME.test(name) && isOlder(join(parent, name), before));
  if (names.length === 0) return 0;
  writeFileSync(mark, '', { mode: 0o600 });
  utimesSync(mark, now / 1000, now / 1000);
  // Left by a server that ended in the middle of a deletion.
  for (const name of names) if (name.endsWith(LEAVING)) removeTree(join(parent, name));
  if (old.length === 0) return 0;
  const known = namesInUse(old);
  let count = 0;
  for (const name of old) {
    if (known.has(name)) continue;
    const [folder, leaving] = [join(parent, name), join(parent, `${name}${LEAVING}`)];
    try {
      // A command that starts now gets a new one.
      renameSync(folder, leaving);
    } catch {
      continue;
    }
    touched.delete(folder);
    if (isOlder(leaving, before)) count += removeTree(leaving) ? 1 : 0;
    else giveBack(leaving, folder);
  }
  return count;
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isOlder(folder: string, before: number): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.mtimeMs < before;
}

/** A process started to use it at this moment. */
function giveBack(leaving: string, folder: string): void {
  try {
    renameSync(leaving, folder);
  } catch {
    // A new one already exists: this one is deleted another day.
  }
}

/** Folders that a process has mounted as its /tmp, or has in its environment. */
function namesInUse(names: readonly string[]): Set<string> {
  // Without /proc this is not known.
  if (readIfPossible('/proc/self/mountinfo') === '') return new Set(names);
  const found = new Set<string>();
  for (const pid of listFolder('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    for (const file of ['mountinfo', 'environ']) {
      const text = readIfPossible(`/proc/${pid}/${file}`);
      if (text !== '') for (const name of names) if (text.includes(name)) found.add(name);
    }
  }
  return found;
}

function readIfPossible(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // It has ended, or belongs to another user.
    return '';
  }
}
