// Repositories → themselves and the submodules that git enters from them, with the settings of all. Bounded.
// Git finds submodules by its index, with or without `.gitmodules`; those in `modules` count too.

import { posix } from 'node:path';
import type { Probe } from '../../../core/probe.ts';
import { followPointer, type GitFolder } from './git-folders.ts';
import { type HashBytes, readIndex } from './git-index.ts';
import { type LocatedSetting, SettingsReader, TOO_MANY } from './git-settings.ts';

export interface Repositories {
  readonly submodules: readonly GitFolder[];
  /** The work trees of all of them, or the bare repositories: the base of relative paths. */
  readonly roots: readonly string[];
  readonly settings: readonly LocatedSetting[];
  readonly problems: readonly string[];
}

const INDEX_LIMIT_BYTES = 67_108_864;
const MAX_REPOSITORIES = 256;
/** Folders where a submodule may be; checking one is cheap. */
const MAX_PLACES = 4_096;

export function readRepositories(
  folders: readonly GitFolder[],
  workTrees: readonly string[],
  isShallow: boolean,
  { probe, home }: { readonly probe: Probe; readonly home: string | null },
): Repositories {
  const reader = new RepositoryReader(probe, home);
  return isShallow ? reader.readSettings(folders) : reader.read(folders, workTrees);
}

class RepositoryReader {
  readonly #probe: Probe;
  readonly #reader: SettingsReader;
  readonly #roots = new Set<string>();
  readonly #problems = new Set<string>();
  #places = 0;

  constructor(probe: Probe, home: string | null) {
    this.#probe = probe;
    this.#reader = new SettingsReader(probe, home);
  }

  /** Without the work trees and submodules. */
  readSettings(folders: readonly GitFolder[]): Repositories {
    for (const folder of folders) this.#reader.read(folder);
    const { settings, problems } = this.#reader;
    return { submodules: [], roots: [], settings, problems };
  }

  read(folders: readonly GitFolder[], workTrees: readonly string[]): Repositories {
    const submodules: GitFolder[] = [];
    const pending: (readonly [folder: GitFolder, isOuter: boolean])[] = folders.map((folder) => [folder, true]);
    const seen = new Set<string>();
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const [folder, isOuter] = next;
      const key = `${folder.own}\0${folder.workTree}`;
      if (seen.has(key)) continue;
      seen.add(key);
      if (seen.size > MAX_REPOSITORIES) {
        this.#problems.add(TOO_MANY);
        break;
      }
      if (!isOuter) submodules.push(folder);
      this.#reader.read(folder);
      const trees = this.#workTreesOf(folder, isOuter ? workTrees : []);
      if (!this.#mayLook(trees.length)) break;
      for (const tree of trees) this.#roots.add(tree);
      if (trees.length === 0) this.#roots.add(folder.common);
      for (const found of [...this.#fetchedIn(folder), ...this.#checkedOutIn(folder, trees)])
        pending.push([found, false]);
    }
    return {
      submodules,
      roots: [...this.#roots],
      settings: this.#reader.settings,
      problems: [...this.#reader.problems, ...this.#problems],
    };
  }

  #workTreesOf({ own, workTree }: GitFolder, given: readonly string[]): readonly string[] {
    const set = this.#settings('core', 'worktree').map((value) => posix.resolve(own, value));
    return [...new Set([...given, ...(workTree === null ? [] : [workTree]), ...set])];
  }

  #settings(section: string, name: string): readonly string[] {
    return this.#reader.settings.flatMap((each) =>
      each.section === section && each.subsection === null && each.name === name && each.value !== null
        ? [each.value]
        : [],
    );
  }

  /** Clones of submodules, checked out or not. */
  #fetchedIn({ common }: GitFolder): readonly GitFolder[] {
    const found: GitFolder[] = [];
    const pending = [posix.join(common, 'modules')];
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      const names = this.#probe.list(folder);
      if (names === null) continue;
      if (!this.#mayLook(names.length)) break;
      if (names.includes('HEAD')) found.push({ own: folder, common: folder, workTree: null });
      else pending.push(...names.map((name) => posix.join(folder as string, name)));
    }
    return found;
  }

  #checkedOutIn(folder: GitFolder, trees: readonly string[]): readonly GitFolder[] {
    if (trees.length === 0) return [];
    const found: GitFolder[] = [];
    const { submodules, sparse } = this.#indexOf(folder);
    for (const tree of trees) {
      if (!this.#mayLook(submodules.size + sparse.size)) break;
      for (const name of submodules) {
        const place = posix.join(tree, name);
        found.push(...followPointer(posix.join(place, '.git'), place, this.#probe));
      }
      for (const name of sparse)
        if (this.#probe.kind(posix.join(tree, name)) !== 'absent')
          this.#problems.add(`the sparse index does not list the content of ${posix.join(tree, name)}`);
    }
    return found;
  }

  #indexOf({ own }: GitFolder): { readonly submodules: Set<string>; readonly sparse: Set<string> } {
    const submodules = new Set<string>();
    const sparse = new Set<string>();
    const pending = ['index'];
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      const file = posix.join(own, name);
      if (this.#probe.kind(file) === 'absent') continue;
      const bytes = this.#probe.readBytes(file, INDEX_LIMIT_BYTES);
      const read = bytes === null ? [] : this.#hashes().flatMap((length) => readIndex(bytes, length) ?? []);
      if (read.length === 0) this.#problems.add(`${file} cannot be ${bytes === null ? 'read' : 'parsed'}`);
      for (const each of read) {
        for (const path of each.submodules) submodules.add(path);
        for (const path of each.sparse) sparse.add(path);
        if (each.isSplit && name === 'index')
          pending.push(...(this.#probe.list(own) ?? []).filter((other) => other.startsWith('sharedindex.')));
      }
    }
    return { submodules, sparse };
  }

  #hashes(): readonly HashBytes[] {
    return this.#settings('extensions', 'objectformat').some((value) => !/^sha1$/i.test(value)) ? [20, 32] : [20];
  }

  #mayLook(count: number): boolean {
    this.#places += count;
    if (this.#places > MAX_PLACES) this.#problems.add(TOO_MANY);
    return this.#places <= MAX_PLACES;
  }
}
