// Records of background tasks, as their supervisors write them (native/record.c): read without a keeper, from any process.
// A record may outlive its supervisor: "running" counts only while that very process lives, else the task is lost.

import { readFileSync } from 'node:fs';
import { HardshellError } from '../core/errors.ts';

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
  /** Everything in the file, with the fields that the host gave at the start. */
  readonly fields: Readonly<Record<string, unknown>>;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function startOf(pid: number): number | null {
  const stat = readText(`/proc/${pid}/stat`);
  // The name is in brackets and may contain brackets: fields are counted behind the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[19] === undefined ? null : Number(fields[19]);
}

function isAlive(fields: Readonly<Record<string, unknown>>): boolean {
  const boot = readText('/proc/sys/kernel/random/boot_id').trim();
  return fields.bootId === boot && startOf(Number(fields.supervisor)) === fields.supervisorStart;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

export function readRecord(path: string): TaskRecord {
  let fields: Record<string, unknown> | null = null;
  try {
    fields = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new HardshellError('no-output', `there is no readable record at ${path}`, { cause });
  }
  if (fields === null || typeof fields !== 'object' || typeof fields.supervisor !== 'number')
    throw new HardshellError('no-output', `${path} is no record of a task`);
  const isFinished = fields.state === 'finished';
  return {
    state: isFinished ? 'finished' : isAlive(fields) ? 'running' : 'lost',
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

/** A process of this machine that can be told from a later one with the same number; null where nobody tells. */
export interface ProcessMark {
  readonly pid: number;
  readonly start: number;
}

export function markOfThisProcess(): ProcessMark | null {
  const start = startOf(process.pid);
  return start === null ? null : { pid: process.pid, start };
}

/** Whether the process that started the task is gone. What is not known counts as there. */
export function isHostGone({ fields }: TaskRecord): boolean {
  const host = fields.host as Partial<ProcessMark> | null | undefined;
  if (typeof host?.pid !== 'number') return false;
  const boot = readText('/proc/sys/kernel/random/boot_id').trim();
  return fields.bootId !== boot || startOf(host.pid) !== host.start;
}

/** Asks the supervisor to end the task: SIGTERM and a grace period first, or at once. False when there is none to ask. */
export function stopTask(record: TaskRecord, how: 'gently' | 'at-once' = 'gently'): boolean {
  if (record.state !== 'running' || !isAlive(record.fields)) return false;
  try {
    return process.kill(record.supervisorPid, how === 'gently' ? 'SIGTERM' : 'SIGUSR1');
  } catch {
    return false;
  }
}
