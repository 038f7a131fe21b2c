// Finds processes by a variable in their environment, wherever they were reparented to.

import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const NAME = 'HARDSHELL_TEST_MARK';

export function makeMark(): {
  env: Record<string, string>;
  pids: () => number[];
  count: () => number;
  untilGone: (ms: number) => Promise<number>;
} {
  const value = randomUUID();
  const count = () => findMarked(value).length;
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
