// The tasks of this user: a folder of records → the current state of each, from all processes, also after a restart.
// Unreadable records are skipped: one broken file must not hide the others.

import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { isTaskId } from '../core/names/task-id.ts';
import type { TaskInfo } from '../core/running.ts';
import { replaceWhole } from '../local/whole-file.ts';
import type { KeptOutput } from '../run/output.ts';
import { isHostGone, readRecord, type TaskRecord } from '../run/record.ts';
import { openSpool } from '../run/spool.ts';
import { moveSpool, openKept, readKeptRecord, writeWithRecord } from './kept-output.ts';
import { backgroundFolders, foregroundFolder, idOfRecord, nameFiles, taskFolders } from './names.ts';
import { notesOf } from './notes.ts';
import { statusOf } from './status.ts';

/** Written by the host into a record at the start; the supervisor adds the rest. */
export interface TaskFields {
  readonly id: string;
  readonly command: string;
  readonly description: string | null;
  readonly cwd: string;
  readonly session: string | null;
}

/** So that a long list does not block the event loop. */
const AT_ONCE = 256;

export function signalName(number: number): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found === undefined ? `SIG${number}` : found[0];
}

export function findRecord(folder: string, id: string): TaskRecord | null {
  if (!isTaskId(id)) return null;
  const { record, kept } = nameFiles(folder, id);
  try {
    return readRecord(record);
  } catch {
    return readKeptRecord(kept);
  }
}

/** The folder of the task or foreground command; null if there is none. */
export function findFolder(folder: string, id: string): string | null {
  return taskFolders(folder).find((each) => findRecord(each, id) !== null) ?? null;
}

export function openOutput(folder: string, id: string): Promise<KeptOutput> {
  const { output, kept } = nameFiles(folder, id);
  return existsSync(kept) ? openKept(kept) : openSpool(output);
}

/** Newest first. */
export async function listTasks(folder: string): Promise<readonly TaskInfo[]> {
  const tasks: TaskInfo[] = [];
  let count = 0;
  for (const own of backgroundFolders(folder).filter((each) => each === folder || existsSync(each)))
    for (const file of readdirSync(own)) {
      const id = idOfRecord(file);
      if (id === null) continue;
      const record = findRecord(own, id);
      if (record !== null) tasks.push(await describeTask(own, id, record));
      count += 1;
      if (count % AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  return tasks.sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? -1 : 1));
}

/** Tasks that a command of a session may signal: its own, and those of processes that have ended. */
export async function listSignalable(folder: string, session: string | null): Promise<readonly TaskInfo[]> {
  const running = (await listTasks(folder)).filter(({ state }) => state === 'running');
  return running.filter((task) => {
    if (task.session === session) return true;
    const record = findRecord(dirname(task.outputFile), task.id);
    return record !== null && isHostGone(record);
  });
}

export async function describeTask(folder: string, id: string, record: TaskRecord): Promise<TaskInfo> {
  const { fields, signal } = record;
  const { output, kept } = nameFiles(folder, id);
  return {
    id,
    command: textOf(fields.command) ?? '',
    description: textOf(fields.description),
    state: record.state,
    status: statusOf(record),
    pid: record.pid,
    pgid: record.pgid,
    cwd: textOf(fields.cwd) ?? '/',
    session: textOf(fields.session),
    startedAt: record.startedAtMs,
    finishedAt: record.finishedAtMs,
    exitCode: record.exitCode,
    signal: signal === null ? null : signalName(signal),
    cause: record.state !== 'finished' || record.cause === 'none' ? null : record.cause,
    notes: notesOf(record),
    outputFile: existsSync(kept) ? kept : output,
    outputBytes: await countOutput(record, output),
  };
}

async function countOutput({ state, fields }: TaskRecord, path: string): Promise<number> {
  const { stdoutBytes, stderrBytes } = fields;
  if (state === 'finished' && typeof stdoutBytes === 'number' && typeof stderrBytes === 'number')
    return stdoutBytes + stderrBytes;
  return openSpool(path).then(
    (output) => output.totalBytes,
    () => 0,
  );
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The output first: as long as there is a record, the rest can be found and deleted later. */
export function deleteTask(folder: string, id: string): void {
  const { output, record, cwd, kept } = nameFiles(folder, id);
  for (const path of [output, `${output}.map`, cwd, kept, record]) rmSync(path, { force: true });
}

/** Longer than any foreground command may take. */
const ORPHAN_MS = 7 * 24 * 60 * 60 * 1000;

/** Files of foreground commands whose host was killed: no record refers to them. */
export function deleteOrphans(folder: string, now = Date.now()): void {
  if (!existsSync(folder)) return;
  const names = readdirSync(folder);
  const known = new Set(names.flatMap((name) => idOfRecord(name) ?? []));
  for (const name of names) {
    const [id = '', ending = ''] = [name.slice(0, name.indexOf('.')), name.slice(name.indexOf('.') + 1)];
    if (!isTaskId(id) || known.has(id) || !/^(?:out(?:\.map)?|cwd|json\..*new)$/.test(ending)) continue;
    const path = join(folder, name);
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (changed < now - ORPHAN_MS) rmSync(path, { force: true });
  }
}

export interface Ended {
  readonly pid: number;
  readonly startedAt: number;
  readonly exitCode: number | null;
  readonly signal: number | null;
  readonly cause: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

/** For a foreground command whose output is kept: it is found, read and deleted like the output of a task. */
export function writeEndedRecord(folder: string, fields: TaskFields, ended: Ended): void {
  const { record } = nameFiles(folder, fields.id);
  try {
    replaceWhole(record, `${JSON.stringify(endedRecord(fields, ended))}\n`);
  } catch {
    // The output file still exists, and the result names it.
  }
}

function endedRecord(fields: TaskFields, ended: Ended): object {
  const { exitCode, signal, ...rest } = ended;
  const how = signal === null ? { exitCode } : { signal };
  return { ...fields, state: 'finished', ...rest, pgid: ended.pid, supervisor: 0, finishedAt: Date.now(), ...how };
}

/** Where the output of a command in the foreground is that is too long to be shown. */
export function longOutputFile(folder: string, id: string): string {
  return nameFiles(foregroundFolder(folder), id).output;
}

/** It belongs to the record of the command: it is not a task, and is not deleted with the tasks. Returns its file. */
export function keepLongOutput(folder: string, fields: TaskFields, ended: Ended): string {
  const from = nameFiles(folder, fields.id).output;
  const to = longOutputFile(folder, fields.id);
  try {
    moveSpool(from, to);
    writeEndedRecord(foregroundFolder(folder), fields, ended);
    return to;
  } catch {
    writeEndedRecord(folder, fields, ended);
    return from;
  }
}

/** Keeps the output of a command in the foreground. A failure is not reported: the caller already has the output. */
export async function keepOutput(folder: string, fields: TaskFields, ended: Ended, output: KeptOutput): Promise<void> {
  const past = foregroundFolder(folder);
  const files = nameFiles(past, fields.id);
  try {
    if (output.path === null)
      writeWithRecord(files.kept, await output.read(0, output.totalBytes), endedRecord(fields, ended));
    else {
      moveSpool(output.path, files.output);
      writeEndedRecord(past, fields, ended);
    }
  } catch {
    deleteTask(folder, fields.id);
    deleteTask(past, fields.id);
  }
}
