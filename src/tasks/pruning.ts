// Deletes old outputs in the tasks folder, and the oldest if there are too many.
// Usually at most once a day. Running tasks are never touched; a task that is being read stays readable until it is closed.

import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backgroundFolders, idOfKept, idOfRecord, nameFiles, taskFolders } from './names.ts';
import { deleteTask, findRecord } from './registry.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MARK = 'pruned';

export interface Pruning {
  /** A task that ended longer ago is deleted. */
  readonly keepDays: number;
  /** The oldest are deleted if the outputs of all ended tasks take more space. */
  readonly keepBytes: number;
  /** The oldest commands of the foreground are deleted when there are more: each has a file. */
  readonly keepForeground: number;
  /** Not before the last time is this long ago. */
  readonly everyMs: number;
}

const DEFAULT_PRUNING: Pruning = { keepDays: 30, keepBytes: 4 * 2 ** 30, keepForeground: 10_000, everyMs: DAY_MS };

/** Returns how many tasks were deleted; null if it already ran within the last day. */
export function pruneTasks(folder: string, wishes: Partial<Pruning> = {}, now = Date.now()): number | null {
  const { keepDays, keepBytes, keepForeground, everyMs } = { ...DEFAULT_PRUNING, ...wishes };
  const mark = join(folder, MARK);
  const marked = statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (now - marked < everyMs) return null;
  const background = backgroundFolders(folder);
  const tasks = taskFolders(folder)
    .flatMap(listFolder)
    .sort((a, b) => b.changedMs - a.changedMs);
  if (tasks.length === 0) return 0;
  writeFileSync(mark, '', { mode: 0o600 });
  utimesSync(mark, now / 1000, now / 1000);
  let room = keepBytes;
  let places = keepForeground;
  let count = 0;
  for (const { folder: own, id, changedMs, bytes } of tasks) {
    room -= bytes;
    const isForeground = !background.includes(own);
    const hasPlace = !isForeground || places > 0;
    if (isForeground) places -= 1;
    if (room >= 0 && hasPlace && now - changedMs < keepDays * DAY_MS) continue;
    if (findRecord(own, id)?.state === 'running') continue;
    deleteTask(own, id);
    count += 1;
  }
  return count;
}

interface Aged {
  readonly folder: string;
  readonly id: string;
  readonly changedMs: number;
  readonly bytes: number;
}

/** By file times only: records are read only if something has to be deleted. */
function listFolder(folder: string): Aged[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((file) => {
    const [recorded, kept] = [idOfRecord(file), idOfKept(file)];
    const id = recorded ?? kept;
    const found = id === null ? undefined : statSync(join(folder, file), { throwIfNoEntry: false });
    if (id === null || found === undefined) return [];
    const output = kept !== null ? found : statSync(nameFiles(folder, id).output, { throwIfNoEntry: false });
    const changedMs = Math.max(found.mtimeMs, output?.mtimeMs ?? 0);
    // Blocks, not length: a ring buffer of which little was written is a sparse file.
    return [{ folder, id, changedMs, bytes: (output?.blocks ?? 0) * 512 }];
  });
}
