// Paths that a command is expected to change, or the folders that it can change → what differs afterwards: for editors and
// file caches. Without these folders, changes beyond the known effects are not found, and the list is marked as incomplete.

import { type BigIntStats, type Dirent, lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Facts, PathEffect } from '../../core/facts.ts';
import type { FileChanges, RunChanges } from '../../core/running.ts';
import { compileGlob, isGlob, matchesSegments, splitPath } from '../../decide/paths/glob.ts';

const MAX_PATHS = 500;
/** For one search of the folders: the host waits for it. */
const MAX_SURVEYED = 10_000;
const MAX_SURVEY_MS = 100;

const UNPREDICTED = 'not every effect of the command can be predicted';
const TOO_MANY = `the folders that it can change have more than ${MAX_SURVEYED} files, or could not be searched`;

type States = Map<string, string | null>;

export interface WatchOptions {
  /** Where a path of the command is outside of the sandbox. */
  readonly outside?: (path: string) => string;
  /** Everything that it can change; null if that is not known or not wanted. */
  readonly folders?: readonly string[] | null;
}

export class FileWatch {
  readonly #before: States = new Map();
  readonly #patterns: string[] = [];
  readonly #folders: readonly string[] | null;
  readonly #surveyed: States | null;
  #isComplete: boolean;

  /** Looks now; `changes` looks again. */
  constructor({ status, effects }: Facts, { outside = (path) => path, folders = null }: WatchOptions = {}) {
    const touched = [...effects.writes, ...effects.deletes];
    this.#isComplete = status === 'understood' && effects.unknown.length === 0 && effects.executes.length === 0;
    for (const effect of touched) this.#add({ ...effect, path: effect.path === null ? null : outside(effect.path) });
    this.#folders = folders;
    this.#surveyed = folders === null || this.#isComplete ? null : survey(folders);
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
    const surveyed = this.#surveyed === null || this.#folders === null ? null : survey(this.#folders);
    const before = new Map(this.#before);
    for (const path of this.#patterns.flatMap(expand)) if (!before.has(path)) before.set(path, null);
    if (surveyed !== null) {
      for (const [path, state] of this.#surveyed ?? []) before.set(path, state);
      for (const path of surveyed.keys()) if (!before.has(path)) before.set(path, null);
    }
    const created: string[] = [];
    const changed: string[] = [];
    const deleted: string[] = [];
    for (const [path, state] of before) {
      const after = surveyed?.get(path) ?? stateOf(path);
      if (state === after) continue;
      (state === null ? created : after === null ? deleted : changed).push(path);
    }
    const isComplete = this.#isComplete || surveyed !== null;
    const isSearched = this.#folders !== null;
    return { created, changed, deleted, isComplete, why: isComplete ? null : isSearched ? TOO_MANY : UNPREDICTED };
  }
}

/** And those that a staged command has changed. */
export function withStaged(
  files: FileChanges,
  { changes, isAll }: { readonly changes: RunChanges | null; readonly isAll: boolean },
): FileChanges {
  const isHeld = new Set(changes?.heldBack.map(({ path }) => path));
  const landed = changes?.state === 'landed' ? changes.files.filter(({ path }) => !isHeld.has(path)) : [];
  const add = (paths: readonly string[], ...kinds: readonly string[]) => [
    ...new Set([...paths, ...landed.filter(({ change }) => kinds.includes(change)).map(({ path }) => path)]),
  ];
  const isComplete = isAll ? changes === null || changes.omitted === 0 : files.isComplete;
  return {
    created: add(files.created, 'created'),
    changed: add(files.changed, 'changed', 'mode'),
    deleted: add(files.deleted, 'deleted'),
    isComplete,
    why: isComplete ? null : (files.why ?? TOO_MANY),
  };
}

/** Everything below the folders, links not followed; null if that is too much. */
function survey(folders: readonly string[]): States | null {
  const states: States = new Map();
  const until = performance.now() + MAX_SURVEY_MS;
  const waiting = [...folders];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (states.size > MAX_SURVEYED || performance.now() > until) return null;
    let entries: Dirent[];
    try {
      entries = readdirSync(folder, { withFileTypes: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') return null;
      states.set(folder, stateOf(folder));
      continue;
    }
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (states.has(path)) continue;
      states.set(path, stateOf(path));
      if (entry.isDirectory()) waiting.push(path);
    }
  }
  return states.size > MAX_SURVEYED ? null : states;
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
