// The tree of a POSIX regular expression → a program of single steps that posix-match.ts executes.

import { type CharSet, Doubt } from './char-set.ts';
import { type Assertion, type RegexNode, type RegexOptions, RegexParser } from './posix-regex.ts';

type Instruction =
  | { readonly op: 'set'; readonly set: CharSet }
  /** `first` is preferred; `alternative` marks the choice of `|`, for which POSIX has no such preference. */
  | { readonly op: 'split'; first: number; other: number; readonly alternative: boolean }
  | { readonly op: 'jump'; readonly to: number }
  | { readonly op: 'open'; readonly group: number; close: number }
  | { readonly op: 'close'; readonly group: number }
  | { readonly op: 'assert'; readonly what: Assertion }
  | { readonly op: 'match' };

export interface RegexProgram {
  readonly instructions: readonly Instruction[];
  readonly groups: number;
  /** An expression that can be empty is repeated without limit: groups inside are undetermined. */
  readonly repeatsEmpty: boolean;
  /** Groups inside a repeated group: implementations differ on their content. */
  readonly uncertainGroups: ReadonlySet<number>;
  /** Has `\b`, `\<`, `\>`, or an anchor inside a group or an alternative: the C library then chooses groups differently. */
  readonly hasOddEdges: boolean;
}

const MAX_INSTRUCTIONS = 3000;

export function compileRegex(source: string, options: RegexOptions): RegexProgram {
  const parser = new RegexParser(source, options);
  const root = parser.parse();
  const compiler = new RegexCompiler();
  compiler.emit(root);
  return { ...compiler.finish(), groups: parser.groups };
}

class RegexCompiler {
  readonly #instructions: Instruction[] = [];
  readonly #uncertainGroups = new Set<number>();
  #repeatsEmpty = false;
  #hasOddEdges = false;
  #nesting = 0;

  finish(): Omit<RegexProgram, 'groups'> {
    this.#push({ op: 'match' });
    return {
      instructions: this.#instructions,
      repeatsEmpty: this.#repeatsEmpty,
      uncertainGroups: this.#uncertainGroups,
      hasOddEdges: this.#hasOddEdges,
    };
  }

  #push<T extends Instruction>(instruction: T): T {
    if (this.#instructions.length >= MAX_INSTRUCTIONS) throw new Doubt('the regular expression is too large');
    this.#instructions.push(instruction);
    return instruction;
  }

  get #next(): number {
    return this.#instructions.length;
  }

  emit(node: RegexNode): void {
    switch (node.kind) {
      case 'set':
        this.#push({ op: 'set', set: node.set });
        break;
      case 'assert':
        if (this.#nesting > 0 || node.what.startsWith('word')) this.#hasOddEdges = true;
        this.#push({ op: 'assert', what: node.what });
        break;
      case 'sequence':
        for (const part of node.nodes) this.emit(part);
        break;
      case 'group': {
        const open = this.#push({ op: 'open', group: node.group, close: -1 });
        this.#nesting++;
        this.emit(node.node);
        this.#nesting--;
        open.close = this.#next;
        this.#push({ op: 'close', group: node.group });
        break;
      }
      case 'alternatives':
        this.#nesting++;
        this.#emitAlternatives(node.nodes);
        this.#nesting--;
        break;
      case 'repeat':
        this.#emitRepeat(node.node, node.min, node.max);
        break;
    }
  }

  #emitAlternatives(nodes: readonly RegexNode[]): void {
    const jumps: { op: 'jump'; to: number }[] = [];
    nodes.forEach((node, index) => {
      const isLast = index === nodes.length - 1;
      const split = isLast ? null : this.#push({ op: 'split', first: this.#next + 1, other: -1, alternative: true });
      this.emit(node);
      if (split === null) return;
      jumps.push(this.#push({ op: 'jump', to: -1 }));
      split.other = this.#next;
    });
    for (const jump of jumps) jump.to = this.#next;
  }

  #emitRepeat(node: RegexNode, min: number, max: number | null): void {
    // The C library treats `s/\(^a\)*/x/g` as anchored although it can be empty.
    if (hasAssertion(node)) throw new Doubt('an anchor is repeated');
    if (max === null || max > 1) {
      for (const group of groupsInside(node)) this.#uncertainGroups.add(group);
      if (isNullable(node)) this.#repeatsEmpty = true;
    }
    for (let count = 0; count < min; count++) this.emit(node);
    if (max === null) {
      const split = this.#push({ op: 'split', first: this.#next + 1, other: -1, alternative: false });
      this.emit(node);
      this.#push({ op: 'jump', to: this.#instructions.indexOf(split) });
      split.other = this.#next;
      return;
    }
    const splits: { other: number }[] = [];
    for (let count = min; count < max; count++) {
      splits.push(this.#push({ op: 'split', first: this.#next + 1, other: -1, alternative: false }));
      this.emit(node);
    }
    for (const split of splits) split.other = this.#next;
  }
}

function groupsInside(node: RegexNode): readonly number[] {
  switch (node.kind) {
    case 'group':
      return [node.group, ...groupsInside(node.node)];
    case 'repeat':
      return groupsInside(node.node);
    case 'sequence':
    case 'alternatives':
      return node.nodes.flatMap(groupsInside);
    default:
      return [];
  }
}

function isNullable(node: RegexNode): boolean {
  switch (node.kind) {
    case 'set':
      return false;
    case 'assert':
      return true;
    case 'group':
      return isNullable(node.node);
    case 'repeat':
      return node.min === 0 || isNullable(node.node);
    case 'sequence':
      return node.nodes.every(isNullable);
    case 'alternatives':
      return node.nodes.some(isNullable);
  }
}

function hasAssertion(node: RegexNode): boolean {
  switch (node.kind) {
    case 'set':
      return false;
    case 'assert':
      return true;
    case 'group':
    case 'repeat':
      return hasAssertion(node.node);
    case 'sequence':
    case 'alternatives':
      return node.nodes.some(hasAssertion);
  }
}
