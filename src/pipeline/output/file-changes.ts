// Paths that a command is expected to change → those that differ afterwards: for editors and file caches.
// Checks nothing else: changes beyond the known effects are not found here, and then the list is marked as incomplete.

import { type BigIntStats, lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Facts, PathEffect } from '../../core/facts.ts';
import type { FileChanges } from '../../core/running.ts';
import { compileGlob, isGlob, matchesSegments, splitPath } from '../../decide/paths/glob.ts';

const MAX_PATHS = 500;

export class FileWatch {
  readonly #before = new Map<string, string | null>();
  readonly #patterns: string[] = [];
  #isComplete: boolean;

  /** Looks now; `changes` looks again. `outside`: where a path of the command is outside of the sandbox. */
  constructor({ status, effects }: Facts, outside: (path: string) => string = (path) => path) {
    const touched = [...effects.writes, ...effects.deletes];
    this.#isComplete = status === 'understood' && effects.unknown.length === 0 && effects.executes.length === 0;
    for (const effect of touched) this.#add({ ...effect, path: effect.path === null ? null : outside(effect.path) });
  }

  #add({ path, glob, recursive }: PathEffect): void {
    if (path === null || !path.startsWith('/') || this.#before.size >= MAX_PATHS) this.#isComplete = false;
    else if (glob === true) this.#patterns.push(path);
    else this.#look(path);
    if (recursive === true) this.#isComplete = false;
    if (path !== null && glob === true) for (const found of expand(path)) this.#look(found);
  }

  #look(path: string): void {
    if (this.#before.size < MAX_PATHS) this.#before.set(path, stateOf(path));
    else this.#isComplete = false;
  }

  changes(): FileChanges {
    const created: string[] = [];
    const changed: string[] = [];
    const deleted: string[] = [];
    const appeared = this.#patterns.flatMap(expand).filter((path) => !this.#before.has(path));
    for (const [path, before] of [...this.#before, ...appeared.map((path) => [path, null] as const)]) {
      const after = stateOf(path);
      if (before === after) continue;
      (before === null ? created : after === null ? deleted : changed).push(path);
    }
    return { created, changed, deleted, isComplete: this.#isComplete };
  }
}

/** Two writes within one clock tick differ only in size or content; the inode's change time detects both. */
function stateOf(path: string): string | null {
  let stats: BigIntStats | undefined;
  try {
    stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return null;
  }
  if (stats === undefined) return null;
  const { ino, size, mtimeNs, ctimeNs, mode } = stats;
  // A folder changes with every name in it; those are reported themselves.
  return stats.isDirectory() ? `folder ${ino} ${mode}` : `${ino} ${size} ${mtimeNs} ${ctimeNs} ${mode}`;
}

/** Only in the last component: deeper patterns would require walking the disk. */
function expand(pattern: string): string[] {
  const folder = dirname(pattern);
  if (isGlob(folder)) return [];
  const glob = compileGlob(basename(pattern));
  try {
    return readdirSync(folder)
      .filter((name) => matchesSegments(glob, splitPath(name)))
      .slice(0, MAX_PATHS)
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
