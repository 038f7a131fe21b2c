// The facts by their syntax node, and by the command that runs them.

import type { SyntaxNode } from '../../parse/tree.ts';
import type { Draft } from '../effects/draft.ts';
import { countLines } from './streams.ts';

const NONE: readonly number[] = [];

export class DraftIndex {
  readonly #drafts: readonly Draft[];
  readonly #byNode = new Map<object, number[]>();
  readonly #children = new Map<number, number[]>();

  constructor(drafts: readonly Draft[]) {
    this.#drafts = drafts;
    for (const [i, { origin, parent, via }] of drafts.entries()) {
      if (origin !== null) add(this.#byNode, origin, i);
      else if (parent !== null && !/^[$<>]\(/.test(via.at(-1) ?? '')) add(this.#children, parent, i);
    }
  }

  /** A node that is walked several times has several. */
  of(node: SyntaxNode): readonly number[] {
    return this.#byNode.get(node) ?? NONE;
  }

  childrenOf(index: number): readonly number[] {
    return this.#children.get(index) ?? NONE;
  }

  /** Those of a node and of everything that it runs. */
  draftsOf(node: SyntaxNode): readonly Draft[] {
    const drafts: Draft[] = [];
    const pending = [...this.of(node)];
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      drafts.push(this.#drafts[at] as Draft);
      pending.push(...this.childrenOf(at));
    }
    return drafts;
  }

  /** The maximum number of lines that a command prints. */
  linesOf(node: SyntaxNode): number {
    const counts = this.of(node).map((index) => countLines(this.#drafts[index] as Draft));
    return counts.length === 0 ? Infinity : Math.max(...counts);
  }
}

function add<K>(map: Map<K, number[]>, key: K, value: number): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
