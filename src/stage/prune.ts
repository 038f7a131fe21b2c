// Removes the oldest stages, by age and total size. Never one that holds changes which are nowhere else.

import { lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree } from '../local/remove-tree.ts';
import { isLocked, listStages, readJournal, type Stage } from './store.ts';

export interface StoreLimits {
  readonly maxBytes: number;
  readonly maxMs: number;
}

const HOUR_MS = 3_600_000;
/** The process whose command has just ended reads its stage. */
const FRESH_MS = 10_000;
const MARK = 'pruned';
const LEAVING = '.leaving';

/**
 * After a staged command: `latest` is its stage, which stays. Returns how many were removed; `null` if there was no need:
 * all were checked within the last hour, and what was added since does not exceed the size.
 */
export function pruneStages(
  stages: string,
  limits: StoreLimits,
  latest: Stage | null,
  now = Date.now(),
): number | null {
  const { maxBytes, maxMs } = limits;
  const last = readMark(stages);
  if (last !== null && Math.abs(now - last.at) < HOUR_MS) {
    const bytes = last.bytes + (latest === null ? 0 : sizeOf(latest));
    if (bytes <= maxBytes) {
      if (latest !== null) writeMark(stages, { at: last.at, bytes });
      return null;
    }
  }
  // On a full disk every command would search again.
  if (!writeMark(stages, { at: now, bytes: 0 })) return null;
  for (const name of readdirSync(stages)) if (name.endsWith(LEAVING)) removeTree(join(stages, name));
  let total = 0;
  let kept = 0;
  let count = 0;
  // From the newest: what exceeds the size is older.
  for (const stage of listStages(stages)) {
    const bytes = sizeOf(stage);
    total += bytes;
    const isOver = now - stage.startedAt > maxMs || total > maxBytes;
    if (isOver && stage.id !== latest?.id && canGo(stage, now) && removeStage(stage)) count += 1;
    else kept += bytes;
  }
  writeMark(stages, { at: now, bytes: kept });
  return count;
}

interface Mark {
  /** When all stages were checked. */
  readonly at: number;
  /** Of all stages then, and of those that were added since. */
  readonly bytes: number;
}

/** `null` if there is none; or if another process is writing it, then all are checked. */
function readMark(stages: string): Mark | null {
  try {
    const match = /^(\d+) (\d+)\n$/.exec(readFileSync(join(stages, MARK), 'utf8'));
    return match === null ? null : { at: Number(match[1]), bytes: Number(match[2]) };
  } catch {
    return null;
  }
}

function writeMark(stages: string, { at, bytes }: Mark): boolean {
  try {
    writeFileSync(join(stages, MARK), `${at} ${bytes}\n`, { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/** What an unfinished stage holds is completed first, by the next verb. */
function canGo(stage: Stage, now: number): boolean {
  const changedMs = stateChangedMs(stage);
  // Its command never started.
  if (changedMs === null) return now - stage.startedAt >= HOUR_MS && !isLocked(stage.folder);
  if (stage.isBusy || now - changedMs < FRESH_MS || hasAside(stage)) return false;
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

function stateChangedMs({ folder }: Stage): number | null {
  return lstatSync(join(folder, 'state'), { throwIfNoEntry: false })?.mtimeMs ?? null;
}

/** Where a forced redo has put newer files of the user: in the place of what the command replaced. */
const FORCED = 'forced';

/** Before a forced redo `[]`, so that nothing is lost if it is interrupted; `null` when no newer file is there. */
export function markForced({ folder }: Stage, movedTo: readonly string[] | null): void {
  const mark = join(folder, FORCED);
  if (movedTo === null) rmSync(mark, { force: true });
  else writeFileSync(mark, movedTo.join('\0'), { mode: 0o600 });
}

/** Newer files of the user, or folders that may contain them: a forced undo or redo has put them there. */
export function keptAside({ folder, roots }: Stage): string[] {
  const inRoots = (part: string) => roots.map((_, at) => join(folder, String(at), part));
  return [...inRoots('aside'), ...(forcedIn(folder) ?? inRoots('undo'))].filter(isThere);
}

/** `null` if a forced redo was interrupted. */
function forcedIn(folder: string): readonly string[] | null {
  try {
    const text = readFileSync(join(folder, FORCED), 'utf8');
    return text === '' ? null : text.split('\0');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : null;
  }
}

function isThere(path: string): boolean {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info?.isDirectory() !== true) return info !== undefined;
  try {
    return readdirSync(path).length > 0;
  } catch {
    return true;
  }
}

export function hasAside(stage: Stage): boolean {
  return keptAside(stage).length > 0;
}

/** A verb that locked it at this moment gets it back. */
export function removeStage({ folder }: Stage): boolean {
  const leaving = `${folder}${LEAVING}`;
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
function sizeOf(stage: Stage): number {
  const { folder } = stage;
  const changedMs = stateChangedMs(stage) ?? 0;
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
