// A folder that stands in the way of an undo or redo → the files in it that were changed, created or deleted since.

import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isAtOrBelow } from '../core/values/containment.ts';
import { readJournal, type Stage } from './store.ts';

/** People look at the first ten. */
const MAX_SEARCHED = 20_000;

/** `stage` as it was before. The folder itself if no file explains it. */
export function findNewer(stage: Stage, path: string): readonly string[] {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  const found = [...changedBelow(path, stage.stateAt), ...missingBelow(path, stage)];
  return found.length === 0 ? [path] : found;
}

function* changedBelow(folder: string, sinceMs: number): Generator<string> {
  const waiting = [folder];
  let searched = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
    for (const entry of entriesOf(at)) {
      searched += 1;
      if (searched > MAX_SEARCHED) return;
      const path = join(at, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else if ((lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0) > sinceMs) yield path;
    }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** What the command, or its undo, has left there. */
function missingBelow(folder: string, stage: Stage): string[] {
  const journal = readJournal(stage);
  const gone = stage.state === 'undone' ? 'created' : 'deleted';
  const names = (journal?.names ?? []).filter(({ change, type }) => change !== gone && type !== 'd');
  const paths = names.map(({ root, path }) => join(journal?.roots[root] ?? '/', path));
  return paths.filter((path) => isAtOrBelow(path, folder) && lstatSync(path, { throwIfNoEntry: false }) === undefined);
}
