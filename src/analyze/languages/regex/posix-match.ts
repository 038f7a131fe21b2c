// Finds the leftmost, longest match of a compiled POSIX regular expression, in time bounded by `Budget`.
// Groups are returned only if Perl's order of choices and POSIX's longest-match rule agree, else `Doubt` is thrown.

import { Doubt, hasChar, isWordChar } from './char-set.ts';
import type { RegexProgram } from './posix-program.ts';
import type { Assertion } from './posix-regex.ts';

interface RegexMatch {
  readonly start: number;
  readonly end: number;
  /** Text of each group, from 1; `''` for one that did not participate. */
  readonly groups: readonly string[];
}

/** Counts steps across all users that share it. */
export class Budget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  spend(steps = 1): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Doubt('too much work for a preview');
  }
}

const MAX_TABLE_CELLS = 2_000_000;

export class RegexMatcher {
  readonly program: RegexProgram;
  readonly #budget: Budget;
  /** Stamps of the iteration in which an instruction was last seen. */
  readonly #seen: Uint32Array;
  #round = 0;

  constructor(program: RegexProgram, budget: Budget) {
    this.program = program;
    this.#budget = budget;
    this.#seen = new Uint32Array(program.instructions.length);
  }

  matches(text: string): boolean {
    let current: number[] = [];
    for (let at = 0; ; ) {
      const width = charWidth(text, at);
      this.#round++;
      const reached: number[] = [];
      for (const pc of current) if (this.#follow(pc, text, at, reached)) return true;
      if (this.#follow(0, text, at, reached)) return true;
      if (at >= text.length) return false;
      current = this.#step(reached, text, at);
      at += width;
    }
  }

  /** The first match at or after `from`. */
  find(text: string, from: number, wantsGroups: boolean): RegexMatch | null {
    if (from === 0 && !this.matches(text)) return null;
    for (let start = from; start <= text.length; start += charWidth(text, start)) {
      const end = this.#longestFrom(text, start);
      if (end >= 0) return { start, end, groups: wantsGroups ? this.#groups(text, start, end) : [] };
    }
    return null;
  }

  #longestFrom(text: string, start: number): number {
    let current = [0];
    let longest = -1;
    for (let at = start; current.length > 0; ) {
      this.#round++;
      const reached: number[] = [];
      for (const pc of current) if (this.#follow(pc, text, at, reached)) longest = at;
      if (at >= text.length) break;
      current = this.#step(reached, text, at);
      at += charWidth(text, at);
    }
    return longest;
  }

  #step(reached: readonly number[], text: string, at: number): number[] {
    const next: number[] = [];
    for (const pc of reached) if (this.#takes(pc, text, at)) next.push(pc + 1);
    return next;
  }

  #takes(pc: number, text: string, at: number): boolean {
    const instruction = this.program.instructions[pc];
    return instruction?.op === 'set' && at < text.length && hasChar(instruction.set, text.codePointAt(at) ?? 0);
  }

  /** All instructions reachable from `pc` without consuming a character; true if the end is one of them. */
  #follow(pc: number, text: string, at: number, reached: number[]): boolean {
    let matched = false;
    const pending = [pc];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (this.#seen[next] === this.#round) continue;
      this.#seen[next] = this.#round;
      this.#budget.spend();
      reached.push(next);
      if (this.program.instructions[next]?.op === 'match') matched = true;
      pending.push(...this.#edges(next, text, at));
    }
    return matched;
  }

  #edges(pc: number, text: string, at: number): readonly number[] {
    const instruction = this.program.instructions[pc];
    switch (instruction?.op) {
      case 'split':
        return [instruction.first, instruction.other];
      case 'jump':
        return [instruction.to];
      case 'open':
      case 'close':
        return [pc + 1];
      case 'assert':
        return holds(instruction.what, text, at) ? [pc + 1] : [];
      default:
        return [];
    }
  }

  #groups(text: string, start: number, end: number): readonly string[] {
    const { instructions, groups: count, repeatsEmpty } = this.program;
    const groups = Array.from({ length: count }, () => '');
    if (count === 0) return groups;
    if (repeatsEmpty) throw new Doubt('a group that may be empty is repeated');
    const alive = this.#aliveCells(text, start, end);
    const size = instructions.length;
    const isAlive = (pc: number, at: number) => alive[(at - start) * size + pc] === 1;

    const opened = new Map<number, { at: number; longest: number }>();
    let at = start;
    for (let pc = 0; ; ) {
      this.#budget.spend();
      const instruction = instructions[pc];
      if (instruction === undefined || instruction.op === 'match') return groups;
      switch (instruction.op) {
        case 'set':
          at += charWidth(text, at);
          pc++;
          break;
        case 'jump':
          pc = instruction.to;
          break;
        case 'assert':
          pc++;
          break;
        case 'split': {
          const canFirst = isAlive(instruction.first, at);
          const isUnclear = instruction.alternative || this.program.hasOddEdges;
          if (isUnclear && canFirst && isAlive(instruction.other, at)) {
            throw new Doubt('there is more than one way to match, and groups depend on which is taken');
          }
          pc = canFirst ? instruction.first : instruction.other;
          break;
        }
        case 'open':
          opened.set(instruction.group, { at, longest: this.#longestGroup(text, pc, at, instruction.close, isAlive) });
          pc++;
          break;
        case 'close': {
          const open = opened.get(instruction.group);
          if (open === undefined || open.longest !== at) throw new Doubt('a group has more than one possible extent');
          groups[instruction.group - 1] = text.slice(open.at, at);
          pc++;
          break;
        }
      }
    }
  }

  /** Which pairs of instruction and position are on a path from `start` to a match that ends at `end`. */
  #aliveCells(text: string, start: number, end: number): Uint8Array {
    const { instructions } = this.program;
    const size = instructions.length;
    const cells = (end - start + 1) * size;
    if (cells > MAX_TABLE_CELLS) throw new Doubt('the match is too long to determine its groups');
    this.#budget.spend(cells);
    const visited: number[][] = [];
    let current = [0];
    for (let at = start; at <= end; at += charWidth(text, at)) {
      this.#round++;
      const reached: number[] = [];
      for (const pc of current) this.#follow(pc, text, at, reached);
      visited[at - start] = reached;
      current = this.#step(reached, text, at);
    }
    const alive = new Uint8Array(cells);
    for (let at = end; at >= start; at--) {
      const reached: readonly number[] = visited[at - start] ?? [];
      const next = at + charWidth(text, at);
      for (let changed = true; changed; ) {
        changed = false;
        for (const pc of reached) {
          const cell = (at - start) * size + pc;
          if (alive[cell] === 1) continue;
          const op = instructions[pc]?.op;
          const isNow =
            op === 'match'
              ? at === end
              : op === 'set'
                ? at < end && this.#takes(pc, text, at) && alive[(next - start) * size + pc + 1] === 1
                : this.#edges(pc, text, at).some((to) => alive[(at - start) * size + to] === 1);
          if (!isNow) continue;
          alive[cell] = 1;
          changed = true;
        }
      }
    }
    return alive;
  }

  /** The last possible end of the group that opens at `pc`, on the live paths. */
  #longestGroup(
    text: string,
    pc: number,
    start: number,
    close: number,
    isAlive: (pc: number, at: number) => boolean,
  ): number {
    let current = [pc];
    let longest = -1;
    for (let at = start; current.length > 0; at += charWidth(text, at)) {
      this.#round++;
      const next: number[] = [];
      const pending = current.filter((each) => isAlive(each, at));
      for (let each = pending.pop(); each !== undefined; each = pending.pop()) {
        if (this.#seen[each] === this.#round) continue;
        this.#seen[each] = this.#round;
        this.#budget.spend();
        if (each === close) longest = at;
        else if (this.program.instructions[each]?.op === 'set') next.push(each + 1);
        else pending.push(...this.#edges(each, text, at).filter((to) => isAlive(to, at)));
      }
      if (at >= text.length) break;
      current = next;
    }
    return longest;
  }
}

function charWidth(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function holds(what: Assertion, text: string, at: number): boolean {
  if (what === 'start') return at === 0;
  if (what === 'end') return at === text.length;
  const before = at > 0 && isWordChar(text.codePointAt(at > 1 && isLowSurrogate(text, at - 1) ? at - 2 : at - 1) ?? 0);
  const after = at < text.length && isWordChar(text.codePointAt(at) ?? 0);
  if (what === 'word-start') return !before && after;
  if (what === 'word-end') return before && !after;
  return before !== after;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
