// The newest signed line of each lane, in a separate file: it proves that a lane once had at least this length.
// Lanes record each other's heads, so that one cannot be truncated or removed without the others showing it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceWhole } from '../../local/whole-file.ts';
import type { VerifyingKey } from './key.ts';
import { type Link, type ReadLine, readLine, splitSignature } from './line.ts';
import { headFile, laneName, listSegments } from './segments.ts';

export interface Head {
  readonly line: ReadLine;
  readonly bytes: Buffer;
}

/** `null`: there is none, or it is invalid. */
export function readHead(folder: string, lane: number): Head | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(folder, headFile(lane)));
  } catch {
    return null;
  }
  const whole = bytes.subarray(0, bytes.length - 1);
  const line = readLine(whole);
  return line === null ? null : { line, bytes: whole };
}

export function writeHead(folder: string, lane: number, text: string, options: { readonly sync: boolean }): void {
  const path = join(folder, headFile(lane));
  replaceWhole(path, text, options);
}

export function isSigned({ line, bytes }: Head, key: VerifyingKey): boolean {
  const parts = splitSignature(bytes);
  return line.isIntact && parts !== null && key.verify(parts.signed, parts.signature);
}

/** The known heads of the other lanes, as fields of a signed line; only those that are new to `known`. */
export function witness(
  folder: string,
  lane: number,
  key: VerifyingKey,
  known: Map<number, string>,
): Readonly<Record<string, Link>> {
  const seen: Record<string, Link> = {};
  for (const other of listSegments(folder).heads) {
    if (other === lane) continue;
    const head = readHead(folder, other);
    // Without the key, no one may make us sign a false statement.
    if (head === null || known.get(other) === head.line.hash || !isSigned(head, key)) continue;
    known.set(other, head.line.hash);
    seen[laneName(other)] = { n: head.line.n, hash: head.line.hash };
  }
  return seen;
}
