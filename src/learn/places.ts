// Paths that a command tried to change → the folders and files that it would have to be given, and why some never are.
// Looks at the disk as it is after the run: what is younger than the run was made by it, where it could make something.

import { accessSync, constants, existsSync, lstatSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isAtOrBelow } from '../core/values/containment.ts';
import { HOME_PROTECTED, HOME_SECRETS } from '../decide/paths/tables/home-places.ts';
import { protectedTable } from '../decide/paths/tables/protected-paths.ts';
import type { ObservedOperation } from '../run/port.ts';

export interface ClosedPlaces {
  readonly home: string | null;
  /** Absolute paths that the settings and the policy keep shut for writing. */
  readonly guarded: readonly string[];
  /** That they keep shut for reading. */
  readonly hidden: readonly string[];
}

export type Placed =
  | { readonly kind: 'place'; readonly path: string }
  | { readonly kind: 'beyond'; readonly target: string; readonly why: string }
  /** It could not have worked anywhere, or needs nothing. */
  | { readonly kind: 'nothing' };

const NOTHING: Placed = { kind: 'nothing' };
const SYSTEM = ['/bin', '/boot', '/dev', '/etc', '/lib', '/lib32', '/lib64', '/proc', '/run', '/sbin', '/sys', '/usr'];
const MORE_SYSTEM = ['/var/lib', '/var/cache', '/var/log', '/var/spool', '/System', '/Library'];
const SHARED = ['/tmp', '/var/tmp', '/dev/shm', '/home', '/Users', '/opt', '/srv', '/var', '/mnt', '/media'];

/** Everything but the last name is followed: names are made and deleted in real folders. */
export function realPlace(path: string): string {
  for (
    let folder = dirname(path), rest = basename(path);
    ;
    rest = join(basename(folder), rest), folder = dirname(folder)
  )
    try {
      return join(realpathSync(folder), rest);
    } catch {
      if (folder === '/') return path;
    }
}

export interface Change {
  readonly operation: ObservedOperation;
  /** As `realPlace` gives it. */
  readonly path: string;
  readonly startedAtMs: number;
  /** It was let through, so that the disk shows what it did. */
  readonly wasOpen: boolean;
}

export function placeChange(change: Change, closed: ClosedPlaces): Placed {
  const { operation, wasOpen, startedAtMs } = change;
  const isOld = (path: string) => wasThere(path, wasOpen ? startedAtMs : Number.POSITIVE_INFINITY);
  let path = change.path;
  // Content and modes are changed where a link leads to.
  if ((operation === 'write' || operation === 'change') && isOld(path)) path = followed(path);
  const protection = protectedTable().find(path, closed.home);
  const guard = closed.guarded.find((place) => isAtOrBelow(path, place));
  if (operation === 'create' && isOld(path) && statOf(path)?.isDirectory()) return NOTHING;
  if ((operation === 'delete' || operation === 'change') && !wasOpen && !isOld(path)) return NOTHING;
  const isKept = isOld(path) && (operation === 'write' || operation === 'change');
  const folder = isKept ? path : nearestOld(dirname(path), isOld);
  // A file in a folder that is missing: the program looked for it, or went on after the folder could not be made.
  if (operation === 'write' && !isKept && !wasOpen && folder !== dirname(path)) return NOTHING;
  if (!canWrite(folder)) return NOTHING;
  const beyond = (why: string): Placed => ({ kind: 'beyond', target: path, why });
  if (protection !== null) return beyond(`It is protected: ${protection.why}. Change it yourself, if you want that.`);
  if (guard !== undefined)
    return beyond('The settings, or the sandbox, protect it. Change it yourself, if you want that.');
  if ([...SYSTEM, ...MORE_SYSTEM].some((place) => isAtOrBelow(path, place)))
    return beyond('It belongs to the system, which no command in the sandbox changes.');
  const wide = whyTooWide(folder, closed);
  return wide === null ? { kind: 'place', path: folder } : beyond(`${wide} ${adviceFor(path, folder)}`);
}

function adviceFor(path: string, folder: string): string {
  const below = path.slice(folder === '/' ? 1 : folder.length + 1).split('/');
  return below.length > 1
    ? `Make the folder ${join(folder, below[0] as string)} yourself, and learn again.`
    : 'Let it use a folder of its own below, or make the file yourself, and learn again.';
}

/** Folders that are never given as a whole, with the reason as a sentence. */
function whyTooWide(folder: string, { home, guarded, hidden }: ClosedPlaces): string | null {
  if (folder === '/' || SYSTEM.some((place) => isAtOrBelow(place, folder)) || SHARED.includes(folder))
    return `The folder ${folder} belongs to everybody, and is never given as a whole.`;
  if (home !== null && isAtOrBelow(home, folder)) return 'The home folder is never given as a whole.';
  const below = home === null ? [] : [...HOME_SECRETS, ...HOME_PROTECTED].map((place) => join(home, place));
  const held = [...below, ...guarded, ...hidden].find((place) => place !== folder && isAtOrBelow(place, folder));
  if (held !== undefined) return `The folder ${folder} holds ${held}, and is never given as a whole.`;
  if (isRepository(folder))
    return `The folder ${folder} is a git repository with hooks, and is never given as a whole.`;
  return null;
}

/** What lies in `hooks` runs when somebody else pushes to it, or works in it. */
function isRepository(folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(folder, name)));
}

const MANY_FILES = 3;
const MANY_FOLDERS = 8;

/** As few and as narrow as makes sense: files of one folder become the folder, and so do many folders beside each other. */
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

/** A file system without times of birth says 0 for them: then whatever is there counts as old. */
function wasThere(path: string, beforeMs: number): boolean {
  const stats = statOf(path);
  return stats !== undefined && stats.birthtimeMs < beforeMs;
}

function followed(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** What the user may not change is refused with and without a sandbox. */
function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
