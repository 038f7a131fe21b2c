// A writable folder → where its git repositories keep what git writes, and what of that git would run.
// Believes no `.git` file by itself: a repository could name any folder, so the other side must point back.

import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface GitFolders {
  /** Outside of the folder, and needed for `git commit` in a worktree. */
  readonly writable: readonly string[];
  /** What decides what git runs. */
  readonly guarded: readonly string[];
  /** There were more folders than were looked at. */
  readonly isCut: boolean;
}

/** Inside a git folder, besides what every writable folder protects. */
const RUN_BY_GIT = ['hooks', 'config', 'config.worktree', 'info/attributes', 'commondir'];
const MAX_DEPTH = 3;
const MAX_FOLDERS = 400;
/** They hold no repositories that somebody works in, and many folders. */
const SKIPPED = new Set(['node_modules', '.git', '.venv', 'venv', 'target', 'vendor', '__pycache__', 'dist', 'build']);

export function findGitFolders(root: string): GitFolders {
  const found = { writable: new Set<string>(), guarded: new Set<string>() };
  let visited = 0;
  const visit = (folder: string, depth: number): void => {
    if (visited++ >= MAX_FOLDERS) return;
    let entries: ReturnType<typeof list>;
    try {
      entries = list(folder);
    } catch {
      return;
    }
    const git = entries.find(({ name }) => name === '.git');
    if (git?.isDirectory()) guard(join(folder, '.git'));
    else if (git?.isFile()) followWorktree(join(folder, '.git'));
    if (depth === 0) return;
    for (const entry of entries)
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) visit(join(folder, entry.name), depth - 1);
  };
  const guard = (git: string): void => {
    for (const name of RUN_BY_GIT) found.guarded.add(join(git, name));
    for (const name of namesIn(join(git, 'modules')))
      for (const inner of RUN_BY_GIT) found.guarded.add(join(git, 'modules', name, inner));
  };
  const followWorktree = (file: string): void => {
    const place = worktreeOf(file);
    if (place === null) return;
    found.writable.add(place.common);
    found.guarded.add(file);
    guard(place.common);
    for (const name of ['gitdir', 'commondir', 'config.worktree']) found.guarded.add(join(place.own, name));
  };
  visit(root, MAX_DEPTH);
  return { writable: [...found.writable], guarded: [...found.guarded], isCut: visited > MAX_FOLDERS };
}

/** `gitdir: …/worktrees/x`, which holds a file that names this very `.git`, in a repository. */
function worktreeOf(file: string): { readonly own: string; readonly common: string } | null {
  try {
    const named = /^gitdir: (.+)\n?$/.exec(readFileSync(file, 'utf8'))?.[1];
    if (named === undefined) return null;
    const own = realpathSync.native(resolve(dirname(file), named));
    const back = readFileSync(join(own, 'gitdir'), 'utf8').trim();
    if (realpathSync.native(resolve(own, back)) !== realpathSync.native(file)) return null;
    const common = realpathSync.native(resolve(own, readFileSync(join(own, 'commondir'), 'utf8').trim()));
    return dirname(dirname(own)) === common ? { own, common } : null;
  } catch {
    return null;
  }
}

function list(folder: string) {
  return readdirSync(folder, { withFileTypes: true });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
