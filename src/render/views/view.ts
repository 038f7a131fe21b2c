// Output of any size → what a model reads: all of it, or its two ends with a line between them about the omitted part.
// Works on the two ends alone: the middle of a large output is never in memory.

import { byteCutAfter, byteCutBefore, cutAfter, cutBefore } from './boundaries.ts';

/** The kept parts of an output: its first and its last bytes. If all of it is in `head`, `tail` is empty. */
export interface OutputEnds {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly totalBytes: number;
  /** Characters (UTF-16 units) of the whole; `null` if not counted. */
  readonly totalCharacters: number | null;
}

export interface View {
  readonly text: string;
  readonly isTruncated: boolean;
  readonly omittedBytes: number;
}

export interface ByteView {
  /** Up to this many bytes are shown completely. */
  readonly limitBytes: number;
  readonly headBytes: number;
  readonly tailBytes: number;
  /** The line between the ends. */
  between(omittedBytes: number, totalBytes: number): string;
}

/** REQ: over 128 KB, the first and the last 4 KB. */
export const REQ_VIEW: ByteView = {
  limitBytes: 128 * 1024,
  headBytes: 4 * 1024,
  tailBytes: 4 * 1024,
  between: (omitted, total) =>
    `\n\n[output truncated in the middle: ${count(omitted)} of ${count(total)} bytes are not shown]\n\n`,
};

export function viewByBytes(ends: OutputEnds, view: ByteView): View {
  if (ends.totalBytes <= view.limitBytes) return whole(ends);
  const head = decode(ends.head.subarray(0, byteCutBefore(ends.head, view.headBytes)));
  const last = ends.tail.length > 0 ? ends.tail : ends.head;
  const tail = decode(last.subarray(byteCutAfter(last, last.length - view.tailBytes)));
  const start = head.slice(0, cutBefore(head, completeLength(head)));
  const omittedBytes = ends.totalBytes - byteLength(start) - byteLength(tail);
  return { text: start + view.between(omittedBytes, ends.totalBytes) + tail, isTruncated: true, omittedBytes };
}

/** P28: over 30,000 characters, both halves and its line between them. */
const P28_LIMIT_CHARACTERS = 30_000;

export function viewByCharacters(ends: OutputEnds, limitCharacters = P28_LIMIT_CHARACTERS): View {
  const isWhole = ends.tail.length === 0;
  const head = decode(ends.head);
  const total = isWhole ? head.length : (ends.totalCharacters ?? ends.totalBytes);
  if (isWhole && head.length <= limitCharacters) return { text: head, isTruncated: false, omittedBytes: 0 };
  const half = Math.floor(limitCharacters / 2);
  const end = isWhole ? head : decode(ends.tail.subarray(byteCutAfter(ends.tail, 0)));
  const first = head.slice(0, cutBefore(head, half));
  const last = end.slice(cutAfter(end, end.length - half));
  const omitted = total - first.length - last.length;
  const text = `${first}\n\n... (${omitted} characters truncated) ...\n\n${last}`;
  return { text, isTruncated: true, omittedBytes: ends.totalBytes - byteLength(first) - byteLength(last) };
}

/** CC: over 30 KB the output stays on disk, and the model sees its beginning and the file name. */
const CC_LIMIT_BYTES = 30 * 1024;
const CC_PREVIEW_BYTES = 2 * 1024;

export interface KeptIn {
  /** `null`: it could not be kept. */
  readonly path: string | null;
  /** How much of the output the file lacks, between its beginning and its end. */
  readonly missingBytes: number;
}

export function viewAsPreview(ends: OutputEnds, kept: KeptIn): View {
  if (ends.totalBytes <= CC_LIMIT_BYTES) return whole(ends);
  const cut = byteCutBefore(ends.head, CC_PREVIEW_BYTES);
  const decoded = decode(ends.head.subarray(0, cut));
  const preview = atLineEnd(decoded.slice(0, cutBefore(decoded, completeLength(decoded))));
  const size = `${(ends.totalBytes / 1024).toFixed(1)} KB`;
  const text = `The output is ${size}, too large to show. ${describeKept(kept)}\n\nIt begins with:\n${preview}\n...\n`;
  return { text, isTruncated: true, omittedBytes: ends.totalBytes - byteLength(preview) };
}

function describeKept({ path, missingBytes }: KeptIn): string {
  if (path === null) return 'It could not be kept in a file.';
  if (missingBytes === 0) return `All of it is in: ${path}`;
  return `Its beginning and its end, without ${count(missingBytes)} bytes in the middle, are in: ${path}`;
}

/** A preview that ends with a whole line reads better, unless that would make it too short. */
function atLineEnd(text: string): string {
  const end = text.lastIndexOf('\n');
  return end > text.length / 2 ? text.slice(0, end) : text;
}

/** Without an escape sequence that the cut left incomplete. */
function completeLength(text: string): number {
  const start = text.lastIndexOf('\x1b');
  return start === -1 || cutBefore(`${text}x`, text.length) === text.length ? text.length : start;
}

function whole(ends: OutputEnds): View {
  return { text: decode(ends.head) + decode(ends.tail), isTruncated: false, omittedBytes: 0 };
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** Bytes that are not UTF-8 become U+FFFD; the file on disk has the original bytes. */
function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

function byteLength(text: string): number {
  return encoder.encode(text).length;
}

function count(value: number): string {
  return value.toLocaleString('en');
}
