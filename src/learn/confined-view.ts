// A confinement and a path → how the command saw it: writable, read-only, hidden, or replaced by a private folder.

import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { ConfinedPath, ConfinementSpec } from '../confine/port.ts';
import { isAtOrBelow } from '../core/values/containment.ts';

export type View =
  | 'open'
  /** Readable but not writable, because it is outside of the writable folders. */
  | 'outside'
  /** Inside a writable folder, but protected. */
  | 'guarded'
  | 'hidden'
  /** A private folder is mounted there, so the path is missing although it exists on disk. */
  | 'covered';

/** `granted` was opened for learning only: it counts as outside, and `isGranted` says that access worked nevertheless. */
export function createView(
  path: string,
  spec: ConfinementSpec,
  granted: readonly string[],
): { readonly view: View; readonly isGranted: boolean } {
  const isGranted = granted.some((place) => isAtOrBelow(path, place));
  const entries = spec.paths.filter((entry) => isAtOrBelow(path, entry.path) && entry.kind !== 'list');
  const deepest = entries.reduce<ConfinedPath | null>(
    (best, entry) => (best === null || entry.path.length >= best.path.length ? entry : best),
    null,
  );
  const isHidden = spec.covered?.some((name) => isAtOrBelow(path, name)) === true;
  if (deepest?.kind === 'mask' || isHidden) return { view: 'hidden', isGranted: false };
  if (deepest?.kind === 'read-only') return { view: 'guarded', isGranted: false };
  if (deepest?.kind === 'device') return { view: 'open', isGranted: false };
  const isOpen = entries.some((entry) => entry.kind === 'write' && !isGrantedAt(entry.path, granted));
  if (isOpen) return { view: 'open', isGranted: false };
  if (isGranted) return { view: 'outside', isGranted: true };
  if (deepest?.kind === 'bind' || deepest?.kind === 'empty')
    return { view: isCovered(path, deepest) ? 'covered' : 'open', isGranted: false };
  // Parent folders of something readable can be traversed, and their names can be listed.
  const isReadable =
    spec.reads === 'all' || deepest !== null || spec.paths.some((entry) => isAtOrBelow(entry.path, path));
  return { view: isReadable ? 'outside' : 'hidden', isGranted: false };
}

/** Pins are folders inside granted ones, and are open because of that. */
function isGrantedAt(path: string, granted: readonly string[]): boolean {
  return granted.some((place) => isAtOrBelow(path, place));
}

/** A file that does not exist yet counts by its folder. */
function isCovered(path: string, entry: ConfinedPath & { readonly kind: 'bind' | 'empty' }): boolean {
  return [path, dirname(path)].some(
    (each) => each !== entry.path && isAtOrBelow(each, entry.path) && existsSync(each) && !existsInside(each, entry),
  );
}

function existsInside(path: string, entry: ConfinedPath & { readonly kind: 'bind' | 'empty' }): boolean {
  return entry.kind === 'bind' && existsSync(join(entry.from, relative(entry.path, path)));
}
