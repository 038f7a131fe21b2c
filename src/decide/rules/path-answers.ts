// Path patterns of rules, resolved in their folders → answers about one path.
// Links are followed through the probe if there is one: a permission needs both the name and the real path inside.

import type { PathEffect } from '../../core/facts.ts';
import type { Context } from '../../core/policy.ts';
import {
  type Containment,
  covers,
  type PathName,
  type PathPattern,
  type Segment,
  touches,
} from './patterns/path-pattern.ts';

/** A pattern whose anchor is known up to the folders of the request. */
export interface SettledPath {
  readonly anchor: 'root' | 'home' | 'cwd';
  readonly segments: readonly Segment[];
  /** The folder whose own links are trusted, because the rule was written for it; `null`: the one of the anchor. */
  readonly trusted: string | null;
}

export function settlePath({ anchor, segments }: PathPattern, base: string | null): SettledPath {
  if (anchor === 'base' && base !== null) {
    const names = namesOf(base).map((name): Segment => ({ name }));
    return { anchor: 'root', segments: [...names, ...segments], trusted: base };
  }
  const [first] = segments;
  const top = anchor === 'root' && typeof first === 'object' && 'name' in first ? `/${first.name}` : null;
  return { anchor: anchor === 'base' ? 'cwd' : anchor, segments, trusted: top };
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

export function folderOf(anchor: SettledPath['anchor'], context: Context): string | null {
  if (anchor === 'root') return '/';
  return anchor === 'home' ? context.home : context.cwd;
}

const WILD = /[*?[\]{}()!@+\\]/;

export function pathNames(path: string, isGlob: boolean): readonly PathName[] {
  const names = namesOf(path);
  if (!isGlob) return names;
  return names.map((name) => {
    const at = name.search(WILD);
    return at === -1 ? name : { head: name.slice(0, at) };
  });
}

/** Names below the folder; `null` if the path is outside. */
export function below(names: readonly PathName[], folder: string): readonly PathName[] | null {
  const above = namesOf(folder);
  return above.every((name, i) => names[i] === name) ? names.slice(above.length) : null;
}

/** Does a ban on the pattern match this path? `isTree`: everything below the path is touched too. */
export function bans(pattern: SettledPath, effect: PathEffect, context: Context, isTree: boolean): Containment {
  if (effect.path === null) return 'perhaps';
  const folder = folderOf(pattern.anchor, context);
  if (folder === null) return 'outside';
  let worst: Containment = 'outside';
  for (const path of placesOf(effect, pattern, context)) {
    const names = pathNames(path, effect.glob === true);
    const relative = below(names, folder);
    const isOver =
      isTree &&
      namesOf(folder)
        .slice(0, names.length)
        .every((name, i) => names[i] === name);
    const answer = relative === null ? (isOver ? 'perhaps' : 'outside') : touches(pattern.segments, relative, isTree);
    if (answer === 'inside') return answer;
    if (answer === 'perhaps') worst = answer;
  }
  return worst;
}

/** How many entries of a tree are checked before it counts as containing anything. */
const MAX_LOOKED_AT = 400;

/** Whether a tree on the disk may contain a match: `grep -r x src` does not read a `.env` that does not exist. */
export function mayHold(pattern: SettledPath, tree: string, context: Context): boolean {
  const { probe } = context;
  const folder = folderOf(pattern.anchor, context);
  if (probe === null || folder === null) return true;
  const queue = [tree === '/' ? '' : tree];
  let left = MAX_LOOKED_AT;
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    const names = probe.list(at === '' ? '/' : at);
    if (names === null && probe.kind(at === '' ? '/' : at) === 'unreadable') return true;
    for (const name of names ?? []) {
      if (--left < 0) return true;
      const path = `${at}/${name}`;
      if (bans(pattern, { path }, context, false) !== 'outside') return true;
      // Listing a file as an empty folder costs one question; a link is not followed twice.
      if (probe.kind(path) === 'folder' && probe.realPath(path) === path) queue.push(path);
    }
  }
  return false;
}

/** Is every path that the pattern matches below this path? */
export function isAbove(path: string, pattern: SettledPath, context: Context): boolean {
  const folder = folderOf(pattern.anchor, context);
  if (folder === null) return false;
  const fixed = namesOf(folder);
  for (const segment of pattern.segments) {
    if (segment === '**' || !('name' in segment)) break;
    fixed.push(segment.name);
  }
  return namesOf(path).every((name, i) => fixed[i] === name);
}

