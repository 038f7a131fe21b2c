// Finds processes by a variable in their environment, wherever they were reparented to.

import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const NAME = 'HARDSHELL_TEST_MARK';

export interface Mark {
  env: Record<string, string>;
  /** All of them, with shells that only wait for a command. */
  pids: () => number[];
  /** Those that run something. */
  count: () => number;
  untilGone: (ms: number) => Promise<number>;
}

export function makeMark(): Mark {
  const value = randomUUID();
  const count = () => findMarked(value).filter((pid) => !isWaiting(pid)).length;
  return {
    env: { [NAME]: value },
    pids: () => findMarked(value),
    count,
    async untilGone(ms) {
      for (const deadline = Date.now() + ms; count() > 0 && Date.now() < deadline; ) await pause(20);
      return count();
    },
  };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export async function until(condition: () => boolean | Promise<boolean>, ms: number): Promise<boolean> {
  for (const deadline = Date.now() + ms; Date.now() < deadline; await pause(10)) if (await condition()) return true;
  return condition();
}

function findMarked(value: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        // A process that is dead but not yet reaped has no environment any more.
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${NAME}=${value}`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Whether it is a shell that is held by its supervisor, or is being loaded for that: its text is a comment, or spaces. */
function isWaiting(pid: number): boolean {
  try {
    const isTraced = !/^TracerPid:\s+0$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return isTraced && /\0(# hardshell: a shell that waits| +\0$)/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
  } catch {
    return false;
  }
}
