// The newest signed line of each lane, in a file of its own: what proves that a lane was once at least so long.
// Lanes write down what they see of each other, so that one cannot be cut or taken away without the others telling.

import { randomBytes } from 'node:crypto';
import { closeSync, fdatasyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VerifyingKey } from './key.ts';
import { type Link, type ReadLine, readLine, signatureOf } from './line.ts';
import { headFile, laneName, listSegments } from './segments.ts';

export interface Head {
  readonly line: ReadLine;
  readonly bytes: Buffer;
}

/** `null`: there is none, or it makes no sense. */
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
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  const descriptor = openSync(temporary, 'wx', 0o600);
  try {
    writeFileSync(descriptor, text);
    if (options.sync) fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, path);
}

export function isSigned({ line, bytes }: Head, key: VerifyingKey): boolean {
  const parts = signatureOf(bytes);
  return line.isIntact && parts !== null && key.verify(parts.signed, parts.signature);
}

/** What the other lanes are known to hold, as fields of a signed line; only what is new to `known`. */
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
    // Nobody without the key may make us swear to something.
    if (head === null || known.get(other) === head.line.hash || !isSigned(head, key)) continue;
    known.set(other, head.line.hash);
    seen[laneName(other)] = { n: head.line.n, hash: head.line.hash };
  }
  return seen;
}
