// Ends of tasks that outlived the process that started them → the audit log, from the records of their supervisors.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { stateFolder } from '../local/places.ts';
import type { Audit } from '../record/audit.ts';
import { tryOwn } from '../record/chain/ownership.ts';
import { LOCK_FOLDER } from '../record/chain/segments.ts';
import type { EndEntry } from '../record/entries.ts';
import { recordedChanges } from '../record/observer.ts';
import { forgetOpenTask, listOpenTasks, type OpenTask } from '../record/open-tasks.ts';
import { summarizeChanges } from '../stage/changes.ts';
import { findStage, readJournal } from '../stage/store.ts';
import { type EndedTask, readEndedTask } from '../tasks/ended-task.ts';
import { openAuditIn } from './settings-change.ts';

/** Resolves with the number of recorded ends. If it is interrupted, an end may be recorded twice, but is never lost. */
export async function recordTaskEnds(audit: Pick<Audit, 'folder' | 'record'>): Promise<number> {
  const open = listOpenTasks(audit.folder);
  if (open.length === 0) return 0;
  const locks = join(audit.folder, LOCK_FOLDER);
  mkdirSync(locks, { recursive: true, mode: 0o700 });
  const lock = tryOwn(locks, 'task-ends');
  // Another process is recording them.
  if (lock === null) return 0;
  try {
    let count = 0;
    // Again: another process may have recorded some before this one got the lock.
    for (const one of listOpenTasks(audit.folder)) {
      const ended = readEndedTask(one.tasksFolder ?? join(stateFolder(), 'tasks'), one.task);
      if (ended === 'running' || (ended === null && one.isNew)) continue;
      await audit.record(endOf(one, ended));
      forgetOpenTask(audit.folder, one.task);
      count += 1;
    }
    return count;
  } finally {
    lock.release();
  }
}

function endOf(open: OpenTask, ended: EndedTask | null): EndEntry {
  const { task, session, user, cwd, verdict, risk, answeredBy } = open;
  const subject = { task, session, user, command: ended?.command ?? '', cwd };
  return {
    type: 'end',
    ...subject,
    verdict,
    risk,
    status: ended?.status ?? 'failed',
    exit: ended?.exitCode ?? null,
    signal: ended?.signal ?? null,
    ...(answeredBy === null ? {} : { answeredBy }),
    startedAt: ended?.startedAt ?? null,
    usage: null,
    outputBytes: ended?.outputBytes ?? 0,
    leftoversKilled: 0,
    violations: 0,
    failure: failureOf(ended),
    ...changesOf(task),
  };
}

/** Of a command in the foreground that became a task. */
function changesOf(task: string): Pick<EndEntry, 'changes'> {
  const stage = findStage(task);
  const journal = stage === null ? null : readJournal(stage);
  if (stage === null || journal === null) return {};
  return { changes: recordedChanges(summarizeChanges(stage, journal, 0)) };
}

function failureOf(ended: EndedTask | null): EndEntry['failure'] {
  const cause = ended === null ? 'deleted' : ended.cause;
  if (cause === null) return null;
  if (cause === 'deleted') return unknown('its record was deleted');
  if (cause === 'unknown') return unknown('its supervisor was killed, or the machine was restarted');
  const type = ended?.status === 'timed-out' ? 'execution_timeout' : 'process_terminated';
  const notes = ended?.notes ?? [];
  return { type, message: [`The task was ended (${cause}).`, ...notes].join(' ') };
}

function unknown(why: string): EndEntry['failure'] {
  return { type: 'system_error', message: `How the task ended is not known: ${why}.` };
}

/** For verbs that read the log or delete tasks: first, what has ended in the meantime is recorded. */
export async function recordTaskEndsAs({ cwd }: { readonly cwd: string }): Promise<void> {
  const audit = openAuditIn(cwd);
  if (audit === null) return;
  try {
    await recordTaskEnds(audit);
  } finally {
    await audit.close();
  }
}
