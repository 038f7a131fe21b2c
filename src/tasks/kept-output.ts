// The complete output of a command in the foreground → a file, to be read later.
// FOLDER/foreground/ID.kept contains the output, the record of the command as JSON, and the length of the record. It is
// written in one go, without fsync: a truncated file has no valid end and is ignored.

import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { HardshellError } from '../core/errors.ts';
import type { KeptOutput } from '../run/output.ts';
import { parseRecord, type TaskRecord } from '../run/record.ts';

const MAGIC = 'HSKEPT1 ';
/** The magic, and the length of the record in eight hexadecimal digits. */
const END_BYTES = 16;
/** A command has at most 10,000 characters. */
const MAX_RECORD_BYTES = 1 << 20;

/** Throws if it cannot be written, and leaves no partial file. */
export function writeWithRecord(path: string, bytes: Uint8Array, record: object): void {
  const text = Buffer.from(JSON.stringify(record));
  const end = Buffer.from(MAGIC + text.length.toString(16).padStart(8, '0'), 'latin1');
  const file = create(path);
  const whole = Buffer.concat([bytes, text, end]);
  try {
    const written = writeSync(file, whole);
    if (written < whole.length) throw new Error(`only ${written} of ${whole.length} bytes could be written`);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function create(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(join(path, '..'), { mode: 0o700 });
    return openSync(path, 'wx', 0o600);
  }
}

/** Longer output is already in files, which are moved. */
export function moveSpool(from: string, to: string): void {
  mkdirSync(join(to, '..'), { recursive: true, mode: 0o700 });
  for (const ending of ['', '.map']) renameSync(from + ending, to + ending);
}

interface Kept {
  readonly bytes: number;
  readonly record: TaskRecord;
}

/** `null` if there is none, or if it is truncated. */
export function readKeptRecord(path: string): TaskRecord | null {
  return readKept(path)?.record ?? null;
}

function readKept(path: string): Kept | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    const { size } = fstatSync(file);
    const end = Buffer.alloc(END_BYTES);
    readSync(file, end, 0, END_BYTES, Math.max(0, size - END_BYTES));
    const length = Number.parseInt(end.toString('latin1', MAGIC.length), 16);
    const bytes = size - END_BYTES - length;
    if (end.toString('latin1', 0, MAGIC.length) !== MAGIC || !(length <= MAX_RECORD_BYTES) || bytes < 0) return null;
    const text = Buffer.alloc(length);
    readSync(file, text, 0, length, bytes);
    const record = parseRecord(text.toString(), path);
    const { stdoutBytes, stderrBytes } = record.fields;
    return Number(stdoutBytes) + Number(stderrBytes) === bytes ? { bytes, record } : null;
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}

export async function openKept(path: string): Promise<KeptOutput> {
  const kept = readKept(path);
  if (kept === null) throw new HardshellError('no-output', `There is no output at ${path}.`);
  const { bytes, record } = kept;
  return {
    totalBytes: bytes,
    stdoutBytes: Number(record.fields.stdoutBytes),
    stderrBytes: Number(record.fields.stderrBytes),
    headBytes: bytes,
    tailBytes: 0,
    missingBytes: 0,
    path,
    async read(from, to, stream) {
      if (stream !== undefined)
        throw new HardshellError('invalid-argument', 'The streams of this command were merged.');
      const [start, end] = [Math.max(0, from), Math.min(to, bytes)];
      if (end <= start) return Buffer.alloc(0);
      const file: FileHandle = await open(path, 'r');
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
  };
}
