// Before the log is read or a task is deleted: the ends of tasks whose process is gone are recorded.

import { auditPlaces } from '../local/places.ts';
import { listOpenTasks } from '../record/open-tasks.ts';

/** Loads the log only if there is something to record. Rejects if it could not be recorded. */
export async function recordTaskEnds(cwd: string): Promise<void> {
  if (listOpenTasks(auditPlaces().folder).length === 0) return;
  const { recordTaskEndsAs } = await import('../recording/task-ends.ts');
  await recordTaskEndsAs({ cwd });
}
