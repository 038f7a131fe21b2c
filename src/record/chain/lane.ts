// One chain of lines with this process as its only writer: lines are on disk in order, and signed regularly.
// Fails with `LaneLost` if another process has changed the file; the caller then takes another lane.

import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { syncFolder } from '../../local/durable.ts';
import { readHead, witness, writeHead } from './heads.ts';
import type { SigningKey } from './key.ts';
import { type EncodedLine, encodeLine, encodeSignedLine, type Link, NO_LINK, readLine } from './line.ts';
import { linesOf } from './lines.ts';
import { type Ownership, tryOwn } from './ownership.ts';
import { findLast, recoverEnd } from './recovery.ts';
import { headFile, LOCK_FOLDER, laneName, MAX_LANES, type Segment, segmentFile, segmentsOfLane } from './segments.ts';

const IDLE_MS = 60_000;
const syncData = promisify(fdatasync);

export interface LaneOptions {
  readonly folder: string;
  readonly key: SigningKey;
  /** Signed lines are written to disk at once. */
  readonly isSynced: boolean;
  readonly checkpointEvery: number;
}

export interface NewLine {
  readonly at: number;
  /** The entry as JSON, without its braces. */
  readonly inner: string;
}

export interface Written extends Link {
  readonly lane: number;
  readonly file: string;
}

export class LaneLost extends Error {}

export class Lane {
  readonly lane: number;
  readonly #options: LaneOptions;
  readonly #owner: Ownership;
  readonly #known = new Map<number, string>();
  #segment: Segment;
  #descriptor: number;
  #size = 0;
  #last: Link = NO_LINK;
  /** Lines since the last signed one. */
  #unsigned = 0;
  #usedAt = 0;
  /** When the segment was started. */
  #beganAt = Date.now();

