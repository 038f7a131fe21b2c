// Resolved path patterns → an index over their literal names, so that thousands cost about as much as a few.
// Finds a superset of the matches: the caller checks each.

import type { PathEffect } from '../../core/facts.ts';
import type { Context } from '../../core/policy.ts';
import { ANCHORS, below, folderOf, pathNames, placesOf, type SettledPath } from './path-answers.ts';
import type { PathName } from './patterns/path-pattern.ts';

interface Node<T> {
  readonly children: Map<string, Node<T>>;
  /** Patterns that start with a wildcard here, or end here. */
  readonly items: T[];
  /** `**` and then one name: found by the name. */
  readonly named: Map<string, T[]>;
}

/** `isRemote`: it can only be a possible match, of which there may be `enough`. */
type EmitPath<T> = (item: T, isRemote: boolean) => 'enough' | undefined;

const WORD_BREAKS = /[\s'"`;|&()<>={},:$/\\]+/;

export class PathIndex<T> {
  readonly #roots = { root: emptyNode<T>(), home: emptyNode<T>(), cwd: emptyNode<T>() };
  /** By the last literal name, or by the suffix of a name like `*.pem`. */
  readonly #telling = new Map<string, T[]>();

  add({ anchor, segments }: SettledPath, item: T): void {
    const word = tellingWord(segments);
    this.#telling.set(word, [...(this.#telling.get(word) ?? []), item]);
    let node = this.#roots[anchor];
    for (const [i, segment] of segments.entries()) {
      const next = segments[i + 1];
      if (segment === '**' && segments.length === i + 2 && typeof next === 'object' && 'name' in next) {
        const bucket = node.named.get(next.name);
        if (bucket === undefined) node.named.set(next.name, [item]);
        else bucket.push(item);
        return;
      }
      if (segment === '**' || !('name' in segment)) break;
      let child = node.children.get(segment.name);
      if (child === undefined) {
        child = emptyNode();
        node.children.set(segment.name, child);
      }
      node = child;
    }
    node.items.push(item);
  }

  /** For an unknown path: patterns that the words of a text may name. */
  findNamed(text: string, emit: EmitPath<T>): void {
    const telling = this.#telling;
    const look = (word: string) => {
      const items = telling.get(word);
      if (items !== undefined) emitEach(items, emit, true);
    };
    look('');
    for (const word of text.split(WORD_BREAKS)) {
      if (word === '') continue;
      look(word);
      const dot = word.lastIndexOf('.');
      if (dot > 0) look(word.slice(dot));
      if (word.startsWith('*')) look(word.replace(/^\*+/, ''));
    }
  }

  /** Every pattern that may match the path: a superset. */
  find(effect: PathEffect, context: Context, isTree: boolean, emit: EmitPath<T>): void {
    for (const anchor of ANCHORS) {
      const root = this.#roots[anchor];
      const folder = folderOf(anchor, context);
      if (isEmpty(root) || folder === null) continue;
      // Rules of a settings file are resolved in the project: links to the project are expressed by its own name.
      const view = anchor === 'home' ? anchor : 'cwd';
      const places =
        effect.path === null ? [] : placesOf(effect, { anchor: view, segments: [], trusted: null }, context);
      if (effect.path === null) everyItem(root, emit, true);
      for (const place of places) {
        const names = pathNames(place, effect.glob === true);
        const relative = below(names, folder);
        if (relative !== null) descend(root, relative, isTree, emit);
        else if (isTree) everyItem(root, emit, false);
      }
    }
  }
}

function tellingWord(segments: SettledPath['segments']): string {
  for (const segment of [...segments].reverse()) {
    if (segment === '**') continue;
    if ('name' in segment) return segment.name;
    const isWild = (piece: unknown) => typeof piece !== 'string' || piece === '*' || piece === '?';
    const end = segment.glob.slice(segment.glob.findLastIndex(isWild) + 1).join('');
    if (end !== '') return end;
  }
  return '';
}

function emptyNode<T>(): Node<T> {
  return { children: new Map(), items: [], named: new Map() };
}

function isEmpty<T>({ children, items, named }: Node<T>): boolean {
  return children.size + items.length + named.size === 0;
}

function descend<T>(from: Node<T>, names: readonly PathName[], isTree: boolean, emit: EmitPath<T>): void {
  let node = from;
  for (const [i, name] of names.entries()) {
    emitEach(node.items, emit, false);
    if (node.named.size > 0) {
      const rest = names.slice(i);
      for (const each of rest) if (typeof each === 'string') emitEach(node.named.get(each) ?? [], emit, false);
      const isOpen = isTree || rest.some((each) => typeof each !== 'string');
      if (isOpen) emitNamed(node, emit);
    }
    if (typeof name !== 'string') {
      for (const child of node.children.values()) everyItem(child, emit, true);
      return;
    }
    const child = node.children.get(name);
    if (child === undefined) return;
    node = child;
  }
  if (isTree) everyItem(node, emit, false);
  else emitEach(node.items, emit, false);
}

function emitEach<T>(items: readonly T[], emit: EmitPath<T>, isRemote: boolean): void {
  for (const item of items) emit(item, isRemote);
}

function emitNamed<T>({ named }: Node<T>, emit: EmitPath<T>): void {
  for (const items of named.values()) for (const item of items) if (emit(item, true) === 'enough') return;
}

function everyItem<T>(node: Node<T>, emit: EmitPath<T>, isRemote: boolean): void {
  emitEach(node.items, emit, isRemote);
  emitNamed(node, emit);
  for (const child of node.children.values()) everyItem(child, emit, isRemote);
}