/** The key of a scope in the index; `null`: it has none and must be compared. */
export function scopeKey({ anchor, segments }: SettledPath): string | null {
  const [first] = segments;
  return typeof first === 'object' && 'name' in first ? `${anchor}:${first.name}` : null;
}

/** The keys of the scopes that may match these paths; `null`: any scope may. */
export function scopeKeys(effects: readonly PathEffect[], context: Context): ReadonlySet<string> | null {
  const keys = new Set<string>();
  for (const effect of effects) {
    if (effect.path === null || effect.recursive === true || effect.glob === true) {
      // Only the names before the first unknown one, or before a whole tree, distinguish scopes.
      const known = effect.path === null ? [] : pathNames(effect.path, effect.glob === true);
      const fixed = known.findIndex((name) => typeof name !== 'string');
      if (
        (fixed === -1 ? known.length : fixed) <=
        Math.max(1, namesOf(context.cwd).length, namesOf(context.home ?? '/').length)
      )
        return null;
    }
    for (const anchor of ANCHORS) {
      const folder = folderOf(anchor, context);
      if (folder === null) continue;
      for (const place of placesOf(
        effect,
        { anchor: anchor === 'home' ? anchor : 'cwd', segments: [], trusted: null },
        context,
      )) {
        const [name] = below(pathNames(place, effect.glob === true), folder) ?? [];
        if (typeof name === 'string') keys.add(`${anchor}:${name}`);
      }
    }
  }
  return keys;
}

export const ANCHORS = ['root', 'home', 'cwd'] as const;

export function placesOf(effect: PathEffect, pattern: SettledPath, context: Context): readonly string[] {
  const path = effect.path as string;
  if (context.probe === null || effect.glob === true || !path.startsWith('/')) return [path];
  // `2>/dev/null` is frequent, and not a link.
  if (path === '/dev/null') return [path];
  const real = context.probe.realPath(effect.unfolded ?? path);
  if (real === null || real === path) return [path];
  return [path, real, rebase(real, pattern, context)];
}

/** The real path, expressed with the names that the rule uses: if the project itself is reached through a link. */
function rebase(real: string, { anchor, trusted }: SettledPath, context: Context): string {
  const folder = trusted ?? folderOf(anchor, context);
  const realFolder = folder === null ? null : (context.probe?.realPath(folder) ?? null);
  if (folder === null || realFolder === null || realFolder === folder) return real;
  return real === realFolder || real.startsWith(`${realFolder}/`) ? `${folder}${real.slice(realFolder.length)}` : real;
}

/** Does a permission for the pattern cover this path, for any value of its unknown parts? */
export function permits(pattern: SettledPath, effect: PathEffect, context: Context): boolean {
  const { path } = effect;
  if (path === null || !path.startsWith('/') || effect.unfolded !== undefined || namesOf(path).includes('..'))
    return false;
  const folder = folderOf(pattern.anchor, context);
  if (folder === null) return false;
  const names = pathNames(path, effect.glob === true);
  // A folder that a glob matches may be a link to any place.
  if (names.slice(0, -1).some((name) => typeof name !== 'string')) return false;
  const relative = below(names, folder);
  if (relative === null || !covers(pattern.segments, relative)) return false;
  const { probe } = context;
  if (probe === null) return true;
  const paths = effect.glob === true ? expand(names, context) : [path];
  return (
    paths?.every((each) => {
      const real = probe.realPath(each);
      const inside = real === null ? null : below(namesOf(rebase(real, pattern, context)), folder);
      return inside !== null && covers(pattern.segments, inside);
    }) ?? false
  );
}

const MAX_ENTRIES = 500;

/** The entries that a glob in the last name may match; `null` if there are too many to check. */
function expand(names: readonly PathName[], { probe }: Context): readonly string[] | null {
  const folder = `/${names.slice(0, -1).join('/')}`;
  const last = names.at(-1);
  const entries = probe?.list(folder) ?? null;
  if (entries === null || entries.length > MAX_ENTRIES) return null;
  const head = typeof last === 'object' ? last.head : '';
  return [
    folder === '/' ? '/x' : `${folder}/x`,
    ...entries.filter((name) => name.startsWith(head)).map((name) => `${folder}/${name}`),
  ];
}
