// Paths that a command tried to change → the folders and files that it needs, and why some are never granted.
// Uses the disk as it is after the run: a file newer than the run was created by it, if it could create files there.

import { accessSync, constants, existsSync, lstatSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isAtOrBelow } from '../core/values/containment.ts';
import { HOME_PROTECTED, HOME_SECRETS } from '../decide/paths/tables/home-places.ts';
import { protectedTable } from '../decide/paths/tables/protected-paths.ts';
import { realPathOfNearest, realPathOrSame } from '../local/real-path.ts';
import type { ObservedOperation } from '../run/port.ts';

export interface ClosedPlaces {
  readonly home: string | null;
  /** Absolute paths that the settings and the policy deny for writing. */
  readonly guarded: readonly string[];
  /** The same for reading. */
  readonly hidden: readonly string[];
}

export type Placed =
  | { readonly kind: 'place'; readonly path: string }
  | { readonly kind: 'beyond'; readonly target: string; readonly why: string }
  /** It could not have worked in any case, or needs nothing. */
  | { readonly kind: 'nothing' };

const NOTHING: Placed = { kind: 'nothing' };
const SYSTEM = ['/bin', '/boot', '/dev', '/etc', '/lib', '/lib32', '/lib64', '/proc', '/run', '/sbin', '/sys', '/usr'];
const MORE_SYSTEM = ['/var/lib', '/var/cache', '/var/log', '/var/spool', '/System', '/Library'];
const SHARED = ['/tmp', '/var/tmp', '/dev/shm', '/home', '/Users', '/opt', '/srv', '/var', '/mnt', '/media'];

/** Follows links in everything but the last name: names are created and deleted in real folders. */
export function realPlace(path: string): string {
  return join(realPathOfNearest(dirname(path)), basename(path));
}

export interface Change {
  readonly operation: ObservedOperation;
  /** As returned by `realPlace`. */
  readonly path: string;
  readonly startedAtMs: number;
  /** It was allowed, so the disk shows what it did. */
  readonly wasOpen: boolean;
}

export function placeChange(change: Change, closed: ClosedPlaces): Placed {
  const { operation, wasOpen, startedAtMs } = change;
  const isOld = (path: string) => wasThere(path, wasOpen ? startedAtMs : Number.POSITIVE_INFINITY);
  let path = change.path;
  // Content and modes are changed at the target of a link.
  if ((operation === 'write' || operation === 'change') && isOld(path)) path = realPathOrSame(path);
  const protection = protectedTable().find(path, closed.home);
  const guard = closed.guarded.find((place) => isAtOrBelow(path, place));
  if (operation === 'create' && isOld(path) && statOf(path)?.isDirectory()) return NOTHING;
  if ((operation === 'delete' || operation === 'change') && !wasOpen && !isOld(path)) return NOTHING;
  const isKept = isOld(path) && (operation === 'write' || operation === 'change');
  const folder = isKept ? path : nearestOld(dirname(path), isOld);
  // A file in a missing folder: the program only looked for it, or continued after it could not create the folder.
  if (operation === 'write' && !isKept && !wasOpen && folder !== dirname(path)) return NOTHING;
  if (!canWrite(folder)) return NOTHING;
  const beyond = (why: string): Placed => ({ kind: 'beyond', target: path, why });
  if (protection !== null) return beyond(`It is protected: ${protection.why}. Change it yourself if you want that.`);
  if (guard !== undefined)
    return beyond('The settings or the sandbox protect it. Change it yourself if you want that.');
  if ([...SYSTEM, ...MORE_SYSTEM].some((place) => isAtOrBelow(path, place)))
    return beyond('It belongs to the system, which no command in the sandbox can change.');
  const wide = whyTooWide(folder, closed);
  return wide === null ? { kind: 'place', path: folder } : beyond(`${wide} ${adviceFor(path, folder)}`);
}

function adviceFor(path: string, folder: string): string {
  const below = path.slice(folder === '/' ? 1 : folder.length + 1).split('/');
  return below.length > 1
    ? `Create the folder ${join(folder, below[0] as string)} yourself, and run learn again.`
    : 'Let it use a separate subfolder, or create the file yourself, and run learn again.';
}

/** Folders that are never granted as a whole, with the reason as a sentence. */
function whyTooWide(folder: string, { home, guarded, hidden }: ClosedPlaces): string | null {
  if (folder === '/' || SYSTEM.some((place) => isAtOrBelow(place, folder)) || SHARED.includes(folder))
    return `The folder ${folder} is shared by all users, and is never granted as a whole.`;
  if (home !== null && isAtOrBelow(home, folder)) return 'The home folder is never granted as a whole.';
  const below = home === null ? [] : [...HOME_SECRETS, ...HOME_PROTECTED].map((place) => join(home, place));
  const held = [...below, ...guarded, ...hidden].find((place) => place !== folder && isAtOrBelow(place, folder));
  if (held !== undefined) return `The folder ${folder} contains ${held}, and is never granted as a whole.`;
  if (isRepository(folder))
    return `The folder ${folder} is a git repository with hooks, and is never granted as a whole.`;
  return null;
}

/** Files in `hooks` run when another user pushes to it or works in it. */
function isRepository(folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(folder, name)));
}

const MANY_FILES = 3;
const MANY_FOLDERS = 8;

/** As few and as narrow as reasonable: several files of one folder become the folder, and so do many sibling folders. */
export function mergePlaces(places: readonly string[], closed: ClosedPlaces): string[] {
  const isFolder = (path: string) => statOf(path)?.isDirectory() === true;
  const files = gather(
    places.filter((path) => !isFolder(path)),
    MANY_FILES,
    closed,
  );
  const folders = gather([...places.filter(isFolder), ...files.filter(isFolder)], MANY_FOLDERS, closed);
  const all = [...new Set([...files, ...folders])];
  return all.filter((path) => !all.some((other) => other !== path && isAtOrBelow(path, other))).sort();
}

function gather(paths: readonly string[], most: number, closed: ClosedPlaces): string[] {
  const byParent = new Map<string, string[]>();
  for (const path of new Set(paths)) byParent.set(dirname(path), [...(byParent.get(dirname(path)) ?? []), path]);
  return [...byParent].flatMap(([parent, group]) =>
    group.length > most && whyTooWide(parent, closed) === null ? [parent] : group,
  );
}

function nearestOld(path: string, isOld: (path: string) => boolean): string {
  let folder = path;
  while (folder !== '/' && !isOld(folder)) folder = dirname(folder);
  return folder;
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** A file system without birth times reports 0: then every existing file counts as old. */
function wasThere(path: string, beforeMs: number): boolean {
  const stats = statOf(path);
  return stats !== undefined && stats.birthtimeMs < beforeMs;
}

/** Files that the user must not change are refused with and without a sandbox. */
function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
