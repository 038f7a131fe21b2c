// Word × folders → the paths that it names, absolute if the folder is known.
// Folds `.` and `..` as text; if a symlink could make that wrong, the unfolded path is kept too.

import { posix } from 'node:path';
import type { PathEffect, WordValue } from '../../core/facts.ts';

const UNKNOWN_PATH: PathEffect = { path: null };

export function resolvePath(word: WordValue, folders: readonly string[] | null): readonly PathEffect[] {
  if (word.kind === 'dynamic') return [UNKNOWN_PATH];
  const text = word.kind === 'literal' ? word.value : word.glob;
  const isGlob = word.kind === 'pattern';
  if (text.startsWith('/')) return [pathEffect(text, isGlob)];
  if (folders === null) return [UNKNOWN_PATH];
  return folders.map((folder) => pathEffect(inFolder(folder, text), isGlob));
}

export function inFolder(folder: string, path: string): string {
  if (path.startsWith('/')) return path;
  if (folder === '.') return path;
  return folder.endsWith('/') ? folder + path : `${folder}/${path}`;
}

const NEEDS_FOLDING = /(^|\/)\.{0,2}(\/|$)/;
/** `link/..`: text folds it away, the kernel may resolve it differently. */
export const CLIMBS_AFTER_NAME = /(?:^|\/)(?!\.\.?(?:\/|$))[^/]+\/+\.\.(?:\/|$)/;

function pathEffect(path: string, isGlob: boolean): PathEffect {
  const folded = foldPath(path);
  const effect: { path: string; glob?: true; unfolded?: string } = { path: folded };
  if (isGlob) effect.glob = true;
  if (CLIMBS_AFTER_NAME.test(path)) effect.unfolded = path;
  return effect;
}

export function foldPath(path: string): string {
  if (!NEEDS_FOLDING.test(path.slice(1))) return path;
  const folded = posix.normalize(path);
  return folded.length > 1 && folded.endsWith('/') ? folded.slice(0, -1) : folded;
}
