// The index: an SQLite database next to the segments, which can always be rebuilt from them.
// The library's file locks outlive a killed process and its journals are never replayed: a marker shows that a change is
// in progress, and a process that finds the marker without a live owner deletes the index.

import { existsSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'node-sqlite3-wasm';
import { syncFile } from '../../local/durable.ts';
import { type Ownership, tryOwn } from '../chain/ownership.ts';
import { LOCK_FOLDER } from '../chain/segments.ts';

const VERSION = 1;
const FILE = 'index.db';
const MARK = 'index.changing';
const POLL_MS = 5;
const WAIT_MS = 30_000;
/** No reader takes this long; a change is identified by its owner. */
const STALE_LOCK_MS = 5000;

const TABLES = `
  CREATE TABLE segment (lane INTEGER, segment INTEGER, bytes INTEGER, hash TEXT, first INTEGER, last INTEGER,
    PRIMARY KEY (lane, segment)) WITHOUT ROWID;
  CREATE TABLE record (id INTEGER PRIMARY KEY, at INTEGER, segment INTEGER, offset INTEGER, length INTEGER, type TEXT,
    task TEXT, session TEXT, verdict TEXT, risk TEXT, exit INTEGER, command TEXT);
  CREATE TABLE path (path TEXT, id INTEGER, PRIMARY KEY (path, id)) WITHOUT ROWID;
`;
/** Each ends with the id, so that all are in the order of time. */
const INDEXES = `
  CREATE INDEX by_at ON record (at);
  CREATE INDEX by_type ON record (type, at);
  CREATE INDEX by_verdict ON record (verdict, at) WHERE verdict IS NOT NULL;
  CREATE INDEX by_risk ON record (risk, at) WHERE risk IS NOT NULL;
  CREATE INDEX by_session ON record (session, at) WHERE session IS NOT NULL;
  CREATE INDEX by_task ON record (task, at) WHERE task IS NOT NULL;
  CREATE INDEX by_exit ON record (exit, at) WHERE exit IS NOT NULL;
`;

/** `lane-segment` → how much of it is in the index, and the hash of the last indexed line. */
export type KnownSegments = ReadonlyMap<string, { readonly bytes: number; readonly hash: string }>;

export class IndexUnusable extends Error {}

export class Store {
  readonly #folder: string;
  #database: Database | null = null;
  #inode = 0;
  #known: KnownSegments | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Loads the library on the first call. Another process may have rebuilt the index since. */
  async open(): Promise<void> {
    const path = join(this.#folder, FILE);
    if (this.#database !== null && statSync(path, { throwIfNoEntry: false })?.ino !== this.#inode) this.close();
    if (this.#database !== null) return;
    const { default: sqlite } = await import('node-sqlite3-wasm');
    this.#database = new sqlite.Database(path);
    this.#inode = statSync(path).ino;
    // They live as long as the connection, and do not access the file.
    this.#database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -16000');
  }

  close(): void {
    try {
      this.#database?.close();
    } finally {
      this.#database = null;
      this.#known = null;
    }
  }

  /** What this connection has read from it, if it is still the same index. */
  async lastKnown(): Promise<KnownSegments | null> {
    await this.open();
    return this.#known;
  }

  /** `null`: it does not exist, has another version, or is broken. */
  async segments(): Promise<KnownSegments | null> {
    try {
      this.#known = await this.read((database) => {
        if (Number(database.get('PRAGMA user_version')?.user_version) !== VERSION) return null;
        const rows = database.all('SELECT lane, segment, bytes, hash FROM segment');
        return new Map(
          rows.map((row) => [`${row.lane}-${row.segment}`, { bytes: Number(row.bytes), hash: String(row.hash) }]),
        );
      });
      return this.#known;
    } catch (error) {
      if (error instanceof IndexUnusable) throw error;
      this.close();
      return null;
    }
  }

  /** Retries while another process uses it. */
  async read<T>(work: (database: Database) => T): Promise<T> {
    for (const deadline = Date.now() + WAIT_MS; ; ) {
      try {
        await this.open();
        return work(this.#database as Database);
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (Date.now() > deadline) throw new IndexUnusable('The index is in use by another process.');
      }
      this.#removeStaleLock();
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** By one process at a time. `isNew`: the index is empty and gets its order at the end. */
  async change(work: (database: Database, place: { readonly isNew: boolean }) => Promise<void>): Promise<void> {
    const owner = await this.#own();
    this.#known = null;
    const mark = join(this.#folder, MARK);
    try {
      const isNew = existsSync(mark) || (await this.segments()) === null;
      if (isNew) this.#remove();
      await this.open();
      writeFileSync(mark, '', { mode: 0o600 });
      const database = this.#database as Database;
      await this.read(() => database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'));
      if (isNew) database.exec(TABLES);
      await work(database, { isNew });
      if (isNew) database.exec(`${INDEXES} PRAGMA user_version = ${VERSION}`);
      database.exec('COMMIT');
      syncFile(join(this.#folder, FILE));
      rmSync(mark);
    } catch (error) {
      this.close();
      throw error;
    } finally {
      owner.release();
    }
  }

  /** Its content is wrong: the next change rebuilds it. */
  discard(): void {
    this.close();
    writeFileSync(join(this.#folder, MARK), '', { mode: 0o600 });
  }

  /** Whether a change was started and its owner is no longer alive. */
  isAbandoned(): boolean {
    if (!existsSync(join(this.#folder, MARK))) return false;
    const owner = tryOwn(join(this.#folder, LOCK_FOLDER), 'index');
    owner?.release();
    return owner !== null && existsSync(join(this.#folder, MARK));
  }

  async #own(): Promise<Ownership> {
    for (const deadline = Date.now() + WAIT_MS; ; ) {
      const owner = tryOwn(join(this.#folder, LOCK_FOLDER), 'index');
      if (owner !== null) return owner;
      if (Date.now() > deadline) throw new IndexUnusable('Another process is changing the index.');
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  #remove(): void {
    this.close();
    for (const name of [FILE, `${FILE}-journal`]) rmSync(join(this.#folder, name), { force: true });
    rmSync(join(this.#folder, `${FILE}.lock`), { recursive: true, force: true });
  }

  /** Left by a process that was killed while it read or wrote. */
  #removeStaleLock(): void {
    const lock = join(this.#folder, `${FILE}.lock`);
    const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (made === undefined || Date.now() - made < STALE_LOCK_MS) return;
    const owner = tryOwn(join(this.#folder, LOCK_FOLDER), 'index');
    if (owner === null) return;
    try {
      rmdirSync(lock);
    } catch {
      // It was just released.
    } finally {
      owner.release();
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && /\b(?:locked|busy)\b/i.test(error.message);
}
