// What lies below the machine's /tmp and is to be seen below a command's own: which paths, and the places to show them at.
// The places are in a folder that commands write to: no link there is followed, however quickly somebody puts one.

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

const TMP = '/tmp';
const MAX_NAMED = 20;

/**
 * Paths that the command names: a script that another tool has put into /tmp is meant, if the command's own /tmp has
 * nothing there. They can be read, as everything else can.
 */
export function namedBelowTmp({ commands, effects }: Facts, temporary: string): string[] {
  const words = commands.flatMap(({ argv }) => argv.filter((word) => word !== null));
  const paths = [...words, ...effects.reads.flatMap(({ path, glob }) => (glob === true ? [] : [path]))];
  const below = paths.flatMap((path) => (path?.startsWith(`${TMP}/`) ? [normalize(path)] : []));
  return [...new Set(below)]
    .filter((path) => isAtOrBelow(path, TMP) && path !== TMP && isThere(path) && isFree(placeOf(path, temporary)))
    .slice(0, MAX_NAMED);
}

function placeOf(path: string, temporary: string): string {
  return join(temporary, relative(TMP, path));
}

function isThere(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.isFile() || found.isDirectory());
}

/** Nothing is there, or what was put there for an earlier command to be shown at. */
function isFree(place: string): boolean {
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found === undefined || (found.isFile() && found.size === 0)) return true;
  return found.isDirectory() && readdirSync(place).length === 0;
}

/** Places at which what lies below /tmp outside can be mounted inside. What has vanished outside leaves none behind. */
export function makePlaces(temporary: string, paths: readonly string[]): void {
  for (const path of paths) {
    if (path === TMP || !isAtOrBelow(path, TMP)) continue;
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) removeIfEmpty(placeOf(path, temporary));
    else makePlace(temporary, relative(TMP, path).split('/'), found.isFile());
  }
}

/** One name after the other, each inside the folder that was opened before it. */
function makePlace(temporary: string, names: readonly string[], isFile: boolean): void {
  let folder = openFolder(temporary);
  try {
    for (const [i, name] of names.entries()) {
      const place = `/proc/self/fd/${folder}/${name}`;
      if (isFile && i === names.length - 1) return makeFile(place);
      const inner = enterFolder(place);
      closeSync(folder);
      folder = inner;
    }
  } finally {
    closeSync(folder);
  }
}

function openFolder(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

/** A link or a file in its place is a command's, and gives way. */
function enterFolder(place: string): number {
  try {
    return openFolder(place);
  } catch {
    rmSync(place, { force: true });
    mkdirIfMissing(place);
    return openFolder(place);
  }
}

/** Another command may make the same place at this moment. */
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
    // It was never there, or commands have put something into it.
  }
}
