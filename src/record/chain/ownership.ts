// A name → this process owns it, or null: locks that never wait. Each is a file with a number, and the highest counts.
// Taking over creates the next number, which only one process can (link); so no live lock is ever removed.

import { linkSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isAlive, readBootId, readProcessStart } from '../../local/processes.ts';
import { replaceWhole, writeDraft } from '../../local/whole-file.ts';

/** An owner that cannot be checked, on another machine or in another container, must update its lock this often. */
const UNSEEN_STALE_MS = 86_400_000;
const ATTEMPTS = 5;

export interface Ownership {
  /** Not taken over by another process. */
  isHeld(): boolean;
  /** Shows that the owner is alive. */
  touch(): void;
  release(): void;
}

interface Owner {
  readonly pid: number;
  /** The start time of the process, from the kernel: process ids are reused. */
  readonly started: string | null;
  readonly boot: string | null;
  readonly host: string;
  /** The pid namespace in which the process id is valid. */
  readonly space: string | null;
  readonly isReleased: boolean;
}

export function tryOwn(folder: string, name: string): Ownership | null {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const top = Math.max(0, ...generations(folder, name));
    if (top > 0) {
      const state = stateOf(join(folder, fileOf(name, top)));
      if (state === 'held') return null;
      // Another process has taken the next one in the meantime.
      if (state === 'vanished') continue;
    }
    const mine = top + 1;
    if (!place(folder, fileOf(name, mine))) return null;
    const others = generations(folder, name);
    if (others.some((generation) => generation > mine)) {
      rmSync(join(folder, fileOf(name, mine)), { force: true });
      continue;
    }
    for (const old of others) if (old < mine) rmSync(join(folder, fileOf(name, old)), { force: true });
    removeLeftovers(folder, name);
    return {
      isHeld: () => Math.max(0, ...generations(folder, name)) === mine,
      touch: () => utimesSync(join(folder, fileOf(name, mine)), new Date(), new Date()),
      release: () => {
        if (Math.max(0, ...generations(folder, name)) !== mine) return;
        // It keeps its number, so that a process that read it earlier cannot create that number again.
        replace(join(folder, fileOf(name, mine)), { ...me(), isReleased: true });
      },
    };
  }
  return null;
}

/** From processes that were killed while they tried. A process that is trying now notices, and gives up. */
function removeLeftovers(folder: string, name: string): void {
  for (const file of readdirSync(folder))
    if (file.startsWith(`${name}.`) && file.endsWith('.tmp')) rmSync(join(folder, file), { force: true });
}

function fileOf(name: string, generation: number): string {
  return `${name}.${generation}.lock`;
}

function generations(folder: string, name: string): number[] {
  const numbers: number[] = [];
  for (const file of readdirSync(folder)) {
    if (!file.startsWith(`${name}.`) || !file.endsWith('.lock')) continue;
    const number = Number(file.slice(name.length + 1, -'.lock'.length));
    if (Number.isSafeInteger(number)) numbers.push(number);
  }
  return numbers;
}

/** A hard link appears with its content: an empty lock is never visible. */
function place(folder: string, file: string): boolean {
  const path = join(folder, file);
  const temporary = writeDraft(path, JSON.stringify(me()));
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function replace(path: string, owner: Owner): void {
  replaceWhole(path, JSON.stringify(owner));
}

function stateOf(path: string): 'held' | 'free' | 'vanished' {
  let owner: Partial<Owner>;
  let age: number;
  try {
    age = Date.now() - statSync(path).mtimeMs;
    owner = JSON.parse(readFileSync(path, 'utf8')) as Partial<Owner>;
  } catch (error) {
    // An invalid one, after a power failure, has no owner.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'vanished' : 'free';
  }
  if (owner.isReleased === true) return 'free';
  const self = me();
  if (owner.host === self.host && owner.boot !== self.boot) return 'free';
  if (owner.host !== self.host || owner.space !== self.space) return age > UNSEEN_STALE_MS ? 'free' : 'held';
  return isOwnerAlive(owner) ? 'held' : 'free';
}

function isOwnerAlive({ pid = 0, started = null }: Partial<Owner>): boolean {
  if (!isAlive(pid)) return false;
  const now = readProcessStart(pid);
  return now === null || started === null || now === started;
}

let self: Owner | null = null;

function me(): Owner {
  self ??= {
    pid: process.pid,
    started: readProcessStart(process.pid),
    boot: readBootId() || null,
    host: hostname(),
    space: readOr(() => readlinkSync('/proc/self/ns/pid')),
    isReleased: false,
  };
  return self;
}

function readOr(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
