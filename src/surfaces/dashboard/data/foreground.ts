// The audit log → commands that run now by its word: they began, have not ended, and are alive. For those whose process
// does not let others look: they are seen, and no more.

import type { AuditReader, AuditRecord } from '../../../host.ts';
import type { WaitedCommand } from '../wire.ts';
import { startOf } from './samples.ts';

const LOOK_BACK_MS = 86_400_000;
const MAX_RECORDS = 2_000;
const MAX_RUNNING = 50;
/** What is younger may be about to be shown by its own process, or to end. */
const YOUNG_MS = 2_000;
/** A process that began so much later than the command has its number from another one. */
const REUSED_MS = 10_000;

type Started = Omit<WaitedCommand, 'samples' | 'host' | 'outputBytes'> & { readonly pid: number };

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

  /** The newest first, without those that are known otherwise. */
  running(known: ReadonlySet<string>, now: number): readonly Started[] {
    // One whose process was killed left no word of its end.
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
