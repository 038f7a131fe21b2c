// The audit log → commands that run in the foreground of some process now: they began, have not ended, and are alive.
// They belong to the process that waits for them: here they are only seen.

import type { AuditReader, AuditRecord } from '../../../index.ts';
import type { ForegroundCommand } from '../wire.ts';

const LOOK_BACK_MS = 86_400_000;
const MAX_RECORDS = 2_000;
const MAX_RUNNING = 50;

type Started = Omit<ForegroundCommand, 'samples'> & { readonly pid: number };

export class Foreground {
  readonly #started = new Map<string, Started>();

  /** What began before anybody watched. */
  async begin(reader: AuditReader, now: number): Promise<void> {
    const ended = new Set<string>();
    const query = { types: ['start', 'end'], since: now - LOOK_BACK_MS, limit: MAX_RECORDS };
    for await (const record of reader.query(query)) {
      if (record.type === 'end') ended.add(record.task);
      else if (record.type === 'start' && !ended.has(record.task)) this.note(record);
    }
  }

  note(record: AuditRecord): void {
    if (record.type === 'end') this.#started.delete(record.task);
    if (record.type !== 'start') return;
    const { task, command, cwd, session, at, pid } = record;
    this.#started.set(task, { task, command, cwd, session, startedAt: at, pid });
  }

  /** The newest first. One whose process was killed left no word of its end. */
  running(tasks: ReadonlySet<string>): readonly Started[] {
    for (const { task, pid } of this.#started.values()) if (!isAlive(pid)) this.#started.delete(task);
    const running = [...this.#started.values()].filter(({ task }) => !tasks.has(task));
    return running.sort((a, b) => b.startedAt - a.startedAt).slice(0, MAX_RUNNING);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
