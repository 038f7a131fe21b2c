// One writer of a settings file at a time, across all processes of the machine: a lock file next to it.
// A lock whose owner is gone is broken; breaking needs a lock too, so that a live lock is never removed.

import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { HardshellError } from '../../core/errors.ts';
import { describeError } from '../../core/values/error-text.ts';
import { adviceForWriting } from '../../core/values/write-advice.ts';
import { isAlive } from '../../local/processes.ts';

const POLL_MS = 15;
/** Whether a process on another machine is alive cannot be determined; a save takes milliseconds. */
const FOREIGN_STALE_MS = 60_000;
const BREAKER_STALE_MS = 10_000;

export interface LockOptions {
  readonly waitMs?: number;
}

export async function withLock<T>(file: string, work: () => T, { waitMs = 10_000 }: LockOptions = {}): Promise<T> {
  const lock = `${file}.lock`;
  await acquire(lock, waitMs);
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

let count = 0;

async function acquire(lock: string, waitMs: number): Promise<void> {
  const mine = `${lock}.${process.pid}.${count++}`;
  try {
    writeFileSync(mine, `${process.pid} ${hostname()}`, { mode: 0o600 });
    for (let left = waitMs; ; left -= POLL_MS) {
      try {
        // A hard link appears with its content: an empty lock is never visible.
        linkSync(mine, lock);
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      if (isStale(lock)) breakLock(lock);
      else if (left <= 0) throw busy(lock);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  } catch (error) {
    throw error instanceof HardshellError ? error : unwritable(lock, error);
  } finally {
    rmSync(mine, { force: true });
  }
}

function busy(lock: string): HardshellError {
  const owner = readOwner(lock);
  return new HardshellError('unwritable-settings', `Process ${owner?.pid ?? '?'} is changing the settings (${lock}).`, {
    hint: 'Try again. If that process is not hardshell, remove the lock file.',
  });
}

function unwritable(lock: string, cause: unknown): HardshellError {
  const reason = describeError(cause);
  return new HardshellError('unwritable-settings', `The lock ${lock} cannot be created: ${reason}`, {
    hint: adviceForWriting(cause, 'Check the permissions of the folder.'),
    cause,
  });
}

function readOwner(lock: string): { pid: number; host: string } | null {
  try {
    const [pid, host = ''] = readFileSync(lock, 'utf8').split(' ');
    return { pid: Number(pid), host };
  } catch {
    return null;
  }
}

function isStale(lock: string): boolean {
  const owner = readOwner(lock);
  if (owner === null) return false;
  return owner.host === hostname() ? !isAlive(owner.pid) : isOlderThan(lock, FOREIGN_STALE_MS);
}

function isOlderThan(path: string, ms: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > ms;
}

/** Only one process breaks a lock at a time, and it checks again first: a live process may have taken the lock since. */
function breakLock(lock: string): void {
  const breaker = `${lock}.break`;
  try {
    writeFileSync(breaker, String(process.pid), { mode: 0o600, flag: 'wx' });
  } catch {
    if (isOlderThan(breaker, BREAKER_STALE_MS)) rmSync(breaker, { force: true });
    return;
  }
  try {
    if (isStale(lock)) rmSync(lock, { force: true });
  } finally {
    rmSync(breaker, { force: true });
  }
}
