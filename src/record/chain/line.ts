// The form of a line: {"n":…,"at":…,"type":…, the entry …,"prev":"…"[,"signature":"…"],"hash":"…"} and a line feed.
// The bytes themselves are the canonical form: `hash` is the SHA-256 of all bytes of the line before `,"hash":`, `prev` is
// the hash of the previous line, and `signature` (Ed25519) covers SIGNED_BEFORE and all bytes before `,"signature":`.

import crypto from 'node:crypto';

const NO_HASH = '0'.repeat(64);
const SIGNED_BEFORE = 'hardshell audit 1\n';
const HASH_START = ',"hash":"';
const HASH_END = '"}';
const HASH_BYTES = HASH_START.length + 64 + HASH_END.length;
const HASH_PART = /^,"hash":"([0-9a-f]{64})"\}$/;
const SIGNATURE_START = ',"signature":"';
const SIGNATURE_BYTES = SIGNATURE_START.length + 86 + 1;
const SIGNATURE_PART = /^,"signature":"([\w-]{86})"$/;

/** The last line of a chain. */
export interface Link {
  readonly n: number;
  readonly hash: string;
}

export const NO_LINK: Link = { n: 0, hash: NO_HASH };

export interface EncodedLine extends Link {
  readonly text: string;
}

export function sha256(data: string | Uint8Array): string {
  // The fast API is missing in the first versions of Node 20.
  if (typeof crypto.hash === 'function') return crypto.hash('sha256', data, 'hex');
  return crypto.createHash('sha256').update(data).digest('hex');
}

/** `inner` is the entry as JSON without its braces. */
export function encodeLine(last: Link, at: number, inner: string): EncodedLine {
  return finish(last.n + 1, bodyOf(last, at, inner));
}

export function encodeSignedLine(
  last: Link,
  at: number,
  inner: string,
  sign: (bytes: Uint8Array) => string,
): EncodedLine {
  const body = bodyOf(last, at, inner);
  return finish(last.n + 1, `${body}${SIGNATURE_START}${sign(Buffer.from(SIGNED_BEFORE + body))}"`);
}

function bodyOf({ n, hash }: Link, at: number, inner: string): string {
  return `{"n":${n + 1},"at":${at},${inner},"prev":"${hash}"`;
}

function finish(n: number, body: string): EncodedLine {
  const hash = sha256(body);
  return { n, hash, text: `${body}${HASH_START}${hash}${HASH_END}\n` };
}

export interface ReadLine extends Link {
  readonly at: number;
  readonly type: string;
  readonly prev: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whether the hash in the line matches the line. */
  readonly isIntact: boolean;
}

/** Bytes of a line, without the line feed. `null`: it does not have the form of a line. */
export function readLine(bytes: Buffer): ReadLine | null {
  const at = bytes.length - HASH_BYTES;
  const hash = at <= 0 ? undefined : HASH_PART.exec(bytes.toString('latin1', at))?.[1];
  if (hash === undefined) return null;
  let fields: unknown;
  try {
    fields = JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
  if (!isLine(fields)) return null;
  const { n, type, prev } = fields;
  return { n, at: fields.at, type, prev, hash, fields, isIntact: sha256(bytes.subarray(0, at)) === hash };
}

/** How many bytes at the end of a line, with its line feed, contain its hash. */
export const TAIL_BYTES = HASH_BYTES + 1;

/** Whether these bytes are the end of the line with this hash. */
export function endsWithHash(tail: Buffer, hash: string): boolean {
  return tail.toString('latin1') === `${HASH_START}${hash}${HASH_END}\n`;
}

function isLine(value: unknown): value is { n: number; at: number; type: string; prev: string } {
  if (typeof value !== 'object' || value === null) return false;
  const { n, at, type, prev } = value as Record<string, unknown>;
  return Number.isSafeInteger(n) && typeof at === 'number' && typeof type === 'string' && typeof prev === 'string';
}

/** What was signed, and the signature; `null` if the line has no signature. */
export function splitSignature(bytes: Buffer): { readonly signed: Buffer; readonly signature: Buffer } | null {
  const end = bytes.length - HASH_BYTES;
  const start = end - SIGNATURE_BYTES;
  const text = start <= 0 ? undefined : SIGNATURE_PART.exec(bytes.toString('latin1', start, end))?.[1];
  if (text === undefined) return null;
  const signed = Buffer.concat([Buffer.from(SIGNED_BEFORE), bytes.subarray(0, start)]);
  return { signed, signature: Buffer.from(text, 'base64url') };
}
