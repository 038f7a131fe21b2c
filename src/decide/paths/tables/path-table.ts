// Named paths (globs with their meaning) → a table that finds the entry for a path without trying every glob.
// A glob that starts with `~/` matches in every home folder; one without a leading slash matches at any depth.

import { once } from '../../../core/values/once.ts';
import type { Subject } from '../../check.ts';
import { compileGlob, type Glob, isGlob, isSpecial, matchesSegments, overlaps, splitPath } from '../glob.ts';
import type { Place } from '../place.ts';

export interface NamedPath<T> {
  readonly glob: string;
  readonly value: T;
  /** So wide that a shell glob must spell it (`*.key`) or actually match such a file; `README*` could match anything. */
  readonly isWide?: boolean;
}

interface Entry {
  readonly glob: Glob;
  readonly isWide: boolean;
}

export interface PathTable<T> {
  /** First entry wins: exceptions come first. */
  find(path: string, home: string | null): T | null;
  findInGlob(glob: string, home: string | null): T | null;
}

/** `*.pem`, `*credentials*.json`. */
const STARTS_OPEN = /(?:^|\/)\*[^/*]/;

/** The rows are indexed on the first lookup, and a glob is parsed when a path may match it. */
export function createPathTable<T>(rows: readonly NamedPath<T>[]): PathTable<T> {
  const index = once(() => indexRows(rows));
  const entries: Entry[] = [];
  const entryAt = (i: number): Entry => {
    entries[i] ??= readRow(rows[i] as NamedPath<T>);
    return entries[i];
  };
  return {
    find(path, home) {
      const { byName, loose } = index();
      let best = Number.POSITIVE_INFINITY;
      for (const names of spellings(path, home)) {
        const candidates = names.flatMap((name) => byName.get(name) ?? []);
        for (const i of [...candidates, ...loose]) {
          if (i < best && matchesSegments(entryAt(i).glob, names)) best = i;
        }
      }
      return rows[best]?.value ?? null;
    },
    findInGlob(glob, home) {
      const { byName, loose } = index();
      let best = Number.POSITIVE_INFINITY;
      for (const names of spellings(glob, home)) {
        const form = compileGlob(names.join('/'));
        const consider = (i: number) => {
          if (i >= best) return;
          const { glob: own, isWide } = entryAt(i);
          if (isWide ? matchesSegments(own, names) : overlaps(own, form)) best = i;
        };
        for (const name of names)
          for (const key of keysLike(name, byName)) for (const i of byName.get(key) ?? []) consider(i);
        loose.forEach(consider);
      }
      return rows[best]?.value ?? null;
    },
  };
}

function readRow({ glob, isWide = STARTS_OPEN.test(glob) }: NamedPath<unknown>): Entry {
  return { glob: compileGlob(anchor(glob)), isWide };
}

/** Rows by the first literal name in their glob, and those without one. */
function indexRows(rows: readonly NamedPath<unknown>[]) {
  const byName = new Map<string, number[]>();
  const loose: number[] = [];
  for (const [i, { glob }] of rows.entries()) {
    const name = splitPath(glob).find((part) => part !== '~' && !isSpecial(part));
    const before = name === undefined ? loose : byName.get(name);
    if (before === undefined) byName.set(name as string, [i]);
    else before.push(i);
  }
  return { byName, loose };
}

/** Matches every text that names one of these paths without a glob. Fast: most texts name none. */
export function tellingWords(rows: readonly NamedPath<unknown>[]): RegExp {
  const words = new Set(rows.map(({ glob }) => longestLiteral(glob)).filter((word) => word !== ''));
  return new RegExp([...words].map(escapePattern).join('|'));
}

/** Literal text that a path must contain for the glob to match it. */
function longestLiteral(glob: string): string {
  const parts = glob.startsWith('/') ? glob.split(/[*?[\]]+/) : glob.split(/[*?[\]/~]+/);
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&');
}

/** The names of the table that one segment of a shell glob may match: by the text before and after its wildcards. */
function* keysLike(segment: string, byName: ReadonlyMap<string, unknown>): Generator<string> {
  const first = segment.search(/[*?[\\]/);
  if (first === -1) {
    if (byName.has(segment)) yield segment;
    return;
  }
  // A bare `*` could be anything, which means nothing.
  if (/^[*?]*$/.test(segment)) return;
  const start = segment.slice(0, first);
  const end = /[^*?[\]\\]*$/.exec(segment)?.[0] ?? '';
  for (const key of byName.keys()) if (key.startsWith(start) && key.endsWith(end)) yield key;
}

/** The first entry that any form of a place matches. A bare `*` has no name: its folder counts. */
export function findPlace<T>(table: PathTable<T>, place: Place, { context }: Subject): T | null {
  for (const form of place.forms) {
    let named = form;
    while (named.endsWith('/*') || named.endsWith('/**')) named = named.slice(0, named.lastIndexOf('/'));
    const found = isGlob(named) ? table.findInGlob(named, context.home) : table.find(named, context.home);
    if (found !== null) return found;
  }
  return null;
}

const tablesByList = new WeakMap<readonly string[], { readonly cwd: string; readonly table: PathTable<string> }>();

/** The globs that a policy adds; each also matches everything below it. */
export function tableOfPolicy(globs: readonly string[], subject: Subject): PathTable<string> | null {
  if (globs.length === 0) return null;
  const { cwd } = subject.context;
  const known = tablesByList.get(globs);
  if (known?.cwd === cwd) return known.table;
  const rows = globs.flatMap((glob) => {
    const absolute = glob.startsWith('./') ? `${cwd}/${glob.slice(2)}` : glob;
    return [absolute, `${absolute}/**`].map((each) => ({ glob: each, value: glob }));
  });
  const table = createPathTable(rows);
  tablesByList.set(globs, { cwd, table });
  return table;
}

/** The home folder, of any user, that contains a path. */
export function homeOf(path: string, home: string | null): string | null {
  if (home !== null && home !== '/' && (path === home || path.startsWith(`${home}/`))) return home;
  return /^\/(?:(?:home|Users)\/[^/]+|root|var\/root)(?=\/|$)/.exec(path)?.[0] ?? null;
}

function anchor(glob: string): string {
  return glob.startsWith('/') || glob.startsWith('~/') || glob.startsWith('**/') ? glob : `**/${glob}`;
}

function spellings(path: string, home: string | null): string[][] {
  const own = homeOf(path, home);
  const plain = splitPath(path);
  return own === null ? [plain] : [plain, ['~', ...splitPath(path.slice(own.length))]];
}
