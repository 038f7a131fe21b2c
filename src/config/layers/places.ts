// Where settings are looked for: the managed file, the user's, and those of every folder from here up to the root.
// If a command runs outside its project, both folders count, and neither can loosen the other.

import { basename, dirname, join, resolve } from 'node:path';
import { isAtOrBelow } from '../../core/values/containment.ts';
import { managedSettingsFile, userSettingsFile } from '../../local/places.ts';
import { realPathOfNearest } from '../../local/real-path.ts';
import type { FileLayer } from '../settings.ts';

/** Locations that tests, and hosts with their own layout, can override; `null`: there is none. */
export interface Places {
  readonly managed: string | null;
  readonly user: string | null;
}

export interface Place {
  readonly layer: FileLayer;
  readonly file: string;
  /** Folder that `/x` in the file starts at: the project for files in `.hardshell/`, else the folder of the file. */
  readonly base: string;
  /** The folder that these settings belong to, with links resolved; `null` for files that need no trust. */
  readonly folder: string | null;
  /** From only one of the project and the folder of the command: it can only tighten, even if it is trusted. */
  readonly isOneSided?: true;
}

export const FOLDER_NAME = '.hardshell';
const NAMES = { project: 'settings.json', local: 'settings.local.json' } as const;

export interface Surroundings {
  readonly home: string | null;
  readonly platform?: NodeJS.Platform;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export function standardPlaces({ home, platform = process.platform, environment = process.env }: Surroundings): Places {
  return { managed: managedSettingsFile(platform), user: userSettingsFile(home, environment) };
}

/** All files that may count, from the strongest to the weakest; within a layer the nearest folder comes first. */
export function listPlaces(options: {
  readonly cwd: string;
  /** Folders whose settings also apply, regardless of where the command runs. */
  readonly projects?: readonly string[] | undefined;
  readonly places: Places;
  readonly settingsFile?: string | undefined;
}): Place[] {
  const { cwd, projects = [], places, settingsFile } = options;
  const { shared, oneSided } = splitFolders(cwd, projects);
  const inFolder = (layer: 'local' | 'project', { path, real }: Folder): Place => ({
    layer,
    file: projectFile(path, layer),
    base: path,
    folder: real,
  });
  const ofFolders = (layer: 'local' | 'project'): Place[] => shared.map((folder) => inFolder(layer, folder));
  // Stronger than the others, which could otherwise loosen them.
  const ofOneSide = (['local', 'project'] as const).flatMap((layer) =>
    oneSided.map((folder): Place => ({ ...inFolder(layer, folder), isOneSided: true })),
  );
  return [
    ...single('managed', places.managed),
    ...single('flags', settingsFile === undefined ? null : resolve(cwd, settingsFile)),
    ...ofOneSide,
    ...ofFolders('local'),
    ...ofFolders('project'),
    ...single('user', places.user),
  ];
}

export function projectFile(folder: string, layer: 'local' | 'project'): string {
  return join(folder, FOLDER_NAME, NAMES[layer]);
}

function single(layer: FileLayer, file: string | null): Place[] {
  if (file === null) return [];
  // A project's own file that is passed with --settings keeps its paths.
  const folder = dirname(file);
  const base = basename(folder) === FOLDER_NAME ? dirname(folder) : folder;
  return [{ layer, file, base, folder: null }];
}

interface Folder {
  readonly path: string;
  readonly real: string;
}

function splitFolders(cwd: string, projects: readonly string[]): { shared: Folder[]; oneSided: Folder[] } {
  const own = foldersAbove(cwd);
  const real = own.map((folder) => folder.real);
  const roots = [...new Set(projects.map((project) => realPathOfNearest(resolve(project))))];
  const isShared = (folder: Folder): boolean =>
    roots.every((root) => isAtOrBelow(root, folder.real) || isAtOrBelow(folder.real, root));
  const others = projects.flatMap(foldersAbove).filter(({ real: path }) => !real.includes(path));
  const first = new Map(others.map((folder) => [folder.real, folder]));
  return { shared: own.filter(isShared), oneSided: [...own.filter((folder) => !isShared(folder)), ...first.values()] };
}

/**
 * Both the folders that the path names and those that it leads to: with a link on the way, the two differ,
 * and neither may drop the denies of the other.
 */
function foldersAbove(cwd: string): Folder[] {
  const found = new Map<string, string>();
  const named = resolve(cwd);
  const real = realPathOfNearest(named);
  // Parents of a path without links have no links either.
  if (named !== real) for (const path of withParents(named)) keepFirst(found, realPathOfNearest(path), path);
  for (const path of withParents(real)) keepFirst(found, path, path);
  return [...found].map(([key, path]) => ({ path, real: key }));
}

function keepFirst(found: Map<string, string>, key: string, value: string): void {
  if (!found.has(key)) found.set(key, value);
}

function withParents(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...withParents(parent)];
}
