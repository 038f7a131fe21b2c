// A path → whether its content could be had again after it is deleted or overwritten: git has it, or a tool makes it.
// Errs on the side of no: what cannot be read, is too large or belongs to another repository counts as work that is lost.

import { posix } from 'node:path';
import type { Probe } from '../../core/probe.ts';
import { wordSet } from '../../core/values/once.ts';
import { followPointer } from '../repository/git/git-folders.ts';
import { readTrackedFiles } from '../repository/git/git-index.ts';

const MAX_ENTRIES = 2_000;
const MAX_FILE_BYTES = 4 << 20;
const MAX_INDEX_BYTES = 64 << 20;
const MAX_LEVELS = 64;

/** Folders that tools fill, and fill again. Not `dist`, `build` or `out`: people keep files there. */
const GENERATED = wordSet(
  'node_modules __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox .nyc_output .next .nuxt .turbo .parcel-cache ' +
    '.svelte-kit .angular .gradle .eggs',
);
/** A folder with this file is a cache: bford.info/cachedir. Cargo and others make it. */
const CACHE_TAG = 'Signature: 8a477f597d28d172789f06886806bc55';

/** Of one decision: the index of a repository is read once. */
export class KeptWork {
  readonly #probe: Probe;
  readonly #tracked = new Map<string, ReadonlyMap<string, Uint8Array>>();
  #left = MAX_ENTRIES;

  constructor(probe: Probe) {
    this.#probe = probe;
  }

  /** `path`: absolute. What does not exist cannot be lost. */
  has(path: string): boolean {
    const probe = this.#probe;
    const folder = probe.realPath(posix.dirname(path));
    if (folder === null) return false;
    const real = posix.join(folder, posix.basename(path));
    // A link is only a name, and a command that writes through it names its target elsewhere.
    if (probe.realPath(path) !== real) return probe.realPath(path) !== null;
    if (this.#isGenerated(real)) return true;
    switch (probe.kind(real)) {
      case 'absent':
        return true;
      case 'file':
        return probe.readBytes(real, 0) !== null || this.#isTracked(real);
      case 'folder':
        return this.#hasAllIn(real);
      default:
        return false;
    }
  }

  #hasAllIn(folder: string): boolean {
    const names = this.#probe.list(folder);
    if (names === null) return false;
    this.#left -= names.length;
    if (this.#left < 0 || names.includes('.git')) return false;
    return names.every((name) => this.has(posix.join(folder, name)));
  }

  #isGenerated(path: string): boolean {
    const parts = path.split('/');
    if (parts.some((part) => GENERATED.has(part))) return true;
    // The root of a project is never a cache.
    for (let at = path; at !== '/'; at = posix.dirname(at)) {
      if (this.#probe.kind(posix.join(at, '.git')) !== 'absent') return false;
      if (this.#probe.readText(posix.join(at, 'CACHEDIR.TAG'), 4096)?.startsWith(CACHE_TAG) === true) return true;
    }
    return false;
  }

  /** Its content, as it is now, is in the index, and therefore among the objects. */
  #isTracked(path: string): boolean {
    const found = this.#repositoryOf(path);
    if (found === null) return false;
    const id = found.tracked.get(posix.relative(found.workTree, path));
    const now = this.#probe.blobId?.(path, MAX_FILE_BYTES) ?? null;
    return id !== undefined && now !== null && toHex(id) === now;
  }

  #repositoryOf(path: string) {
    let at = posix.dirname(path);
    for (let level = 0; level < MAX_LEVELS; level++) {
      const [folder] = followPointer(posix.join(at, '.git'), at, this.#probe);
      if (folder !== undefined) return { workTree: at, tracked: this.#trackedIn(folder.own) };
      if (at === '/') return null;
      at = posix.dirname(at);
    }
    return null;
  }

  #trackedIn(gitFolder: string): ReadonlyMap<string, Uint8Array> {
    const known = this.#tracked.get(gitFolder);
    if (known !== undefined) return known;
    const bytes = this.#probe.readBytes(posix.join(gitFolder, 'index'), MAX_INDEX_BYTES);
    const files = bytes === null ? null : readTrackedFiles(bytes, 20);
    const tracked = new Map(files?.map(({ name, id }) => [name, id] as const) ?? []);
    this.#tracked.set(gitFolder, tracked);
    return tracked;
  }
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
