// One changed name of a stage → its content before and after the command, wherever the state of the stage has put them.
// Follows no link: a folder that was replaced by one must not show files from elsewhere.

import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeKind } from '../core/staging.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import type { ChangedName, HeldName, Journal, Unit } from './journal.ts';
import type { Stage } from './store.ts';

export type Content =
  /** There is no such file. */
  | { readonly kind: 'none' }
  /** Byte for byte, as latin1; `null` if it is longer than asked for. */
  | { readonly kind: 'file'; readonly mode: number; readonly bytes: number; readonly text: string | null }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'other' };

export interface Contents {
  readonly before: Content;
  readonly after: Content;
  /** The file in the project was changed since: what it contains now is compared. */
  readonly isNewer: boolean;
}

const NONE: Content = { kind: 'none' };

export type DiffedStage = Pick<Stage, 'folder' | 'state' | 'stateAt'>;

/** Answers for all names of one stage. */
export class StageContents {
  readonly #stage: DiffedStage;
  readonly #journal: Journal;
  readonly #units: ReadonlyMap<string, Unit>;
  readonly #held: ReadonlySet<string>;
  readonly #limit: number;

  constructor(stage: DiffedStage, journal: Journal, limitBytes: number) {
    this.#stage = stage;
    this.#journal = journal;
    this.#units = new Map(journal.units.map((unit) => [keyOf(unit), unit]));
    this.#held = new Set(journal.held.map(keyOf));
    this.#limit = limitBytes;
  }

  of(name: ChangedName): Contents {
    const { folder } = this.#stage;
    const root = this.#journal.roots[name.root] as string;
    const part = join(folder, String(name.root));
    const read = (base: string, path: string) => readContent(base, path, this.#limit);
    const fresh = name.change === 'deleted' ? () => NONE : read;
    const isLanded = this.#isLanded(name);
    const isNewer = this.#isNewer(join(root, name.path), name.change === (isLanded ? 'deleted' : 'created'));
    if (!isLanded)
      return {
        before: name.change === 'created' ? NONE : read(root, name.path),
        after: fresh(join(part, 'upper'), name.path),
        isNewer,
      };
    const unit = this.#unitOf(name);
    const isReplaced = unit !== null && name.change !== 'created';
    return {
      before: isReplaced ? read(join(part, 'undo'), join(String(unit.number), relativeTo(unit.path, name.path))) : NONE,
      after: fresh(root, name.path),
      isNewer,
    };
  }

  #isNewer(path: string, isAbsent: boolean): boolean {
    const info = lstatSync(path, { throwIfNoEntry: false });
    if (info === undefined || isAbsent) return (info === undefined) !== isAbsent;
    return info.ctimeMs > this.#stage.stateAt;
  }

  #isLanded(name: ChangedName): boolean {
    if (this.#stage.state !== 'landed' && this.#stage.state !== 'undoing') return false;
    return !ancestors(name).some((key) => this.#held.has(key));
  }

  #unitOf(name: ChangedName): Unit | null {
    for (const key of ancestors(name)) {
      const unit = this.#units.get(key);
      if (unit !== undefined && unit.kind !== 'folder') return unit;
    }
    return null;
  }
}

/** What the command did to a name that was held back: it is in the upper layer, or a mark of its deletion is. */
export function findHeldChange(stage: Pick<Stage, 'folder'>, journal: Journal, { root, path }: HeldName): ChangeKind {
  const isThere = lstatSync(join(journal.roots[root] ?? '/', path), { throwIfNoEntry: false }) !== undefined;
  const upper = lstatSync(join(stage.folder, String(root), 'upper', path), { throwIfNoEntry: false });
  if (upper?.isCharacterDevice() === true) return 'deleted';
  return isThere ? 'changed' : 'created';
}

/** The names at and below one that was held back, as the journal lists others. */
export function listHeldNames(stage: Pick<Stage, 'folder'>, journal: Journal, held: HeldName): ChangedName[] {
  const change = findHeldChange(stage, journal, held);
  // What the command deleted is still in the project.
  if (change === 'deleted') return listDeletedNames(journal, held);
  const at = join(stage.folder, String(held.root), 'upper', held.path);
  const name = nameOf(held, change, at);
  return [name, ...namesBelow(name, at).flatMap((path) => listHeldNames(stage, journal, { ...held, path }))];
}

function listDeletedNames(journal: Journal, held: HeldName): ChangedName[] {
  const at = join(journal.roots[held.root] ?? '/', held.path);
  const name = nameOf(held, 'deleted', at);
  return [name, ...namesBelow(name, at).flatMap((path) => listDeletedNames(journal, { ...held, path }))];
}

function nameOf({ root, path }: HeldName, change: ChangeKind, at: string): ChangedName {
  const type = lstatSync(at, { throwIfNoEntry: false })?.isDirectory() === true ? 'd' : 'f';
  return { change, type, bytes: 0, root, path };
}

/** A folder that was held may be unreadable, or gone by now. */
function namesBelow({ type, path }: ChangedName, at: string): string[] {
  if (type !== 'd') return [];
  try {
    return readdirSync(at).map((entry) => join(path, entry));
  } catch {
    return [];
  }
}

function keyOf({ root, path }: { readonly root: number; readonly path: string }): string {
  return `${root}/${path}`;
}

/** The name itself first, then the folders above it. */
function ancestors({ root, path }: ChangedName): string[] {
  const keys = [`${root}/${path}`];
  for (let at = path; at.includes('/'); ) {
    at = at.slice(0, at.lastIndexOf('/'));
    keys.push(`${root}/${at}`);
  }
  return keys;
}

function relativeTo(above: string, path: string): string {
  return path === above ? '' : path.slice(above.length + 1);
}

function readContent(base: string, path: string, limit: number): Content {
  const full = join(base, path);
  // Names of the journal lead nowhere else, whatever it says.
  if (!isAtOrBelow(full, base)) return { kind: 'other' };
  const info = lstatSync(full, { throwIfNoEntry: false });
  if (info === undefined) return NONE;
  if (info.isSymbolicLink()) return { kind: 'link', target: readlinkSync(full) };
  return info.isFile() ? readFile(full, limit) : { kind: 'other' };
}

function readFile(path: string, limit: number): Content {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return { kind: 'other' };
  }
  try {
    const { mode, size } = fstatSync(descriptor);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) return { kind: 'other' };
    if (readlinkSync(`/proc/self/fd/${descriptor}`) !== path) return { kind: 'other' };
    const file = { kind: 'file', mode: mode & 0o7777, bytes: size } as const;
    if (size > limit) return { ...file, text: null };
    const buffer = Buffer.alloc(size);
    const count = readSync(descriptor, buffer, 0, size, 0);
    return { ...file, text: buffer.toString('latin1', 0, count) };
  } finally {
    closeSync(descriptor);
  }
}
