// A folder → the project around it, whose commands share a world and temporary files, and the repository around it.
// Both are looked for upward, as settings are, but not in the home folder or a system folder: these hold many projects.

import { lstatSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { realPathOrSame } from '../local/real-path.ts';
import type { Terms } from '../terms/terms.ts';
import { isSystemFolder } from './paths/system-folders.ts';

const SETTINGS = '.hardshell';
const GIT = '.git';
const MAX_LEVELS = 64;

export interface Surroundings {
  /** Its commands share a world, temporary files and caches. */
  readonly project: string;
  /** The `.git` above the root that its commands may change like that of a whole work tree. */
  readonly openedGit: string | null;
  /** For reading. */
  readonly visible: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export function findSurroundings({
  project: folder,
  home,
  hasDefaultRoot,
}: Pick<Terms, 'project' | 'home' | 'hasDefaultRoot'>): Surroundings {
  const real = realPathOrSame(folder);
  const folders = foldersUp(real, home);
  const project = findProject(real, folders);
  const git = findGitAbove(real, folders);
  if (git === null) return { project, openedGit: null, visible: [], env: {} };
  return {
    project,
    // Roots that are named are meant as they are.
    openedGit: hasDefaultRoot ? git : null,
    visible: [dirname(git)],
    // The writable folder is a mount, and git looks for its repository above it.
    env: { GIT_DISCOVERY_ACROSS_FILESYSTEM: '1' },
  };
}

/** The nearest folder upward with settings of hardshell or a repository; otherwise the folder itself. */
function findProject(real: string, folders: readonly string[]): string {
  return folders.find((each) => isOwned(each, SETTINGS, real) || isOwned(each, GIT, real)) ?? real;
}

/** The `.git` of the repository in whose work tree the folder is; null if there is none, or if the folder is its top. */
function findGitAbove(real: string, folders: readonly string[]): string | null {
  const top = folders.find((each) => lookAt(join(each, GIT)) !== null);
  if (top === undefined || top === real || !isOwned(top, GIT, real)) return null;
  // A link may lead to any repository.
  return lookAt(join(top, GIT))?.isSymbolicLink() ? null : join(top, GIT);
}

function foldersUp(real: string, home: string | null): readonly string[] {
  const top = home === null ? null : realPathOrSame(home);
  const folders = [real];
  for (let at = dirname(real); folders.length < MAX_LEVELS && at !== top && !isSystemFolder(at); at = dirname(at))
    folders.push(at);
  return folders;
}

/** By the user, or by the owner of the folder: anyone could create one in a folder such as /srv. */
function isOwned(folder: string, name: string, start: string): boolean {
  const owner = lookAt(join(folder, name))?.uid;
  return owner !== undefined && (owner === process.getuid?.() || owner === lookAt(start)?.uid);
}

function lookAt(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
