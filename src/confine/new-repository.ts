// A repository that a command created: its settings and hooks would run outside the sandbox with the next `git status`.
// Everything that runs code is removed from it; the output of `git init` and `git clone` stays. Follows no link.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { FolderReader } from './reading.ts';

export interface Undone {
  readonly path: string;
  /** Null if it was removed. */
  readonly movedTo: string | null;
  /** It could not be removed. */
  readonly isLeft?: true;
}

export interface RepositoryJudge {
  /** Where removed files are moved to; null deletes them. On another file system they are deleted too. */
  readonly quarantine: string | null;
  /** Whether the settings of the repository in `git` run nothing. Unreadable settings count as running something. */
  isInert(config: string, git: string): boolean;
}

const MAX_CONFIG_BYTES = 1 << 20;
/** Files that a standalone repository does not have: they make git read settings or hooks from another folder. */
const REDIRECTIONS = ['commondir', 'gitdir'];

/** Roots without a repository: checked before the command, and again after it. */
export function findWithoutRepository(roots: readonly string[], folders: FolderReader): string[] {
  return roots.filter((root) => folders.realPath(join(root, '.git')) === null && isAbsent(join(root, '.git')));
}

/** A path that cannot be read does not count as new. */
function isAbsent(path: string): boolean {
  try {
    return kindOf(path) === null;
  } catch {
    return false;
  }
}

function kindOf(path: string): 'folder' | 'file' | 'other' | null {
  let info: Stats | undefined;
  try {
    info = lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A writable path can be a single file, which has nothing below it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') throw error;
  }
  if (info === undefined) return null;
  return info.isDirectory() ? 'folder' : info.isFile() ? 'file' : 'other';
}

/** By descriptor, so that no link can be put in its place between check and read. */
function readConfig(path: string): string | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const info = fstatSync(fd);
    return info.isFile() && info.size <= MAX_CONFIG_BYTES ? readFileSync(fd, 'utf8') : null;
  } finally {
    closeSync(fd);
  }
}

let taken = 0;

function takeOut(path: string, { quarantine }: RepositoryJudge): Undone {
  if (quarantine !== null) {
    taken += 1;
    const movedTo = join(quarantine, `${Date.now()}-${process.pid}-${taken}-${basename(path)}`);
    try {
      mkdirSync(quarantine, { recursive: true, mode: 0o700 });
      renameSync(path, movedTo);
      return { path, movedTo };
    } catch {}
  }
  try {
    rmSync(path, { recursive: true, force: true });
    return { path, movedTo: null };
  } catch {
    return { path, movedTo: null, isLeft: true };
  }
}

function findHooks(folder: string): string[] {
  const hooks = join(folder, 'hooks');
  const kind = kindOf(hooks);
  if (kind === null) return [];
  if (kind !== 'folder') return [hooks];
  return readdirSync(hooks, { withFileTypes: true })
    .filter((entry) => !(entry.isFile() && entry.name.endsWith('.sample')))
    .map(({ name }) => join(hooks, name));
}

/** Remotes as old versions of git stored them: an address in each file, which may be any repository. */
function findRemotes(folder: string): string[] {
  return ['remotes', 'branches']
    .map((name) => join(folder, name))
    .flatMap((path) => {
      const kind = kindOf(path);
      if (kind === 'folder') return readdirSync(path).map((name) => join(path, name));
      return kind === null ? [] : [path];
    });
}

function findRunning(folder: string, judge: RepositoryJudge): string[] {
  const configs = ['config', 'config.worktree'].map((name) => join(folder, name));
  return configs.filter((path) => {
    const text = kindOf(path) === null ? '' : readConfig(path);
    return text === null || !judge.isInert(text, folder);
  });
}

/** Repositories of submodules are inside, one folder for each, at any depth. */
function findModules(folder: string): string[] {
  const modules = join(folder, 'modules');
  if (kindOf(modules) !== 'folder') return kindOf(modules) === null ? [] : [modules];
  return readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name === 'HEAD' && basename(entry.parentPath) !== 'logs')
    .map(({ parentPath }) => parentPath);
}

/**
 * A tree that cannot be read, or changes in the meantime, is removed as a whole: it never fails its command.
 *
 * @param root a folder in which there was no `.git` before the command
 * @returns what was removed from the repository that exists now, or the repository itself
 */
export function judgeNewRepository(root: string, judge: RepositoryJudge, folders: FolderReader): readonly Undone[] {
  try {
    return judgeParts(root, judge, folders);
  } catch {
    return [takeOut(join(root, '.git'), judge)];
  }
}

function judgeParts(root: string, judge: RepositoryJudge, folders: FolderReader): readonly Undone[] {
  const folder = join(root, '.git');
  const kind = kindOf(folder);
  // A parent was replaced by a link: the process that did that owns the target.
  if (kind === null || folders.realPath(dirname(folder)) !== dirname(folder)) return [];
  const isElsewhere = kind !== 'folder' || REDIRECTIONS.some((name) => kindOf(join(folder, name)) !== null);
  if (isElsewhere) return [takeOut(folder, judge)];
  return [folder, ...findModules(folder)]
    .flatMap((each) => [...findRunning(each, judge), ...findHooks(each), ...findRemotes(each)])
    .map((path) => takeOut(path, judge));
}
