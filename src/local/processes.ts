// Other processes of this machine: whether one lives, and when it began.

import { readFileSync } from 'node:fs';

/** Whether a process has this number now. It may be another one than the one that is meant: see `readProcessStart`. */
export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** With the pid it names a process for good. `ended`: a zombie; `null`: gone, or the system does not tell. */
export function readProcessStart(pid: number): string | 'ended' | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The name of the program may contain anything: fields are counted behind its last bracket.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : (fields[19] ?? null);
}

/** Another one after each start of the machine; empty where the system does not tell. */
export function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return '';
  }
}
