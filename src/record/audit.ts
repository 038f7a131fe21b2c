// Entries → lines of the audit log: redacted, chained, and on disk as configured before they are acknowledged.
// Never waits for other processes: each writes to its own lane. Entries that cannot be written are rejected, not lost.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { asyncDispose } from '../core/disposal.ts';
import { HardshellError } from '../core/errors.ts';
import type { AuditLevel } from '../core/observer.ts';
import { describeError } from '../core/values/error-text.ts';
import { adviceForWriting } from '../core/values/write-advice.ts';
import { makeAuditFolders } from '../local/state-folders.ts';
import { type AuditOptions, type AuditSetup, completeOptions } from './audit-options.ts';
import { loadKey } from './chain/key.ts';
import { Lane, LaneLost, type LaneOptions, type NewLine, type Written } from './chain/lane.ts';
import { applyRetention } from './chain/retention.ts';
import { LOCK_FOLDER, listSegments, TORN_FOLDER } from './chain/segments.ts';
import type { AuditEntry } from './entries.ts';
import { createRedactor, type Redactor } from './redact/redactor.ts';
import { serialiseEntry } from './serialise.ts';

/** The position of an entry. A copy kept in another place can prove later that the entry existed. */
export interface AuditReceipt {
  readonly lane: number;
  readonly file: string;
  readonly n: number;
  readonly hash: string;
}

export interface Audit {
  readonly folder: string;
  readonly level: AuditLevel;
  /** `null`: the level omits such entries. Rejects if it could not be recorded. */
  record(entry: AuditEntry): Promise<AuditReceipt | null>;
  /** Everything recorded so far is signed and on disk. */
  flush(): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const INTERVAL_MS = 1000;
/** So that a flood neither exceeds a segment nor waits for a signature. */
const MAX_BATCH = 1000;

/** Accesses the disk only for the first entry. */
export function openAudit(options: AuditOptions = {}): Audit {
  return new AuditLog(options);
}

interface Waiting extends NewLine {
  resolve(receipt: AuditReceipt): void;
  reject(error: unknown): void;
}

class AuditLog implements Audit {
  readonly level: AuditLevel;
  readonly #setup: AuditSetup;
  readonly #redactor: Redactor;
  #laneOptions: LaneOptions | null = null;
  #lane: Lane | null = null;
  readonly #waiting: Waiting[] = [];
  #working: Promise<void> | null = null;
  #isUnsynced = false;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: AuditOptions) {
    this.#setup = completeOptions(options);
    this.level = this.#setup.level;
    this.#redactor = createRedactor(this.#setup.environment);
  }

  get folder(): string {
    return this.#setup.folder;
  }

  record(entry: AuditEntry): Promise<AuditReceipt | null> {
    if (this.#isClosed) return Promise.reject(new HardshellError('closed', 'The audit log is closed.'));
    if (this.level === 'basic' && entry.type === 'operation') return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      const inner = serialiseEntry(entry, this.level, this.#redactor);
      this.#waiting.push({ at: Date.now(), inner, resolve, reject });
      // Entries of the same turn are written together.
      if (this.#waiting.length === 1) queueMicrotask(() => this.#wake());
    });
  }

  async flush(): Promise<void> {
    while (this.#isBusy) await this.#settle();
    const lane = this.#lane;
    if (lane === null) return;
    this.#start(async () => {
      lane.checkpoint();
      await lane.sync();
      this.#isUnsynced = false;
    });
    try {
      await this.#working;
    } catch (error) {
      throw unwritable(this.folder, error);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    while (this.#isBusy) await this.#settle();
    const lane = this.#lane;
    this.#lane = null;
    try {
      lane?.close();
    } catch (error) {
      throw unwritable(this.folder, error);
    }
  }

  [asyncDispose](): Promise<void> {
    return this.close();
  }

  get #isBusy(): boolean {
    return this.#working !== null || this.#waiting.length > 0;
  }

  /** Call it while busy: between its end and the continuation of its caller, other work may start. */
  async #settle(): Promise<void> {
    this.#wake();
    await this.#working?.catch(() => {});
  }

