// Listings of folders and contents of files, kept while the kernel's change time says that they are the same.
// A command can set modification times, but not change times. Where these cannot be relied on, everything is read anew.

import { readdirSync, type Stats, statfsSync, statSync } from 'node:fs';

/** Change times advance in ticks of some milliseconds: what changed a moment before it was read may change again unseen. */
const SETTLED_MS = 100;
const MAX_KEPT = 20_000;
/** ext2 to ext4, xfs, tmpfs, btrfs, overlay, f2fs: as in native/touched.c. */
const RELIABLE = new Set([0xef53, 0x58465342, 0x01021994, 0x9123683e, 0x794c7630, 0xf2f52010]);

interface Kept<Value> {
  readonly identity: string;
  readonly value: Value;
}

/** Path → what `read` makes of the file or folder there, once for each change of it. */
export class Unchanged<Value> {
  readonly #kept = new Map<string, Kept<Value>>();
  readonly #read: (path: string) => Value;
  readonly #absent: Value;

  /** `absent`: for a path that leads nowhere. Most repositories lack some files, and an error costs more than a look. */
  constructor(read: (path: string) => Value, absent: Value) {
    this.#read = read;
    this.#absent = absent;
  }

  get(path: string): Value {
    const found = infoOf(path);
    if (found === undefined) {
      this.#kept.delete(path);
      return this.#absent;
    }
    const identity = identityOf(found);
    const kept = this.#kept.get(path);
    if (kept?.identity === identity) return kept.value;
    const readAtMs = Date.now();
    const value = this.#read(path);
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    if (readAtMs - found.ctimeMs > SETTLED_MS && isReliable(path, found.dev)) this.#kept.set(path, { identity, value });
    else this.#kept.delete(path);
    return value;
  }
}

function identityOf({ dev, ino, size, ctimeMs }: Stats): string {
  return `${dev} ${ino} ${size} ${ctimeMs}`;
}

const devices = new Map<number, boolean>();

function isReliable(path: string, device: number): boolean {
  let known = devices.get(device);
  if (known === undefined) {
    try {
      known = RELIABLE.has(statfsSync(path).type);
    } catch {
      return false;
    }
    devices.set(device, known);
  }
  return known;
}

function infoOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

export interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
  readonly isFile: boolean;
}

/** Lists only folders, links, and names that matter: a project has a hundred times as many files. */
export function createListing(matters: ReadonlySet<string>): (folder: string) => readonly Entry[] {
  const listings = new Unchanged<readonly Entry[]>((folder) => {
    try {
      return readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() || entry.isSymbolicLink() || matters.has(entry.name))
        .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory(), isFile: entry.isFile() }));
    } catch {
      return [];
    }
  }, []);
  return (folder) => listings.get(folder);
}
