// One process at a time: a lock file that contains the owner's process id.
// A lock whose owner is gone is taken over, so a killed set-up never blocks the next one.

import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const POLL_MS = 100;

export function withLock(path, say, work) {
  mkdirSync(dirname(path), { recursive: true });
  acquire(path, say);
  try {
    work();
  } finally {
    rmSync(path, { force: true });
  }
}

function acquire(path, say) {
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    for (let said = false; ; sleep(POLL_MS)) {
      try {
        // A link appears with its content: no other process ever reads an empty lock.
        linkSync(mine, path);
        return;
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
      const owner = ownerOf(path);
      if (owner !== null && !isAlive(owner)) takeAway(path, owner);
      else if (!said) {
        say(`waiting for process ${owner ?? '?'}, which is preparing this folder …`);
        said = true;
      }
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

function ownerOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

// Another waiter may have replaced the dead lock in the meantime: the moved lock is checked, and put back if alive.
function takeAway(path, deadOwner) {
  const aside = `${path}.dead.${process.pid}`;
  try {
    renameSync(path, aside);
    if (ownerOf(aside) !== deadOwner) linkSync(aside, path);
  } catch {
    // Another process was faster; the next round sees the new state.
  }
  rmSync(aside, { force: true });
}

function sleep(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
