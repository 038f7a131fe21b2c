// Descriptor → the file that the shell opened there. A path such as /dev/stdin or /proc/self/fd/3 refers to that file:
// Linux reopens it with the access requested now, so `<f >/dev/stdin` writes f.

import type { PathEffect } from '../core/facts.ts';

/** The files that it may be open on; `stream`: a pipe or a text; `unknown`: unknown, or closed. */
export type Descriptor = readonly PathEffect[] | 'stream' | 'unknown';
export type Descriptors = ReadonlyMap<number, Descriptor>;

export const NO_DESCRIPTORS: Descriptors = new Map();

const STANDARD: Readonly<Record<string, number>> = { stdin: 0, stdout: 1, stderr: 2 };
const DESCRIPTOR_PATH = /^\/(?:dev\/(?:(std(?:in|out|err))|fd\/([0-9]+))|proc\/(?:self|thread-self)\/fd\/([0-9]+))$/;

/** The number of the descriptor that a path refers to; `null` for any other path. */
export function descriptorOfPath(path: string): number | null {
  const match = DESCRIPTOR_PATH.exec(path);
  if (match === null) return null;
  return match[1] === undefined ? Number(match[2] ?? match[3]) : (STANDARD[match[1]] ?? null);
}

const UNKNOWN_FILE: readonly PathEffect[] = [{ path: null }];

/** `/*dev/stdin`: a pattern whose beginning may match the descriptor folders. */
function mayMatchDescriptor(pattern: string): boolean {
  const head = pattern.slice(0, pattern.search(/[*?[\\]|$/));
  return ['/dev/', '/proc/'].some((folder) => folder.startsWith(head) || head.startsWith(folder));
}

/** What opening the path writes: the path itself, or the file behind its descriptor. */
export function writtenFiles(effect: PathEffect, descriptors: Descriptors): readonly PathEffect[] {
  if (effect.path === null) return [effect];
  if (effect.glob) return mayMatchDescriptor(effect.path) ? [effect, ...UNKNOWN_FILE] : [effect];
  const number = effect.path.startsWith('/') ? descriptorOfPath(effect.path) : null;
  if (number === null) return [effect];
  const opened = descriptors.get(number);
  // The first three come from the caller. Others that the shell did not open may be files opened by a program.
  if (opened === undefined) return number <= 2 ? [effect] : UNKNOWN_FILE;
  if (opened === 'stream') return [{ path: `/dev/fd/${number}` }];
  return opened === 'unknown' ? UNKNOWN_FILE : opened;
}

export function setDescriptor(descriptors: Descriptors, number: number, opened: Descriptor | undefined): Descriptors {
  if (descriptors.get(number) === opened) return descriptors;
  const changed = new Map(descriptors);
  if (opened === undefined) changed.delete(number);
  else changed.set(number, opened);
  return changed;
}

/** After a command: the descriptors opened for it are restored; others that it opened stay. */
export function restoreDescriptors(after: Descriptors, before: Descriptors, entered: Descriptors): Descriptors {
  if (entered === before) return after;
  if (after === entered) return before;
  let restored = after;
  for (const number of new Set([...before.keys(), ...entered.keys()])) {
    if (before.get(number) !== entered.get(number)) restored = setDescriptor(restored, number, before.get(number));
  }
  return restored;
}

export function joinDescriptors(a: Descriptors, b: Descriptors): Descriptors {
  if (a === b) return a;
  const joined = new Map<number, Descriptor>();
  for (const number of new Set([...a.keys(), ...b.keys()])) {
    const left = a.get(number);
    const right = b.get(number);
    joined.set(number, left !== undefined && right !== undefined && isSame(left, right) ? left : 'unknown');
  }
  return joined;
}

export function areSameDescriptors(a: Descriptors, b: Descriptors): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [number, opened] of a) {
    const other = b.get(number);
    if (other === undefined || !isSame(opened, other)) return false;
  }
  return true;
}

function isSame(a: Descriptor, b: Descriptor): boolean {
  if (a === b) return true;
  if (typeof a === 'string' || typeof b === 'string') return false;
  return a.length === b.length && a.every(({ path, glob }, i) => path === b[i]?.path && glob === b[i]?.glob);
}
