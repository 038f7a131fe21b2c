// Other processes, through /proc: the state of one, and killing one with everything below it.

import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessStatus {
  /** As in /proc/PID/stat: R runs or waits for a CPU, S sleeps, D waits for a device, T is stopped, Z is dead. */
  readonly state: string;
  /** Of the program, up to 15 characters. */
  readonly name: string;
  readonly parent: number;
  readonly session: number;
  /** Together with the PID it identifies a process uniquely. */
  readonly start: string;
}

export function readStatus(pid: number): ProcessStatus | null {
  const text = readText(`/proc/${pid}/stat`);
  // The name is in brackets and may contain brackets: fields are counted after the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, , session] = fields;
  const start = fields[19];
  return state === undefined || start === undefined
    ? null
    : {
        state,
        name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')),
        parent: Number(parent),
        session: Number(session),
        start,
      };
}

/** By a signal, or by a debugger. */
export function isStopped(pid: number): boolean {
  return /[Tt]/.test(readStatus(pid)?.state ?? '');
}

/** Or waits for a CPU, or for a disk. */
export function isRunning(pid: number): boolean {
  return /[RD]/.test(readStatus(pid)?.state ?? '');
}

export function listChildren(pid: number): number[] {
  return namesIn(`/proc/${pid}/task`).flatMap((task) => {
    const text = readText(`/proc/${pid}/task/${task}/children`).trim();
    return text === '' ? [] : text.split(' ').map(Number);
  });
}

/** The process first: it must not see its children die and report that as their end. */
export function killTree(pid: number): void {
  const found = [{ pid, start: readStatus(pid)?.start }];
  for (const each of found)
    for (const child of listChildren(each.pid))
      if (found.length < MAX_PROCESSES) found.push({ pid: child, start: readStatus(child)?.start });
  for (const each of found)
    if (each.start !== undefined && readStatus(each.pid)?.start === each.start) sendSignal(each.pid, 'SIGKILL');
}

/**
 * Leftovers of a confined command whose supervisor and keeper were both killed: no other process looks for them. Its first
 * process, which is gone, was the session leader. Processes that left the session are not found.
 */
export function killSession(session: number): void {
  for (const name of namesIn('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || readStatus(pid)?.session !== session) continue;
    // Only hardshell's commands are both; the PID may belong to another process by now.
    const status = readText(`/proc/${pid}/status`);
    if (/^NoNewPrivs:\s*1$/m.test(status) && /^Seccomp:\s*2$/m.test(status)) sendSignal(pid, 'SIGKILL');
  }
}

/** A process that is already gone needs none. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
}

const MAX_PROCESSES = 8192;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