  /** One operation at a time: a lane must not be closed or rotated while another operation waits for it. */
  #start(work: () => Promise<void>): void {
    this.#working ??= work().finally(() => {
      this.#working = null;
      this.#wake();
    });
  }

  /** Writing takes microseconds and is synchronous; only fsync is awaited. */
  #wake(): void {
    if (this.#working !== null || this.#waiting.length === 0) return;
    if (this.#setup.fsync === 'always') {
      this.#start(() => this.#writeAndSync());
      return;
    }
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH);
      acknowledge(batch, this.#write(batch));
      this.#rotate();
    }
    this.#isUnsynced = true;
    if (this.#setup.fsync === 'interval') this.#syncLater();
  }

  /** While the disk is busy the next entries are collected, and share the next fsync. */
  async #writeAndSync(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH);
      const written = this.#write(batch);
      if (written === null) continue;
      try {
        await (this.#lane as Lane).sync();
        acknowledge(batch, written);
      } catch (error) {
        // The state of the disk is unknown now: the next entry reopens the lane and checks it.
        this.#drop();
        for (const { reject } of batch) reject(unwritable(this.folder, error));
      }
      this.#rotate();
    }
  }

  /** `null`: they are rejected, and nothing of them is in the log. */
  #write(batch: readonly Waiting[]): readonly Written[] | null {
    try {
      return this.#append(batch);
    } catch (error) {
      for (const { reject } of batch) reject(unwritable(this.folder, error));
      return null;
    }
  }

  #append(batch: readonly NewLine[]): readonly Written[] {
    this.#lane ??= this.#open();
    try {
      return this.#lane.append(batch);
    } catch (error) {
      if (!(error instanceof LaneLost)) throw error;
      const { lane, last } = this.#lane;
      this.#drop();
      this.#lane = this.#open();
      this.#lane.noteLost({ lane, ...last });
      return this.#lane.append(batch);
    }
  }

  #open(): Lane {
    if (this.#laneOptions === null) {
      const { folder, keyFolder, checkpointEvery, fsync } = this.#setup;
      makeAuditFolders(this.#setup);
      for (const name of [LOCK_FOLDER, TORN_FOLDER]) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
      const key = loadKey(keyFolder, { mayCreate: listSegments(folder).segments.length === 0 });
      this.#laneOptions = { folder, key, isSynced: fsync === 'always', checkpointEvery };
    }
    return Lane.openFree(this.#laneOptions);
  }

  #drop(): void {
    try {
      this.#lane?.abandon();
    } catch {
      // The next process that opens it finds the remains.
    }
    this.#lane = null;
  }

  #rotate(): void {
    const lane = this.#lane;
    if (lane === null || this.#laneOptions === null) return;
    const { rotateBytes, retention } = this.#setup;
    // An endless segment could never be deleted.
    const isOld = retention.maxAgeMs !== null && lane.ageMs > retention.maxAgeMs / 2;
    if (lane.size < rotateBytes && !isOld) return;
    try {
      lane.rotate();
      applyRetention(lane, this.#laneOptions, retention);
    } catch {
      // The entries are written. An incomplete rotation is found when the lane is opened again.
      this.#drop();
    }
  }

  #syncLater(): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#isUnsynced) this.#start(() => this.#syncNow());
    }, INTERVAL_MS);
    this.#timer.unref();
  }

  async #syncNow(): Promise<void> {
    try {
      this.#isUnsynced = false;
      await this.#lane?.sync();
    } catch {
      this.#drop();
    }
  }
}

function acknowledge(batch: readonly Waiting[], written: readonly Written[] | null): void {
  if (written === null) return;
  for (let at = 0; at < batch.length; at += 1) (batch[at] as Waiting).resolve(receiptOf(written[at] as Written));
}

function receiptOf({ lane, file, n, hash }: Written): AuditReceipt {
  return { lane, file, n, hash };
}

function unwritable(folder: string, cause: unknown): HardshellError {
  if (cause instanceof HardshellError) return cause;
  const reason = describeError(cause);
  return new HardshellError('unwritable-audit', `The audit log in ${folder} cannot be written: ${reason}`, {
    hint: adviceForWriting(cause, 'Check the permissions of the folder: it must belong to you and have mode 700.'),
    cause,
  });
}
