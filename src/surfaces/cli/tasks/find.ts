// An id from the command line → the task, or the message if there is none.

import { openTasks, type TaskStore } from '../../../host/tasks.ts';
import type { TaskHandle, TaskInfo } from '../../../host.ts';
import { type Failure, writeFailure } from '../failure.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';

export const UNKNOWN_TASK = 1;
const MAX_NAMED = 5;
const MAX_RECORDS = 100;
const MAX_DISTANCE = 2;

export function withTasks<T>(work: (tasks: TaskStore) => Promise<T>): Promise<T> {
  return work(openTasks());
}

/** Null if there is none: it has been reported then. `why`: for a command whose output is gone. */
export async function findTask(
  tasks: TaskStore,
  id: string,
  output: { readonly json?: true },
  why: (id: string) => Promise<Failure | null> = async () => null,
): Promise<TaskHandle | null> {
  const task = await tasks.task(id);
  if (task !== null) return task;
  const failure = (await why(id)) ?? {
    code: 'no-such-task',
    message: `No such task: ${id}`,
    hint: hintFor(id, await tasks.tasks()),
  };
  if (output.json) process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, error: failure }));
  writeFailure(failure);
  return null;
}

/** A command that ran, and whose output was not kept: `null` if the log does not know it either. */
export async function explainFromLog(id: string): Promise<Failure | null> {
  try {
    const [{ queryAudit }, { whyNot }] = await Promise.all([
      import('../../../api/audit.ts'),
      import('../audit/show.ts'),
    ]);
    const records = [];
    for await (const record of queryAudit({ task: id, limit: MAX_RECORDS })) records.push(record);
    if (records.length === 0) return null;
    const hint = `What is recorded about it: hardshell audit show ${id}`;
    return { code: 'no-such-task', message: `There is no output of ${id}. ${whyNot(records)}`, hint };
  } catch {
    return null;
  }
}

export function hintFor(id: string, tasks: readonly Pick<TaskInfo, 'id'>[]): string {
  if (tasks.length === 0) return 'No tasks. Start one with: hardshell run --background COMMAND';
  const alike = tasks.filter((task) => isAlike(id, task.id)).map((task) => task.id);
  if (alike.length > 0) return `Did you mean ${alike.slice(0, MAX_NAMED).join(' or ')}?`;
  const named = tasks.slice(0, MAX_NAMED).map((task) => task.id);
  const more = tasks.length > named.length ? ` and ${tasks.length - named.length} more` : '';
  return `Tasks: ${named.join(', ')}${more}. \`hardshell tasks --all\` lists them.`;
}

/** Ids end in random letters: an id that was truncated or has a typo is recognized. */
function isAlike(typed: string, id: string): boolean {
  const lower = typed.toLowerCase();
  if (lower.length >= 3 && (id.startsWith(lower) || id.endsWith(lower)) && lower !== id.split('-')[0]) return true;
  return Math.abs(lower.length - id.length) <= MAX_DISTANCE && distance(lower, id) <= MAX_DISTANCE;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
