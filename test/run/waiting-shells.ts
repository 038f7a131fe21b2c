// How tests find shells that wait for a command, and see who served one.

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { KeeperBinary } from '../../src/run/keeper/binary.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { RunExit, RunHandle, RunStarted } from '../../src/run/port.ts';
import { type Mark, makeMark, until } from '../contract/marks.ts';

export const BASH = '/bin/bash';

/** Processes of the mark that are held by their supervisor before their first instruction. */
export function findWaiting(mark: Mark): number[] {
  return mark.pids().filter((pid) => {
    try {
      const isHeld = /^State:\s+t/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
      return isHeld && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('# hardshell: a shell that waits');
    } catch {
      return false;
    }
  });
}

/** Whether nothing with this mark is left, waiting or not. */
export function untilNoneIsLeft(mark: Mark): Promise<boolean> {
  return until(() => mark.pids().length === 0, 15_000);
}

export async function untilWaiting(mark: Mark): Promise<number> {
  expect(await until(() => findWaiting(mark).length > 0, 15_000)).toBe(true);
  return findWaiting(mark)[0] as number;
}

export async function outcomeOf(
  handle: RunHandle,
): Promise<{ pid: number; started: RunStarted; exit: RunExit; text: string }> {
  // Both at once: both report a failed start.
  const [started, exit] = await Promise.all([handle.started, handle.done]);
  const text = (await exit.output.read(0, exit.output.totalBytes)).toString();
  return { pid: started.pid, started, exit, text };
}

/** Null, or why no shell can wait on this machine. */
export async function canWait(found: KeeperBinary): Promise<string | null> {
  if (!found.isAvailable) return found.reason;
  const runner = new KeeperRunner(found.path);
  const mark = makeMark();
  try {
    await runner.start({ program: BASH, argv: ['bash', '-c', 'true'], cwd: '/', env: mark.env }).done;
    const isThere = await until(() => findWaiting(mark).length > 0, 15_000);
    return isThere ? null : 'this machine lets no process be held (processor, ptrace or PR_SET_MM_MAP)';
  } finally {
    await runner.close();
  }
}
