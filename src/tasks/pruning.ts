// Deletes old outputs in the tasks folder, and the oldest if there are too many.
// At most once a day. Running tasks are never touched; a task that is being read stays readable until it is closed.

import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { idOfRecord, nameFiles } from './names.ts';
import { deleteTask, findRecord } from './registry.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MARK = 'pruned';

export interface Pruning {
  /** A task that ended longer ago is deleted. */
  readonly keepDays: number;
  /** The oldest are deleted if the outputs of all ended tasks take more space. */
  readonly keepBytes: number;
}

const DEFAULT_PRUNING: Pruning = { keepDays: 30, keepBytes: 4 * 2 ** 30 };

/** Returns how many tasks were deleted; null if it already ran within the last day. */
export function pruneTasks(
  folder: string,
  { keepDays, keepBytes }: Pruning = DEFAULT_PRUNING,
  now = Date.now(),
): number | null {
  const mark = join(folder, MARK);
  const marked = statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (now - marked < DAY_MS) return null;
  const tasks = listByAge(folder);
  if (tasks.length === 0) return 0;
  writeFileSync(mark, '', { mode: 0o600 });
  utimesSync(mark, now / 1000, now / 1000);
  let room = keepBytes;
  let count = 0;
  for (const { id, changedMs, bytes } of tasks) {
    room -= bytes;
    if (room >= 0 && now - changedMs < keepDays * DAY_MS) continue;
    if (findRecord(folder, id)?.state === 'running') continue;
    deleteTask(folder, id);
    count += 1;
  }
  return count;
}

/** Newest first. By file times only: records are read only if something has to be deleted. */
function listByAge(folder: string): { id: string; changedMs: number; bytes: number }[] {
  const tasks = readdirSync(folder).flatMap((file) => {
    const id = idOfRecord(file);
    const record = id === null ? undefined : statSync(join(folder, file), { throwIfNoEntry: false });
    if (id === null || record === undefined) return [];
    const output = statSync(nameFiles(folder, id).output, { throwIfNoEntry: false });
    const changedMs = Math.max(record.mtimeMs, output?.mtimeMs ?? 0);
    // Blocks, not length: a ring buffer of which little was written is a sparse file.
    return [{ id, changedMs, bytes: (output?.blocks ?? 0) * 512 }];
  });
  return tasks.sort((a, b) => b.changedMs - a.changedMs);
}
