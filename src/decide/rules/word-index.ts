// Patterns of words → a trie, so that thousands cost about as much as a few.
// Returns the patterns that match the words; the caller checks flags, paths and redirects.

import type { Form } from './forms.ts';
import { type BashPattern, BETWEEN } from './patterns/bash-pattern.ts';

interface Node<T> {
  readonly children: Map<string, Node<T>>;
  /** The words end here. */
  readonly ends: T[];
  /** Anything may follow. */
  readonly any: T[];
  /** Anything may follow, within a scope: by the key of the scope. */
  readonly scoped: Map<string, T[]>;
  /** By the text before the first wildcard, under the lengths of these texts. */
  readonly globs: Map<string, Glob<T>[]>;
  readonly lengths: number[];
}

interface Glob<T> {
  readonly alternatives: readonly (readonly string[])[];
  readonly item: T;
}

/** `at`: how many words matched literally. */
export type Emit<T> = (item: T, at: number, isPossible: boolean) => void;

/** A permission needs known words, a ban matches possible words, `anywhere` finds the start of a command in a text. */
export type Reading = 'allow' | 'strict' | 'anywhere';

/** How many words after the position are compared when a text is searched. */
const WINDOW = 16;

export class WordIndex<T> {
  readonly #root: Node<T> = emptyNode();

  add({ words, tail }: BashPattern, item: T, scopeKey: string | null = null): void {
    let node = this.#root;
    for (const word of words) {
      let child = node.children.get(word);
      if (child === undefined) {
        child = emptyNode();
        node.children.set(word, child);
      }
      node = child;
    }
    if (tail.kind === 'end') node.ends.push(item);
    else if (tail.kind === 'any' && scopeKey !== null) append(node.scoped, scopeKey, item);
    else if (tail.kind === 'any') node.any.push(item);
    else {
      const head = tail.globs[0]?.[0] ?? '';
      const bucket = node.globs.get(head);
      const glob = { alternatives: tail.globs, item };
      if (bucket !== undefined) bucket.push(glob);
      else {
        node.globs.set(head, [glob]);
        if (!node.lengths.includes(head.length)) node.lengths.push(head.length);
      }
    }
  }

  /** False if no pattern is about commands that start with this word: most rules are about other programs. */
  mayStartWith(word: string): boolean {
    const { children, ends, any, scoped, globs } = this.#root;
    return children.has(word) || ends.length + any.length + scoped.size + globs.size > 0;
  }

  /** `keys`: which scopes are possible, `null` for all. */
  find(form: Form, reading: Reading, emit: Emit<T>, { from = 0, keys = anyScope }: Where = {}): void {
    walk(this.#root, from, false, { form, reading, from, keys, emit });
  }
}

function emptyNode<T>(): Node<T> {
  return { children: new Map(), ends: [], any: [], scoped: new Map(), globs: new Map(), lengths: [] };
}

interface Where {
  readonly from?: number;
  readonly keys?: () => ReadonlySet<string> | null;
}

const anyScope = () => null;

function append<T>(map: Map<string, T[]>, key: string, item: T): void {
  const items = map.get(key);
  if (items === undefined) map.set(key, [item]);
  else items.push(item);
}

interface Search<T> {
  readonly keys: () => ReadonlySet<string> | null;
  readonly form: Form;
  readonly reading: Reading;
  readonly from: number;
  readonly emit: Emit<T>;
}

function walk<T>(node: Node<T>, at: number, isPossible: boolean, search: Search<T>): void {
  const { form, reading, emit } = search;
  for (const item of node.any) emit(item, at, isPossible);
  if (node.scoped.size > 0) {
    for (const key of search.keys() ?? node.scoped.keys()) {
      for (const item of node.scoped.get(key) ?? []) emit(item, at, isPossible);
    }
  }
  if (node.globs.size > 0) findGlobs(node, at, isPossible, search);
  if (at === form.length || reading === 'anywhere') for (const item of node.ends) emit(item, at, isPossible);
  const word = form[at];
  if (word === undefined) return;
  if (typeof word === 'string') {
    const child = node.children.get(word);
    if (child !== undefined) walk(child, at + 1, isPossible, search);
    return;
  }
  // The name of the command must be known: a ban on `git push` does not match `$x`.
  if (reading !== 'strict' || at === 0) return;
  if (word.isMany && word.head === '') return emitAll(node, at, emit);
  for (const [key, child] of node.children) {
    if (!key.startsWith(word.head)) continue;
    if (word.isMany) emitAll(child, at, emit);
    else walk(child, at + 1, true, search);
  }
}

function emitAll<T>(node: Node<T>, at: number, emit: Emit<T>): void {
  for (const item of node.ends) emit(item, at, true);
  for (const item of node.any) emit(item, at, true);
  for (const items of node.scoped.values()) for (const item of items) emit(item, at, true);
  for (const bucket of node.globs.values()) for (const { item } of bucket) emit(item, at, true);
  for (const child of node.children.values()) emitAll(child, at, emit);
}

function findGlobs<T>(node: Node<T>, at: number, isPossible: boolean, { form, reading, from, emit }: Search<T>): void {
  // Patterns that start with a wildcard were found at the first position of the text, if at all.
  const isLater = reading === 'anywhere' && from > 0 && at === from;
  if (isLater && node.lengths.every((length) => length === 0)) return;
  const rest = form.slice(at, reading === 'anywhere' ? at + WINDOW : form.length);
  const firstHole = rest.findIndex((word) => typeof word !== 'string');
  // An unknown word is represented by a character that no rule can contain: only a wildcard covers it.
  const text = rest.map((word) => (typeof word === 'string' ? word : HOLE)).join(BETWEEN);
  const isOpen = reading === 'anywhere';
  for (const length of node.lengths) {
    if (isLater && length === 0) continue;
    for (const glob of node.globs.get(text.slice(0, length)) ?? []) {
      if (glob.alternatives.some((parts) => matches(parts, text, isOpen))) emit(glob.item, at, isPossible);
    }
  }
  if (firstHole === -1 || reading !== 'strict' || (at === 0 && firstHole === 0)) return;
  const head = headOf(rest, firstHole);
  for (const bucket of node.globs.values()) {
    for (const glob of bucket) {
      if (glob.alternatives.some((parts) => mayMatch(parts, head))) emit(glob.item, at, true);
    }
  }
}

const HOLE = '\u0001';

function headOf(rest: Form, firstHole: number): string {
  const known = rest.slice(0, firstHole).join(BETWEEN);
  const hole = rest[firstHole];
  const head = typeof hole === 'object' ? hole.head : '';
  return head === '' ? known : `${known}${known === '' ? '' : BETWEEN}${head}`;
}

function mayMatch(parts: readonly string[], head: string): boolean {
  const first = parts[0] as string;
  return first.startsWith(head) || (parts.length > 1 && head.startsWith(first));
}

/** Greedy matching from the left is enough if stars are the only wildcard. */
function matches(parts: readonly string[], text: string, isOpen: boolean): boolean {
  const first = parts[0] as string;
  if (!text.startsWith(first)) return false;
  if (parts.length === 1) return isOpen || text === first;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  const last = parts.at(-1) as string;
  return isOpen ? text.includes(last, at) : text.length - last.length >= at && text.endsWith(last);
}