  private constructor(lane: number, owner: Ownership, options: LaneOptions) {
    this.lane = lane;
    this.#owner = owner;
    this.#options = options;
    const { folder } = options;
    const all = segmentsOfLane(folder, lane);
    const segment = all.at(-1);
    removeLeftovers(folder, headFile(lane));
    this.#segment = segment ?? { lane, segment: 1, file: segmentFile(lane, 1) };
    this.#descriptor = openSegment(folder, this.#segment);
    try {
      this.#continue(all.at(-2));
    } catch (error) {
      closeSync(this.#descriptor);
      throw error;
    }
  }

  /** The first lane without a writer. */
  static openFree(options: LaneOptions): Lane {
    for (let lane = 0; lane < MAX_LANES; lane += 1) {
      const opened = Lane.tryOpen(lane, options);
      if (opened !== null) return opened;
    }
    throw new Error(`All ${MAX_LANES} lanes of the audit log are in use.`);
  }

  /** `null`: another process writes to it. */
  static tryOpen(lane: number, options: LaneOptions): Lane | null {
    const owner = tryOwn(join(options.folder, LOCK_FOLDER), laneName(lane));
    if (owner === null) return null;
    try {
      return new Lane(lane, owner, options);
    } catch (error) {
      owner.release();
      throw error;
    }
  }

  get size(): number {
    return this.#size;
  }

  get ageMs(): number {
    return Date.now() - this.#beganAt;
  }

  get last(): Link {
    return this.#last;
  }

  /** All or none: if it throws, nothing of them is in the log. */
  append(lines: readonly NewLine[]): readonly Written[] {
    this.#check();
    let last = this.#last;
    let text = '';
    const written: Written[] = [];
    for (const { at, inner } of lines) {
      const line = encodeLine(last, at, inner);
      last = { n: line.n, hash: line.hash };
      text += line.text;
      written.push({ ...last, lane: this.lane, file: this.#segment.file });
    }
    this.#write(text, last);
    this.#unsigned += lines.length;
    if (this.#unsigned >= this.#options.checkpointEvery) this.#tryCheckpoint();
    return written;
  }

  /** Everything appended is on the disk. */
  sync(): Promise<void> {
    return syncData(this.#descriptor);
  }

  checkpoint(): void {
    if (this.#unsigned === 0) return;
    this.#sign('"type":"checkpoint"');
    this.#owner.touch();
  }

  /** Lines that existed and are missing. */
  noteLost(expected: Link & { readonly lane: number }): void {
    this.#sign(`"type":"lost","expected":${JSON.stringify(expected)}`);
  }

  /** A signed line of any kind; `inner` as for `append`. */
  sign(inner: string): void {
    this.#check();
    this.#sign(inner);
    fdatasyncSync(this.#descriptor);
  }

  rotate(): void {
    this.#check();
    this.#sign('"type":"segment-end"');
    fdatasyncSync(this.#descriptor);
    this.#beginNext();
  }

  /** Signs the unsigned lines. The lane is then free for others. */
  close(): void {
    try {
      this.checkpoint();
      if (this.#options.isSynced) fdatasyncSync(this.#descriptor);
    } finally {
      this.abandon();
    }
  }

  abandon(): void {
    closeSync(this.#descriptor);
    this.#owner.release();
  }

  #continue(before: Segment | undefined): void {
    const { folder } = this.#options;
    const { size, last, torn } = recoverEnd(folder, this.#segment, this.#descriptor);
    this.#size = size;
    this.#usedAt = Date.now();
    for (const { bytes } of linesOf(join(folder, this.#segment.file))) {
      this.#beganAt = readLine(bytes)?.at ?? this.#beganAt;
      break;
    }
    this.#last = last ?? (before === undefined ? NO_LINK : endOf(join(folder, before.file)));
    const head = readHead(folder, this.lane)?.line ?? null;
    const { n } = this.#last;
    if (last === null) this.#writeHeadLine();
    // Its process was killed between the end of one segment and the start of the next.
    else if (last.type === 'segment-end') this.#beginNext();
    else if (head === null) this.#sign('"type":"checkpoint"');
    if (torn !== null) this.#sign(`"type":"torn",${JSON.stringify(torn).slice(1, -1)}`);
    // It was signed and is missing: nothing else will show that once the next line is signed.
    if (head !== null && head.n > n) this.noteLost({ lane: this.lane, n: head.n, hash: head.hash });
  }

  /** The lines before it are written: they must not be reported as failed. The next one tries again. */
  #tryCheckpoint(): void {
    try {
      this.checkpoint();
    } catch {
      // If the disk is full, the next line fails too.
    }
  }

  #beginNext(): void {
    const number = this.#segment.segment + 1;
    const segment = { lane: this.lane, segment: number, file: segmentFile(this.lane, number) };
    const descriptor = openSegment(this.#options.folder, segment);
    // Only now: if the next one cannot be opened, the lane still has a descriptor of its own to close.
    closeSync(this.#descriptor);
    this.#descriptor = descriptor;
    this.#segment = segment;
    this.#size = 0;
    this.#beganAt = Date.now();
    this.#writeHeadLine();
  }

  #writeHeadLine(): void {
    const { key } = this.#options;
    const fields = { type: 'segment-head', format: 1, lane: this.lane, segment: this.#segment.segment, key: key.id };
    this.#sign(JSON.stringify(fields).slice(1, -1));
  }

  #sign(inner: string): void {
    const { folder, key, isSynced } = this.#options;
    const seen = witness(folder, this.lane, key, this.#known);
    const more = Object.keys(seen).length === 0 ? '' : `,"seen":${JSON.stringify(seen)}`;
    const line: EncodedLine = encodeSignedLine(this.#last, Date.now(), inner + more, key.sign);
    this.#write(line.text, { n: line.n, hash: line.hash });
    this.#unsigned = 0;
    if (isSynced) fdatasyncSync(this.#descriptor);
    writeHead(folder, this.lane, line.text, { sync: isSynced });
  }

  #write(text: string, last: Link): void {
    const bytes = Buffer.from(text);
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#descriptor, bytes, done);
    } catch (error) {
      // A full disk may have taken a part of it.
      ftruncateSync(this.#descriptor, this.#size);
      throw error;
    }
    this.#size += bytes.length;
    this.#last = last;
  }

  /** A file that has changed has another writer, or was modified. */
  #check(): void {
    const { size, nlink } = fstatSync(this.#descriptor);
    if (size !== this.#size || nlink === 0) throw new LaneLost(`${this.#segment.file} was changed by another process.`);
    const now = Date.now();
    if (now - this.#usedAt > IDLE_MS && !this.#owner.isHeld())
      throw new LaneLost(`The lane ${laneName(this.lane)} was taken over by another process.`);
    this.#usedAt = now;
  }
}

/** Left by an owner that was killed while it wrote its head. */
function removeLeftovers(folder: string, file: string): void {
  for (const name of readdirSync(folder))
    if (name.startsWith(`${file}.`) && name.endsWith('.tmp')) rmSync(join(folder, name), { force: true });
}

function openSegment(folder: string, segment: Segment): number {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const descriptor = openSync(join(folder, segment.file), flags, 0o600);
  try {
    if (fstatSync(descriptor).size === 0) syncFolder(folder);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function endOf(path: string): Link {
  const descriptor = openSync(path, 'r');
  try {
    return findLast(descriptor, fstatSync(descriptor).size).line ?? NO_LINK;
  } finally {
    closeSync(descriptor);
  }
}
