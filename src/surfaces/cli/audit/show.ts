// `hardshell audit show`: the records of one command and, if it was kept, what it printed.

import { type AuditRecord, queryAudit } from '../../../api/audit.ts';
import { describeBinary, isBinary, OutputRedactor } from '../../../host/outputs.ts';
import { openTasks } from '../../../host/tasks.ts';
import type { TaskHandle } from '../../../host.ts';
import { EXIT } from '../failure.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { refusal } from '../refusal.ts';
import { createTerminal } from '../show/terminal.ts';
import { visible } from '../show/visible.ts';
import { settleEnds } from '../task-ends.ts';
import { writeNotes } from '../task-notes.ts';
import { drawRecord } from './drawing.ts';
import { readPlace, type ShowOptions } from './options.ts';

const MAX_RECORDS = 500;
const PART_BYTES = 1 << 16;
/** Longer output is cut, so that the JSON object stays usable. */
const MAX_JSON_BYTES = 1 << 20;

export async function show(task: string, options: ShowOptions): Promise<number> {
  if (options.folder === undefined) await settleEnds();
  const records: AuditRecord[] = [];
  for await (const record of queryAudit({ task, order: 'oldest', limit: MAX_RECORDS, ...readPlace(options) }))
    records.push(record);
  const kept = await openTasks().task(task);
  if (records.length === 0 && kept === null)
    throw refusal(
      'no-such-task',
      `No such command: ${task}`,
      'hardshell audit tail shows the id of each command: it is before the command.',
    );
  if (options.json === true) {
    const output = kept === null ? null : await readShown(kept);
    const notes = kept === null ? [] : (await kept.info()).notes;
    process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, task, records, output, notes }));
    return EXIT.ok;
  }
  const terminal = createTerminal(options);
  for (const record of records) process.stdout.write(`${drawRecord(record, terminal)}\n`);
  for (const text of descriptionsIn(records)) process.stdout.write(`The agent says: ${visible(text)}\n`);
  if (kept === null) process.stderr.write(`hardshell: ${whyNot(records)}\n`);
  else {
    if (!(await print(kept))) process.stdout.write('\n');
    writeNotes(await kept.info());
  }
  return EXIT.ok;
}

/** A command that was checked again has the same one. */
function descriptionsIn(records: readonly AuditRecord[]): ReadonlySet<string> {
  return new Set(records.flatMap((record) => (record.type === 'verdict' ? (record.description ?? []) : [])));
}

/** Why there is no output of a command that is in the log. */
export function whyNot(records: readonly AuditRecord[]): string {
  if (!records.some(({ type }) => type === 'start')) return 'It did not run, so there is no output.';
  if (records.some(isSilentEnd)) return 'It printed nothing.';
  return 'Its output was not kept (keepOutput in the settings), or was deleted in the meantime.';
}

/** The first record of a task says `running`; without an exit code or signal, nothing is known about its output. */
function isSilentEnd(record: AuditRecord): boolean {
  if (record.type !== 'end' || record.outputBytes !== 0) return false;
  return record.status !== 'running' && (record.exit !== null || record.signal !== null);
}

async function* partsOf(task: TaskHandle): AsyncGenerator<{ readonly text: string; readonly cursor: number }> {
  const redactor = new OutputRedactor(process.env);
  for (let cursor = 0; ; ) {
    const part = await task.read({ cursor, limitBytes: PART_BYTES });
    if (cursor === 0 && isBinary(part.text))
      return yield { text: describeBinary(task.id, (await task.info()).outputBytes), cursor: part.cursor };
    const hasMoved = part.cursor > cursor;
    cursor = part.cursor;
    const isLast = part.isAtEnd || !hasMoved;
    yield { text: redactor.push(part.text) + (isLast ? redactor.flush() : ''), cursor };
    if (isLast) return;
  }
}

/** Whether it ended with a line feed. */
async function print(task: TaskHandle): Promise<boolean> {
  let last = '\n';
  process.stdout.write('\n');
  for await (const { text } of partsOf(task)) {
    const seen = text.replace(/[^\n\t]+/g, (part) => visible(part));
    last = text.at(-1) ?? last;
    await new Promise<void>((resolve) => process.stdout.write(seen, () => resolve()));
  }
  return last === '\n';
}

async function readShown(
  task: TaskHandle,
): Promise<{ readonly text: string; readonly bytes: number; readonly isWhole: boolean }> {
  const { outputBytes: bytes, state } = await task.info();
  let shown = '';
  let read = 0;
  for await (const { text, cursor } of partsOf(task)) {
    shown += text;
    read = cursor;
    if (read >= MAX_JSON_BYTES) break;
  }
  return { text: shown, bytes, isWhole: state === 'finished' && read >= bytes };
}
