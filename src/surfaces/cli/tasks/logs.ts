// `hardshell tasks logs`: the output of a task from a byte offset, once or until the task ends.

import { open } from 'node:fs/promises';
import type { TaskHandle, TaskInfo } from '../../../host.ts';
import { EXIT } from '../failure.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { writeNotes } from '../task-notes.ts';
import { explainFromLog, findTask, UNKNOWN_TASK, withTasks } from './find.ts';
import type { LogsOptions } from './options.ts';

const LOOK_MS = 100;
const PART_BYTES = 1 << 20;

export function logs(id: string, options: LogsOptions): Promise<number> {
  return withTasks(async (tasks) => {
    const task = await findTask(tasks, id, options, explainFromLog);
    if (task === null) return UNKNOWN_TASK;
    await copy(task, options);
    if (!options.json) writeNotes(await task.info());
    return EXIT.ok;
  });
}

async function copy(task: TaskHandle, options: LogsOptions): Promise<void> {
  let { cursor } = options;
  for (;;) {
    // In this order: output written before the end is then read, too.
    const info = await task.info();
    const end = await copyWhatIsThere(task, cursor, options, info);
    const { state } = info;
    const isFinished = state !== 'running' && end === cursor;
    cursor = end;
    if (!options.follow || isFinished) return;
    if (state === 'running') await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Returns the byte at which to continue. */
async function copyWhatIsThere(task: TaskHandle, from: number, options: LogsOptions, info: TaskInfo): Promise<number> {
  let cursor = from;
  for (;;) {
    const part = await task.read({ cursor, limitBytes: PART_BYTES });
    const start = cursor;
    const hasMoved = part.cursor > start;
    cursor = part.cursor;
    if (options.json && (hasMoved || !options.follow)) {
      await write(
        toLine({ schemaVersion: SCHEMA_VERSION, id: task.id, state: info.state, ...part, notes: info.notes }),
      );
    } else if (part.text !== '') await write(await bytesOf(part.text, start, part.cursor, info.outputFile));
    if (!hasMoved || part.isAtEnd || (options.json && !options.follow)) return cursor;
  }
}

/** Bytes that are not text were lost on the way. The file has them, and they count if they decode to the same. */
async function bytesOf(text: string, from: number, to: number, path: string): Promise<Uint8Array | string> {
  if (!text.includes('\ufffd')) return text;
  try {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
      const isSame = bytesRead === to - from && new TextDecoder('utf-8', { ignoreBOM: true }).decode(buffer) === text;
      return isSame ? buffer : text;
    } finally {
      await file.close();
    }
  } catch {
    return text;
  }
}

function write(text: Uint8Array | string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()));
}
