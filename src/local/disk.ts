// The disk as a Probe: synchronous questions, bounded answers. Never throws and never writes.
// Links are resolved before `..`, as the kernel does; Node's realpath folds `..` first.

import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readlinkSync,
  readSync,
  statSync,
} from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import type { Probe } from '../core/probe.ts';

/** The same limit as Linux. */
const MAX_LINKS = 40;
const MAX_PARTS = 4096;
const MAX_ENTRIES = 10_000;

export function createDiskProbe(): Probe {
  return { realPath, kind, readText, readBytes, list, blobId };
}

function realPath(path: string): string | null {
  if (!isAbsolute(path) || path.includes('\0')) return null;
  let pending = partsOf(path).reverse();
  let at = '/';
  let links = 0;
  let isMissing = false;
  for (let steps = 0; pending.length > 0; steps++) {
    if (steps > MAX_PARTS) return null;
    const part = pending.pop() as string;
    if (part === '..') {
      at = dirname(at);
      // Above the missing part something may exist again; looking again costs nothing.
      isMissing = false;
      continue;
    }
    const next = at === '/' ? `/${part}` : `${at}/${part}`;
    if (isMissing) {
      at = next;
      continue;
    }
    const answer = lookAt(next);
    if (answer === null) return null;
    if (answer.kind === 'absent') isMissing = true;
    if (answer.kind !== 'link') {
      at = next;
      continue;
    }
    if (++links > MAX_LINKS) return null;
    if (isAbsolute(answer.target)) at = '/';
    pending = [...pending, ...partsOf(answer.target).reverse()];
  }
  return at;
}

type Look = { readonly kind: 'plain' | 'absent' } | { readonly kind: 'link'; readonly target: string };

function lookAt(path: string): Look | null {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { kind: 'absent' };
    return stats.isSymbolicLink() ? { kind: 'link', target: readlinkSync(path) } : { kind: 'plain' };
  } catch (error) {
    return codeOf(error) === 'ENOTDIR' || codeOf(error) === 'ENOENT' ? { kind: 'absent' } : null;
  }
}

function kind(path: string): ReturnType<Probe['kind']> {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return 'absent';
    if (stats.isFile()) return 'file';
    return stats.isDirectory() ? 'folder' : 'other';
  } catch (error) {
    return codeOf(error) === 'ENOTDIR' || codeOf(error) === 'ENOENT' ? 'absent' : 'unreadable';
  }
}

function readText(path: string, limitBytes: number): string | null {
  return readBytes(path, limitBytes)?.toString('utf8') ?? null;
}

function readBytes(path: string, limitBytes: number): Buffer | null {
  let file: number | null = null;
  try {
    // Without O_NONBLOCK, opening a FIFO that has no writer would block forever.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > limitBytes) return null;
    // Files in /proc report size 0: they are read up to the limit.
    const buffer = Buffer.alloc((stats.size > 0 ? stats.size : limitBytes) + 1);
    let length = 0;
    while (length < buffer.length) {
      const count = readSync(file, buffer, length, buffer.length - length, null);
      if (count === 0) return buffer.subarray(0, length);
      length += count;
    }
    return null;
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

function blobId(path: string, limitBytes: number): string | null {
  const bytes = readBytes(path, limitBytes);
  return bytes === null ? null : createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function list(path: string): readonly string[] | null {
  try {
    const folder = opendirSync(path);
    try {
      const names: string[] = [];
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
        names.push(entry.name);
        // The caller treats a list longer than its limit as unknown, so it must be able to see that there is more.
        if (names.length > MAX_ENTRIES) break;
      }
      return names.sort();
    } finally {
      folder.closeSync();
    }
  } catch {
    return null;
  }
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
