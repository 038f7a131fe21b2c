// Records of background tasks, as their supervisors write them (native/record.c): read without a keeper, from any process.
// A record may outlive its supervisor: "running" counts only while exactly that process lives, otherwise the task is lost.

import { readFileSync } from 'node:fs';
import { HardshellError } from '../core/errors.ts';
import { readBootId, readProcessStart } from '../local/processes.ts';
import { isStopped, sendSignal } from './keeper/processes.ts';

export interface TaskRecord {
  /** `lost`: its supervisor was killed, or the machine was restarted; how the command ended is not known. */
  readonly state: 'running' | 'finished' | 'lost';
  readonly pid: number;
  readonly pgid: number;
  readonly supervisorPid: number;
  readonly startedAtMs: number;
  readonly finishedAtMs: number | null;
  readonly exitCode: number | null;
  readonly signal: number | null;
  readonly cause: string | null;
  /** The whole file, including the fields that the host passed at the start. */
  readonly fields: Readonly<Record<string, unknown>>;
}

function startOf(pid: number): number | null {
  const start = readProcessStart(pid);
  return start === null || start === 'ended' ? null : Number(start);
}

function isSupervised(fields: Readonly<Record<string, unknown>>): boolean {
  return fields.bootId === readBootId() && startOf(Number(fields.supervisor)) === fields.supervisorStart;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

export function readRecord(path: string): TaskRecord {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new HardshellError('no-output', `there is no readable record at ${path}`, { cause });
  }
  return parseRecord(text, path);
}

/** `path` is where the text is from. */
export function parseRecord(text: string, path: string): TaskRecord {
  let fields: Record<string, unknown> | null = null;
  try {
    fields = JSON.parse(text);
  } catch (cause) {
    throw new HardshellError('no-output', `no readable record at ${path}`, { cause });
  }
  if (fields === null || typeof fields !== 'object' || typeof fields.supervisor !== 'number')
    throw new HardshellError('no-output', `${path} is not a task record`);
  const isFinished = fields.state === 'finished';
  return {
    state: isFinished ? 'finished' : isSupervised(fields) ? 'running' : 'lost',
    pid: Number(fields.pid),
    pgid: Number(fields.pgid),
    supervisorPid: fields.supervisor,
    startedAtMs: Number(fields.startedAt),
    finishedAtMs: numberOrNull(fields.finishedAt),
    exitCode: numberOrNull(fields.exitCode),
    signal: numberOrNull(fields.signal),
    cause: typeof fields.cause === 'string' ? fields.cause : null,
    fields,
  };
}

/** Identifies a process so that a later one with the same PID is not confused with it; null if not available. */
export interface ProcessMark {
  readonly pid: number;
  readonly start: number;
}

export function markOfThisProcess(): ProcessMark | null {
  const start = startOf(process.pid);
  return start === null ? null : { pid: process.pid, start };
}

/** Whether the process that started the task is gone. If unknown, it counts as alive. */
export function isHostGone({ fields }: TaskRecord): boolean {
  const host = fields.host as Partial<ProcessMark> | null | undefined;
  if (typeof host?.pid !== 'number') return false;
  return fields.bootId !== readBootId() || startOf(host.pid) !== host.start;
}

/** Asks the supervisor to end the task: with SIGTERM and a grace period, or at once. False if there is no supervisor. */
export function stopTask(record: TaskRecord, how: 'gently' | 'at-once' = 'gently'): boolean {
  if (record.state !== 'running' || !isSupervised(record.fields)) return false;
  try {
    process.kill(record.supervisorPid, how === 'gently' ? 'SIGTERM' : 'SIGUSR1');
  } catch {
    return false;
  }
  continueTask(record);
  return true;
}

/** A supervisor that was stopped (SIGSTOP) holds no time limit and ends nothing; without its host no one else continues it. */
export function continueTask(record: TaskRecord): void {
  if (record.state === 'running' && isStopped(record.supervisorPid) && isSupervised(record.fields))
    sendSignal(record.supervisorPid, 'SIGCONT');
}
