// Indexes of git as no git writes them: any path, mode, length and extension. Format: gitformat-index(5).

import { createHash } from 'node:crypto';

export interface CraftedEntry {
  readonly path: string | Buffer;
  readonly mode?: number;
  /** In hexadecimal. */
  readonly object?: string;
  readonly stage?: number;
  /** Instead of the length of the path. */
  readonly length?: number;
  /** A second pair of flags. */
  readonly extended?: number;
  /** In version 4: how many bytes of the last path are not repeated. */
  readonly skipped?: number;
}

export interface CraftedIndex {
  readonly version?: number;
  readonly algorithm?: 'sha1' | 'sha256';
  readonly entries: readonly CraftedEntry[];
  readonly extensions?: readonly (readonly [name: string, bytes: Buffer])[];
}

const HASH_BYTES = { sha1: 20, sha256: 32 } as const;

export function be32(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [i, number] of numbers.entries()) bytes.writeUInt32BE(number, 4 * i);
  return bytes;
}

function be16(number: number): Buffer {
  return Buffer.from([number >> 8, number & 255]);
}

function entryBytes(entry: CraftedEntry, version: number, hashBytes: number): Buffer {
  const { mode = 0o100644, object = '', stage = 0, extended, skipped } = entry;
  const path = Buffer.from(entry.path);
  const flags = (entry.length ?? Math.min(path.length, 0xfff)) | (stage << 12) | (extended === undefined ? 0 : 0x4000);
  const start = Buffer.concat([
    be32(0, 0, 0, 0, 0, 0, mode, 0, 0, 0),
    Buffer.from(object.padEnd(2 * hashBytes, '0'), 'hex'),
    be16(flags),
    ...(extended === undefined ? [] : [be16(extended)]),
  ]);
  if (version === 4) return Buffer.concat([start, Buffer.from([skipped ?? 0]), path, Buffer.alloc(1)]);
  const size = (start.length + path.length + 8) & ~7;
  return Buffer.concat([start, path, Buffer.alloc(size - start.length - path.length)]);
}

/** Sorted by the caller. */
export function craftIndex({ version = 2, algorithm = 'sha1', entries, extensions = [] }: CraftedIndex): Buffer {
  const content = Buffer.concat([
    Buffer.from('DIRC'),
    be32(version, entries.length),
    ...entries.map((entry) => entryBytes(entry, version, HASH_BYTES[algorithm])),
    ...extensions.flatMap(([name, bytes]) => [Buffer.from(name), be32(bytes.length), bytes]),
  ]);
  return Buffer.concat([content, createHash(algorithm).update(content).digest()]);
}
