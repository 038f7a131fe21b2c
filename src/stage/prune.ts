// Removes the oldest stages, by age and total size. Never one that holds changes which are nowhere else.

import { lstatSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree } from '../local/remove-tree.ts';
import { isLocked, listStages, readJournal, type Stage } from './store.ts';

export interface StoreLimits {
  readonly maxBytes: number;
  readonly maxMs: number;
}

const HOUR_MS = 3_600_000;
const MARK = 'pruned';
const LEAVING = '.leaving';

/** Returns how many were removed; `null` if it was done within the last hour, or the disk is full. */
export function pruneStages(stages: string, { maxBytes, maxMs }: StoreLimits, now = Date.now()): number | null {
  const mark = join(stages, MARK);
  if (Math.abs(now - (statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0)) < HOUR_MS) return null;
  try {
    writeFileSync(mark, '', { mode: 0o600 });
    utimesSync(mark, now / 1000, now / 1000);
  } catch {
    return null;
  }
  for (const name of readdirSync(stages)) if (name.endsWith(LEAVING)) removeTree(join(stages, name));
  let total = 0;
  let count = 0;
  // From the newest: what exceeds the size is older.
  for (const stage of listStages(stages)) {
    total += sizeOf(stage);
    const isOld = now - stage.startedAt > maxMs;
    if ((isOld || total > maxBytes) && canGo(stage, now) && remove(stage, stages)) count += 1;
  }
  return count;
}

/** What an unfinished stage holds is completed first, by the next verb. */
function canGo(stage: Stage, now: number): boolean {
  if (now - stage.startedAt < HOUR_MS) return false;
  // Its command never started.
  if (!hasState(stage)) return !isLocked(stage.folder);
  if (stage.isBusy || hasAside(stage)) return false;
  switch (stage.state) {
    case 'landed':
    case 'undone':
    case 'dropped':
      return true;
    case 'held':
      // Nothing that could be applied: only what the sandbox refused.
      return readJournal(stage)?.names.length === 0;
    case 'running':
    case 'landing':
    case 'undoing':
    case 'redoing':
      return false;
  }
}

function hasState({ folder }: Stage): boolean {
  return lstatSync(join(folder, 'state'), { throwIfNoEntry: false }) !== undefined;
}

/** For newer files of the user: a forced undo has put them there. */
export function asideFolders({ folder, roots }: Stage): string[] {
  return roots.map((_, at) => join(folder, String(at), 'aside'));
}

export function hasAside(stage: Stage): boolean {
  return asideFolders(stage).some((folder) => {
    try {
      return readdirSync(folder).length > 0;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ENOENT';
    }
  });
}

/** A verb that locked it at this moment gets it back. */
function remove({ id, folder }: Stage, stages: string): boolean {
  const leaving = join(stages, `${id}${LEAVING}`);
  try {
    renameSync(folder, leaving);
    if (isLocked(leaving)) {
      renameSync(leaving, folder);
      return false;
    }
  } catch {
    return false;
  }
  removeTree(leaving);
  return true;
}

const SIZE = 'size';

/** Walking all files of all stages each time would take too long: it is noted beside the state that it belongs to. */
function sizeOf({ folder }: Stage): number {
  const changedMs = lstatSync(join(folder, 'state'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const file = join(folder, SIZE);
  try {
    const [at, bytes] = readFileSync(file, 'utf8').split(' ').map(Number);
    if (at === changedMs && bytes !== undefined) return bytes;
  } catch {}
  const bytes = bytesBelow(folder);
  try {
    writeFileSync(file, `${changedMs} ${bytes}`, { mode: 0o600 });
  } catch {
    // It is measured again the next time.
  }
  return bytes;
}

const BLOCK = 512;

function bytesBelow(folder: string): number {
  let total = 0;
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    try {
      for (const entry of readdirSync(at, { withFileTypes: true })) {
        const path = join(at, entry.name);
        if (entry.isDirectory()) waiting.push(path);
        else total += lstatSync(path).blocks * BLOCK;
      }
    } catch {
      // A folder of the command that only root may read: its size is not known.
    }
  }
  return total;
}
