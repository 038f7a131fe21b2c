// Hidden paths → folders that are seen through an overlay, and the names that it hides.
// Leaves to mounts what an overlay cannot hide: names in writable folders, above a mount, or with something shown in them.

import { dirname, join, relative, resolve } from 'node:path';
import type { FolderReader } from './reading.ts';

export interface Overlays {
  readonly folders: readonly string[];
  /** Hidden whether they exist or not. Each is below one of the folders, and none is below another name. */
  readonly names: readonly string[];
  /** The hidden paths that need nothing else. */
  readonly handled: ReadonlySet<string>;
}

export const NO_OVERLAYS: Overlays = { folders: [], names: [], handled: new Set() };

/** Each costs as much as several mounts. */
const MAX_OVERLAYS = 8;

export interface OverlayBounds {
  /** Writable and private folders: no overlay is made at or below them. */
  readonly open: readonly string[];
  /** Places at which something else is mounted. */
  readonly mounted: readonly string[];
}

export function planOverlays(
  hidden: readonly string[],
  { open, mounted }: OverlayBounds,
  folders: FolderReader,
): Overlays {
  const needed = withParents(mounted);
  const places = hidden
    .map((path) => placeOf(resolve(path), folders))
    .filter(({ names }) => !names.some((name) => needed.has(name)));
  const openFolders = new Set(open);
  // An overlay further up does not hide what is mounted over it.
  const overmounted = new Set([...open, ...mounted]);
  const aboveMounts = withParents((folders.mountPoints?.() ?? []).map((path) => dirname(path)));
  const isUsable = (folder: string) => !aboveMounts.has(folder) && !isAtOrBelowAny(folder, openFolders);
  const usable = new Set([...new Set(places.map(({ folder }) => folder))].filter(isUsable));
  const found = new Map<string, string[]>();
  for (const name of outermost(new Set(places.flatMap(({ names }) => names)))) {
    if (isAtOrBelowAny(name, overmounted)) continue;
    const folder = topmostAbove(name, usable);
    const names = folder === null ? [] : (found.get(folder) ?? []);
    names.push(name);
    if (folder !== null) found.set(folder, names);
  }
  const possible = [...found].filter(([folder]) => folders.isFile?.(folder) !== true);
  const chosen = possible.sort(([, a], [, b]) => b.length - a.length).slice(0, MAX_OVERLAYS);
  const names = new Set(chosen.flatMap(([, list]) => list));
  const isHandled = ({ targets }: Place) => targets.every((path) => isAtOrBelowAny(path, names));
  return {
    folders: chosen.map(([folder]) => folder).sort(),
    names: [...names].sort(),
    handled: new Set(places.filter(isHandled).map(({ path }) => path)),
  };
}

interface Place {
  readonly path: string;
  /** The nearest one that exists. */
  readonly folder: string;
  /** Without links on the way, and what it leads to. */
  readonly targets: readonly string[];
  /** Also as it is written: links on the way stay what they are. */
  readonly names: readonly string[];
}

function placeOf(path: string, folders: FolderReader): Place {
  const real = folders.realPath(path);
  if (real === path) return { path, folder: dirname(path), targets: [path], names: [path] };
  let above = dirname(path);
  while (above !== '/' && folders.realPath(above) === null) above = dirname(above);
  const folder = folders.realPath(above) ?? '/';
  const targets = [join(folder, relative(above, path)), ...(real === null ? [] : [real])];
  return { path, folder, targets, names: [...new Set([path, ...targets])] };
}

/** Of a plain absolute path; faster than `dirname`. */
function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function withParents(paths: readonly string[]): Set<string> {
  const all = new Set<string>();
  for (const path of paths) for (let at = path; !all.has(at); at = parentOf(at)) all.add(at);
  return all;
}

function isAtOrBelowAny(path: string, places: ReadonlySet<string>): boolean {
  for (let at = path; ; at = parentOf(at)) {
    if (places.has(at)) return true;
    if (at === '/') return false;
  }
}

function topmostAbove(path: string, places: ReadonlySet<string>): string | null {
  let found: string | null = null;
  for (let at = parentOf(path); at !== '/'; at = parentOf(at)) if (places.has(at)) found = at;
  return found;
}

/** A name below another one is hidden with it. */
function outermost(names: ReadonlySet<string>): string[] {
  return [...names].filter((name) => topmostAbove(name, names) === null);
}

interface Hidden {
  readonly hidden: readonly string[];
  readonly unseen: readonly string[];
}

/** What an overlay hides needs no mount, and cannot appear. */
export function leaveOutOverlaid(
  { hidden, unseen }: Hidden,
  { names, handled }: Overlays,
  folders: FolderReader,
): Hidden {
  if (names.length === 0) return { hidden, unseen };
  const overlaid = new Set(names);
  return {
    hidden: hidden.filter((path) => !isAtOrBelowAny(path, overlaid)),
    // The target of a dangling link may appear anywhere.
    unseen: unseen.filter((path) => !handled.has(path) || folders.isLink?.(path) === true),
  };
}
