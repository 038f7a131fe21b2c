// Paths below the machine's /tmp that must be visible below a command's private /tmp, and their mount points.
// The mount points are in a folder that commands can write: no link there is followed, not even in a race.

import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join, normalize, relative } from 'node:path';
import type { Facts } from '../core/facts.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import type { NamedPaths } from '../decide/paths/named-paths.ts';

const TMP = '/tmp';
const MAX_NAMED = 20;

/**
 * Files that an approval or a rule names, for reading: a script that another tool has put into /tmp is meant if the
 * command's private /tmp has nothing there. A path that the command changes is one of its own /tmp.
 */
export function namedBelowTmp(named: Iterable<NamedPaths>, { effects }: Facts, temporary: string): string[] {
  const changed = [...effects.writes, ...effects.deletes].flatMap(({ path }) => path ?? []);
  const isChanged = (path: string) => changed.some((each) => isAtOrBelow(path, normalize(each)));
  const reads = [...named].flatMap((each) => each.reads).map((path) => normalize(path));
  return [...new Set(reads)]
    .filter((path) => path !== TMP && isAtOrBelow(path, TMP) && !isChanged(path))
    .filter((path) => isThere(path) && isFree(placeOf(path, temporary)))
    .slice(0, MAX_NAMED);
}

function placeOf(path: string, temporary: string): string {
  return join(temporary, relative(TMP, path));
}

function isThere(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.isFile() || found.isDirectory());
}

/** Nothing is there, or only the mount point of an earlier command. */
function isFree(place: string): boolean {
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found === undefined || (found.isFile() && found.size === 0)) return true;
  return found.isDirectory() && readdirSync(place).length === 0;
}

/** Mount points inside for paths below /tmp outside. Mount points of vanished paths are removed. */
export function makePlaces(temporary: string, paths: readonly string[]): void {
  const opened = new Map<string, number>();
  try {
    for (const path of new Set(paths)) {
      if (path === TMP || !isAtOrBelow(path, TMP)) continue;
      const found = statSync(path, { throwIfNoEntry: false });
      if (found === undefined) removeIfEmpty(placeOf(path, temporary));
      else makePlace(temporary, relative(TMP, path), { isFile: found.isFile(), opened });
    }
  } finally {
    for (const folder of opened.values()) closeSync(folder);
  }
}

interface PlaceWay {
  readonly isFile: boolean;
  /** Folders in the temporary one, by their paths there: most places are below the same ones. */
  readonly opened: Map<string, number>;
}

/** One name at a time, each relative to the folder opened before it. */
function makePlace(temporary: string, path: string, { isFile, opened }: PlaceWay): void {
  const folderAt = (below: string): number => {
    let folder = opened.get(below);
    if (folder === undefined) {
      folder = below === '' ? openFolder(temporary) : enterFolder(placeIn(below));
      opened.set(below, folder);
    }
    return folder;
  };
  const placeIn = (below: string): string => {
    const [, above = '', name] = /^(?:(.*)\/)?([^/]*)$/.exec(below) ?? [];
    return `/proc/self/fd/${folderAt(above)}/${name}`;
  };
  if (isFile) makeFile(placeIn(path));
  else folderAt(path);
}

function openFolder(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

/** A link or a file in its place comes from a command, and is removed. */
function enterFolder(place: string): number {
  try {
    return openFolder(place);
  } catch {
    rmSync(place, { force: true });
    mkdirIfMissing(place);
    return openFolder(place);
  }
}

/** Another command may create the same mount point at this moment. */
function mkdirIfMissing(place: string): void {
  try {
    mkdirSync(place, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function makeFile(place: string): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    closeSync(openSync(place, flags, 0o600));
  } catch {
    rmSync(place, { force: true, recursive: true });
    closeSync(openSync(place, flags | constants.O_EXCL, 0o600));
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It never existed, or commands have put something into it.
  }
}
