// The bytes of git's index → the folders in which git may find submodules, or all names. Versions 2 to 4, see gitformat-index(5).
// `null` for anything that is not exactly such a file, or if the name of a submodule cannot be read.

import { once } from '../../../core/values/once.ts';

export interface IndexFolders {
  /** Entries that are commits of another repository. */
  readonly submodules: readonly string[];
  /** Folders of a sparse index: their content is not listed. */
  readonly sparse: readonly string[];
  /** Most entries are in a separate file. */
  readonly isSplit: boolean;
}

/** Length of an object name: SHA-1 or SHA-256. */
export type HashBytes = 20 | 32;

const MODE_OFFSET = 24;
const STAT_BYTES = 40;
const HEADER_BYTES = 12;
const EXTENDED = 0x4000;
const NAME_LENGTH = 0xfff;
const KNOWN_MODES = new Set([0o040000, 0o100644, 0o100755, 0o100664, 0o120000, 0o160000]);

/** A file of which git has the content. */
export interface TrackedFile {
  readonly name: string;
  /** Of the content: SHA-1 or SHA-256. */
  readonly id: Uint8Array;
}

/** The paths of all tracked files; `null` if they cannot be read. */
export function readTrackedNames(bytes: Uint8Array, hashBytes: HashBytes): readonly string[] | null {
  return readTrackedFiles(bytes, hashBytes)?.map(({ name }) => name) ?? null;
}

export function readTrackedFiles(bytes: Uint8Array, hashBytes: HashBytes): readonly TrackedFile[] | null {
  const tracked: TrackedFile[] = [];
  return readIndex(bytes, hashBytes, tracked) === null ? null : tracked;
}

export function readIndex(
  bytes: Uint8Array,
  hashBytes: HashBytes,
  tracked: TrackedFile[] | null = null,
): IndexFolders | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES + hashBytes || view.getUint32(0) !== 0x44495243 /* DIRC */) return null;
  const version = view.getUint32(4);
  if (version < 2 || version > 4) return null;
  const end = bytes.length - hashBytes;
  const submodules: string[] = [];
  const sparse: string[] = [];
  const names = version === 4 ? new CompressedNames(bytes, end) : new PaddedNames(bytes, end);
  let at = HEADER_BYTES;
  for (let count = view.getUint32(8); count > 0; count--) {
    const flagsAt = at + STAT_BYTES + hashBytes;
    if (flagsAt + 4 > end) return null;
    const mode = view.getUint32(at + MODE_OFFSET);
    if (!KNOWN_MODES.has(mode)) return null;
    const flags = view.getUint16(flagsAt);
    const isWanted = mode === 0o160000 || mode === 0o040000;
    const isRead = isWanted || tracked !== null;
    const name = names.read(at, flagsAt + ((flags & EXTENDED) === 0 ? 2 : 4), flags & NAME_LENGTH, isRead);
    if (name === null) return null;
    if (!isWanted) tracked?.push({ name, id: bytes.subarray(at + STAT_BYTES, flagsAt) });
    if (isWanted) (mode === 0o160000 ? submodules : sparse).push(name);
    at = names.next;
  }
  const isSplit = hasExtension(view, at, end, 0x6c696e6b /* link */);
  return isSplit === null ? null : { submodules, sparse, isSplit };
}

/** After the entries: a name of four letters, a size, and as many bytes. */
function hasExtension(view: DataView, start: number, end: number, wanted: number): boolean | null {
  let isFound = false;
  let at = start;
  for (; at + 8 <= end; at += 8 + view.getUint32(at + 4)) isFound ||= view.getUint32(at) === wanted;
  return at === end ? isFound : null;
}

interface Names {
  /** Where the next entry starts, after a name was read. */
  readonly next: number;
  /** The text of a wanted name, `''` for others, `null` for a malformed name. */
  read(entry: number, at: number, length: number, isWanted: boolean): string | null;
}

/** Versions 2 and 3: each name in full, and entries padded to eight bytes. */
class PaddedNames implements Names {
  next = 0;
  readonly #bytes: Uint8Array;
  readonly #end: number;

  constructor(bytes: Uint8Array, end: number) {
    this.#bytes = bytes;
    this.#end = end;
  }

  read(entry: number, at: number, length: number, isWanted: boolean): string | null {
    const last = length < NAME_LENGTH ? at + length : this.#bytes.indexOf(0, at + length);
    this.next = entry + ((last - entry + 8) & ~7);
    if (last < at || this.next > this.#end) return null;
    return isWanted ? decode(this.#bytes.subarray(at, last)) : '';
  }
}

/** Version 4: how much to cut from the previous name, and what to append. */
class CompressedNames implements Names {
  next = 0;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #name = new Uint8Array(4096);
  #length = 0;

  constructor(bytes: Uint8Array, end: number) {
    this.#bytes = bytes;
    this.#end = end;
  }

  read(_entry: number, start: number, _length: number, isWanted: boolean): string | null {
    let at = start;
    let byte = this.#bytes[at++] ?? 0;
    let cut = byte & 127;
    while (byte & 128) {
      if (cut > this.#length) return null;
      byte = this.#bytes[at++] ?? 0;
      cut = (cut + 1) * 128 + (byte & 127);
    }
    const stop = this.#bytes.indexOf(0, at);
    const kept = this.#length - cut;
    if (kept < 0 || stop < 0 || stop >= this.#end) return null;
    this.#length = kept + stop - at;
    if (this.#length > this.#name.length) {
      const longer = new Uint8Array(this.#length * 2);
      longer.set(this.#name);
      this.#name = longer;
    }
    this.#name.set(this.#bytes.subarray(at, stop), kept);
    this.next = stop + 1;
    return isWanted ? decode(this.#name.subarray(0, this.#length)) : '';
  }
}

const decoder = once(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }));

/** A split index omits names, and a name that is not UTF-8 cannot be looked up. */
function decode(bytes: Uint8Array): string | null {
  if (bytes.length === 0) return null;
  try {
    return decoder().decode(bytes);
  } catch {
    return null;
  }
}
