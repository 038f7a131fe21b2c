// The audit log → running commands according to the log: started, not ended, and alive. For those whose process
// does not let others look: they are listed only.

import type { AuditReader, AuditRecord } from '../../../host.ts';
import type { WaitedCommand } from '../wire.ts';
import { startOf } from './samples.ts';

const LOOK_BACK_MS = 86_400_000;
const MAX_RECORDS = 2_000;
const MAX_RUNNING = 50;
/** Younger ones may be about to be shown by their own process, or to end. */
const YOUNG_MS = 2_000;
/** A process that started this much later than the command has reused its PID. */
const REUSED_MS = 10_000;

type Started = Omit<WaitedCommand, 'samples' | 'host' | 'outputBytes'> & { readonly pid: number };

export class Foreground {
  readonly #started = new Map<string, Started>();

  /** Commands that started before the dashboard. */
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

  /** Newest first, without those that are known from other sources. */
  running(known: ReadonlySet<string>, now: number): readonly Started[] {
    // A process that was killed recorded no end.
    for (const one of this.#started.values()) if (!isAlive(one)) this.#started.delete(one.task);
    const running = [...this.#started.values()].filter(
      ({ task, startedAt }) => !known.has(task) && now - startedAt > YOUNG_MS,
    );
    return running.sort((a, b) => b.startedAt - a.startedAt).slice(0, MAX_RUNNING);
  }
}

function isAlive({ pid, startedAt }: Started): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const began = startOf(pid);
  return began === null || began < startedAt + REUSED_MS;
}
