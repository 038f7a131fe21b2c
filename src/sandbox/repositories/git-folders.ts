// A writable folder → where its git repositories store what git writes, and which of their files control what runs outside.
// Trusts no `.git` file on its own: a repository could name any folder, so the other side must point back.

import { readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { PROTECTED_BELOW, UNSEARCHED } from '../../confine/protected-names.ts';
import { createListing, type Entry, Unchanged } from './folder-listings.ts';
import { createSettingsReader, findNamedPrograms, findNamesOfUser, readPlain } from './git-programs.ts';

export interface GitFolders {
  /** Outside of the folder, and needed for `git commit`: of a worktree, of a submodule, of the repository around the folder. */
  readonly writable: readonly string[];
  /** Files that control what runs. */
  readonly guarded: readonly string[];
  /** Of these, the settings of repositories. */
  readonly settings: readonly string[];
  /** Of these, what connects worktrees and submodules with their repositories. */
  readonly connections: readonly string[];
  /** Names that the user's own settings of git run in every repository, at any depth. */
  readonly names: readonly string[];
  /** Settings that may run files of the project which cannot be told from the setting. */
  readonly unclear: readonly string[];
  /** Where the search stopped because there were too many folders; null if it was complete. */
  readonly unsearched: string | null;
}

/** Inside a git folder, in addition to what every writable folder protects. */
const RUN_BY_GIT = ['hooks', 'config', 'config.worktree', 'info/attributes', 'commondir', 'lazygit.yml'];
/** Remotes as old versions of git stored them. New files in them are removed by the sweep. */
const OLD_REMOTES = ['remotes', 'branches'];
const SETTINGS = ['config', 'config.worktree'];
const MAX_FOLDERS = 2_000;
const MAX_NESTING = 24;
const MAX_TEXT = 8_192;
/** Changes that a command makes in a repository there are removed by the sweep. */
const SKIPPED = new Set(['.git', ...UNSEARCHED]);
const PROTECTED = new Set(PROTECTED_BELOW);
/** What a repository is known by, and the last parts of names like `.github/hooks`. */
const entriesOf = createListing(
  new Set([
    ...['.git', 'HEAD', 'objects', 'refs', 'worktrees', 'modules'],
    ...[...RUN_BY_GIT, ...PROTECTED_BELOW].flatMap((name) => name.split('/')),
  ]),
);
/** Created by tools, with many folders: searched last. */
const LATE = new Set(['target', 'vendor', 'dist', 'build']);

/** @param above the `.git` of the repository around the folder, if commits in the folder may change it */
export function findGitFolders(root: string, above: string | null = null): GitFolders {
  return new Search(root).run(above);
}

class Search {
  readonly #root: string;
  readonly #readSettings = createSettingsReader();
  readonly #writable = new Set<string>();
  readonly #guarded = new Set<string>();
  readonly #settings = new Set<string>();
  readonly #connections = new Set<string>();
  readonly #unclear = new Set<string>();
  readonly #judged = new Set<string>();
  readonly #late: string[] = [];
  readonly #names = findNamesOfUser(this.#readSettings);
  #visited = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** Upper levels first: if the search is cut off, deep folders are left out. */
  run(above: string | null): GitFolders {
    if (above !== null) this.#open(above);
    const queue = [this.#root];
    for (let next = 0; next < queue.length || this.#late.length > 0; next++) {
      if (next === queue.length) queue.push(...this.#late.splice(0));
      const folder = queue[next] as string;
      if (this.#visited++ >= MAX_FOLDERS) return this.#found(folder);
      this.#visit(folder, queue);
    }
    return this.#found(null);
  }

  #found(unsearched: string | null): GitFolders {
    return {
      writable: [...this.#writable],
      guarded: [...this.#guarded, ...this.#connections],
      settings: [...this.#settings],
      connections: [...this.#connections],
      names: this.#names,
      unclear: [...this.#unclear],
      unsearched,
    };
  }

  #visit(folder: string, queue: string[]): void {
    const entries = entriesOf(folder);
    const names = new Map(entries.map((entry) => [entry.name, entry]));
    const git = names.get('.git');
    if (git?.isFolder) this.#guard(join(folder, '.git'), folder);
    else if (git?.isFile) this.#followFile(join(folder, '.git'));
    if (isRepository(names)) this.#guard(folder, folder);
    // In the folder itself plan.ts protects them.
    for (const { name } of entries)
      if (folder !== this.#root && [name, `${basename(folder)}/${name}`].some((each) => this.#isProtected(each)))
        this.#guarded.add(join(folder, name));
    for (const entry of entries) {
      if (!entry.isFolder || SKIPPED.has(entry.name)) continue;
      if (LATE.has(entry.name)) this.#late.push(join(folder, entry.name));
      else queue.push(join(folder, entry.name));
    }
  }

  /** A repository around the folder, as if the folder were the whole work tree. */
  #open(git: string): void {
    const names = new Map(entriesOf(git).map((entry) => [entry.name, entry]));
    if (names.size === 0) this.#followFile(git);
    if (!names.has('HEAD') || !isRepository(names)) return;
    this.#writable.add(git);
    this.#guard(git, dirname(git));
  }

  #isProtected(name: string): boolean {
    return PROTECTED.has(name) || this.#names.includes(name);
  }

  /** A repository, its submodules at any depth, and the separate files of its worktrees. */
  #guard(git: string, worktree: string | null, nesting = 0): void {
    if (this.#judged.has(git) || nesting > MAX_NESTING) return;
    this.#judged.add(git);
    const names = new Set(entriesOf(git).map(({ name }) => name));
    // Missing names are watched for in the project's own repository, and found by the sweep in all others.
    const isFirst = dirname(git) === this.#root || this.#writable.has(git);
    for (const name of RUN_BY_GIT) if (isFirst || names.has(topOf(name))) this.#guarded.add(join(git, name));
    // Nearly every repository has an empty one.
    for (const name of OLD_REMOTES)
      if (names.has(name) && !isEmpty.get(join(git, name))) this.#guarded.add(join(git, name));
    for (const name of SETTINGS) this.#settings.add(join(git, name));
    const programs = findNamedPrograms(git, worktree, this.#root, this.#readSettings);
    for (const path of programs.paths) this.#guarded.add(path);
    for (const setting of programs.unclear) this.#unclear.add(setting);
    if (names.has('worktrees'))
      for (const { name } of entriesOf(join(git, 'worktrees'))) this.#guardWorktree(join(git, 'worktrees', name));
    if (names.has('modules')) this.#guardModules(join(git, 'modules'), nesting + 1);
  }

  #guardWorktree(own: string): void {
    for (const name of ['gitdir', 'commondir', 'config.worktree']) this.#connections.add(join(own, name));
    this.#settings.add(join(own, 'config.worktree'));
    const file = lineOf(join(own, 'gitdir'));
    if (file !== null) this.#connections.add(resolve(own, file));
  }

  #guardModules(folder: string, nesting: number): void {
    if (nesting > MAX_NESTING) return;
    for (const entry of entriesOf(folder)) {
      if (!entry.isFolder || this.#visited++ >= MAX_FOLDERS) continue;
      const path = join(folder, entry.name);
      const names = new Set(entriesOf(path).map(({ name }) => name));
      if (!names.has('HEAD') && !names.has('config')) this.#guardModules(path, nesting + 1);
      else {
        const worktree = worktreeOfModule(path);
        if (worktree !== null) this.#connections.add(join(worktree, '.git'));
        this.#guard(path, worktree, nesting + 1);
      }
    }
  }

  /** Of a worktree or a submodule, whose repository becomes writable; or of a repository that is stored in another place. */
  #followFile(file: string): void {
    this.#connections.add(file);
    const place = worktreeOf(file);
    if (place !== null) {
      this.#writable.add(place.common);
      this.#guard(place.common, dirname(file));
      this.#guardWorktree(place.own);
      return;
    }
    const target = targetOf(file);
    if (target === null) return;
    if (isModuleOf(target, dirname(file))) this.#writable.add(target);
    this.#guard(target, dirname(file));
  }
}

/** By the files that git looks for. Without `HEAD` it is not a repository, but may be the shared part of worktrees; as in native/sweep.c. */
function isRepository(names: ReadonlyMap<string, Entry>): boolean {
  return (names.has('objects') && names.has('refs')) || (names.has('HEAD') && names.has('commondir'));
}

const isEmpty = new Unchanged((folder: string) => {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}, false);

function topOf(name: string): string {
  return name.split('/', 1)[0] as string;
}

function lineOf(file: string): string | null {
  return readPlain(file, MAX_TEXT)?.trim() ?? null;
}

function targetOf(file: string): string | null {
  const named = /^gitdir: (.+)$/.exec(lineOf(file) ?? '')?.[1];
  if (named === undefined) return null;
  try {
    return realpathSync.native(resolve(dirname(file), named));
  } catch {
    return null;
  }
}

/** Where a submodule is checked out, according to its settings. */
function worktreeOfModule(git: string): string | null {
  const named = /^[ \t]*worktree[ \t]*=[ \t]*(.+?)[ \t]*$/m.exec(lineOf(join(git, 'config')) ?? '')?.[1];
  return named === undefined ? null : resolve(git, named);
}

/** `gitdir: ….git/modules/x`, whose settings name exactly this work tree. */
function isModuleOf(git: string, worktree: string): boolean {
  const back = git.includes('/.git/modules/') ? worktreeOfModule(git) : null;
  try {
    return back !== null && realpathSync.native(back) === realpathSync.native(worktree);
  } catch {
    return false;
  }
}

/** `gitdir: …/worktrees/x`, which contains a file that names exactly this `.git`, in a repository. */
function worktreeOf(file: string): { readonly own: string; readonly common: string } | null {
  const own = targetOf(file);
  if (own === null || basename(dirname(own)) !== 'worktrees') return null;
  const [back, shared] = [lineOf(join(own, 'gitdir')), lineOf(join(own, 'commondir'))];
  if (back === null || shared === null) return null;
  try {
    if (realpathSync.native(resolve(own, back)) !== realpathSync.native(file)) return null;
    const common = realpathSync.native(resolve(own, shared));
    return dirname(dirname(own)) === common ? { own, common } : null;
  } catch {
    return null;
  }
}
