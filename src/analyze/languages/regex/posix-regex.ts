// A POSIX basic or extended regular expression, with the GNU operators, as sed parses it → its tree.
// Throws `Doubt` if uncertain: back-references, collating elements, repeated quantifiers, unusual escapes.

import { ANY_CHAR, type CharSet, CharSetBuilder, Doubt } from './char-set.ts';

export type Assertion = 'start' | 'end' | 'word-edge' | 'word-start' | 'word-end';

export interface RegexOptions {
  readonly extended: boolean;
  readonly ignoreCase: boolean;
}

export type RegexNode =
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'assert'; readonly what: Assertion }
  | { readonly kind: 'sequence'; readonly nodes: readonly RegexNode[] }
  | { readonly kind: 'alternatives'; readonly nodes: readonly RegexNode[] }
  | { readonly kind: 'group'; readonly group: number; readonly node: RegexNode }
  | { readonly kind: 'repeat'; readonly node: RegexNode; readonly min: number; readonly max: number | null };

const CONTROL: Readonly<Record<string, string>> = { a: '\x07', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  b: 'word-edge',
  '<': 'word-start',
  '>': 'word-end',
  '`': 'start',
  "'": 'end',
};
const CLASS_ESCAPES: Readonly<Record<string, { readonly name: string; readonly negated: boolean }>> = {
  w: { name: 'word', negated: false },
  W: { name: 'word', negated: true },
  s: { name: 'space', negated: false },
  S: { name: 'space', negated: true },
};

export class RegexParser {
  groups = 0;
  readonly #source: string;
  readonly #options: RegexOptions;
  #at = 0;
  #depth = 0;

  constructor(source: string, options: RegexOptions) {
    this.#source = source;
    this.#options = options;
  }

  parse(): RegexNode {
    const root = this.#alternatives();
    if (this.#at < this.#source.length) throw new Doubt('unmatched parenthesis in the regular expression');
    return root;
  }

  /** An operator that is written `\x` in basic and `x` in extended expressions. */
  #isOperator(operator: string, at = this.#at): boolean {
    return this.#source.startsWith(this.#options.extended ? operator : `\\${operator}`, at);
  }

  #skipOperator(): void {
    this.#at += this.#options.extended ? 1 : 2;
  }

  #alternatives(): RegexNode {
    const nodes = [this.#branch()];
    while (this.#isOperator('|')) {
      this.#skipOperator();
      nodes.push(this.#branch());
    }
    if (nodes.length === 1) return nodes[0] as RegexNode;
    if (nodes.some((node) => node.kind === 'sequence' && node.nodes.length === 0)) throw new Doubt('empty alternative');
    return { kind: 'alternatives', nodes };
  }

  #branch(): RegexNode {
    const nodes: RegexNode[] = [];
    let atStart = true;
    while (this.#at < this.#source.length && !this.#isOperator('|') && !this.#isOperator(')')) {
      const atom = this.#atom(atStart);
      // In basic expressions `*` is a literal at the start and directly after an anchor there.
      atStart = atStart && !this.#options.extended && atom.kind === 'assert' && this.#source[this.#at - 1] === '^';
      nodes.push(atStart ? atom : this.#quantified(atom));
    }
    return { kind: 'sequence', nodes };
  }

  #quantified(atom: RegexNode): RegexNode {
    const bounds = this.#quantifier();
    if (bounds === null) return atom;
    if (atom.kind === 'assert' || this.#quantifier() !== null) throw new Doubt('quantifier after an anchor or another');
    return { kind: 'repeat', node: atom, ...bounds };
  }

  #quantifier(): { min: number; max: number | null } | null {
    if (this.#source[this.#at] === '*') {
      this.#at++;
      return { min: 0, max: null };
    }
    for (const [operator, bounds] of [
      ['+', { min: 1, max: null }],
      ['?', { min: 0, max: 1 }],
    ] as const) {
      if (this.#isOperator(operator)) {
        this.#skipOperator();
        return bounds;
      }
    }
    if (!this.#isOperator('{')) return null;
    this.#skipOperator();
    const pattern = this.#options.extended ? /^(\d*)(,?)(\d*)\}/ : /^(\d*)(,?)(\d*)\\\}/;
    const found = pattern.exec(this.#source.slice(this.#at, this.#at + 20));
    const [all, low = '', comma = '', high = ''] = found ?? [];
    if (all === undefined || (low === '' && high === '')) throw new Doubt('malformed interval');
    this.#at += all.length;
    const min = Number(low);
    const max = comma === '' ? min : high === '' ? null : Number(high);
    if (min > 255 || (max !== null && (max > 255 || max < min))) throw new Doubt('interval out of bounds');
    return { min, max };
  }

  #atom(atStart: boolean): RegexNode {
    const { extended } = this.#options;
    if (this.#isOperator('(')) return this.#group();
    const ch = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
    this.#at += ch.length;
    if (ch === '\\') return this.#escape();
    if (ch === '[') return this.#bracket();
    if (ch === '.') return { kind: 'set', set: ANY_CHAR };
    if (ch === '^' && (extended || atStart)) {
      // Only the first of `^^` is an anchor in basic expressions.
      if (!extended && this.#at >= 2 && this.#source[this.#at - 2] === '^') return this.#literal(ch);
      return { kind: 'assert', what: 'start' };
    }
    if (ch === '$' && (extended || this.#isBranchEnd())) return { kind: 'assert', what: 'end' };
    if (ch === '*' && !(atStart && !extended)) throw new Doubt('* with nothing to repeat');
    if (extended && (ch === '+' || ch === '?' || ch === '{')) throw new Doubt(`${ch} with nothing to repeat`);
    return this.#literal(ch);
  }

  #isBranchEnd(): boolean {
    return this.#at === this.#source.length || this.#isOperator('|') || (this.#isOperator(')') && this.#depth > 0);
  }

  #literal(ch: string): RegexNode {
    const set = new CharSetBuilder().addChar(ch.codePointAt(0) ?? 0);
    return { kind: 'set', set: set.build({ negated: false, ignoreCase: this.#options.ignoreCase }) };
  }

  #group(): RegexNode {
    this.#skipOperator();
    const group = ++this.groups;
    this.#depth++;
    const node = this.#alternatives();
    if (!this.#isOperator(')')) throw new Doubt('unmatched parenthesis in the regular expression');
    this.#skipOperator();
    this.#depth--;
    if (node.kind === 'sequence' && node.nodes.length === 0) throw new Doubt('empty group');
    return { kind: 'group', group, node };
  }

  #escape(): RegexNode {
    const ch = this.#source.charAt(this.#at++);
    const assertion = ASSERTIONS[ch];
    if (assertion !== undefined) return { kind: 'assert', what: assertion };
    const named = CLASS_ESCAPES[ch];
    if (named !== undefined) {
      const set = new CharSetBuilder().addClass(named.name).build({ negated: named.negated, ignoreCase: false });
      return { kind: 'set', set };
    }
    const control = CONTROL[ch];
    if (control !== undefined) return this.#literal(control);
    if (ch === 'x') {
      const digits = /^[0-9a-fA-F]{2}/.exec(this.#source.slice(this.#at))?.[0] ?? '0';
      const value = String.fromCharCode(Number.parseInt(digits, 16));
      // A special character written this way is a literal in some versions only.
      if (!/^[ !"#%&',:;<=>@A-Z_`a-z~0-9-]$/.test(value)) throw new Doubt(`\\x${digits} in the regular expression`);
      this.#at += 2;
      return this.#literal(value);
    }
    if (/^[0-9]$/.test(ch)) throw new Doubt('back-reference in the regular expression');
    const isOperator = !this.#options.extended && /^[+?{}()|]$/.test(ch);
    if (isOperator || !/^[!-/:-@[-_{-~ ]$/.test(ch)) throw new Doubt(`\\${ch} in the regular expression`);
    return this.#literal(ch);
  }

  #bracket(): RegexNode {
    const builder = new CharSetBuilder();
    const negated = this.#source[this.#at] === '^';
    if (negated) this.#at++;
    const start = this.#at;
    let previous: number | null = null;
    for (let first = true; ; first = false) {
      const ch = this.#source.charAt(this.#at);
      if (ch === '') throw new Doubt('unmatched [');
      if (ch === ']' && !first) break;
      const kind = this.#source.charAt(this.#at + 1);
      if (ch === '[' && (kind === ':' || kind === '.' || kind === '=')) {
        const name = /^\[:([a-z]+):\]/.exec(this.#source.slice(this.#at, this.#at + 16))?.[1];
        if (name === undefined) throw new Doubt('collating element');
        builder.addClass(name);
        this.#at += name.length + 4;
        previous = null;
      } else if (ch === '-' && previous !== null && kind !== ']') {
        this.#at++;
        builder.addRange(previous, this.#bracketChar());
        previous = null;
      } else {
        // `a-c-e` and `[:digit:]-z` are undefined.
        if (ch === '-' && !first && kind !== ']') throw new Doubt('range in a bracket expression');
        previous = this.#bracketChar();
        builder.addChar(previous);
      }
    }
    // GNU programs refuse `[:space:]` without its outer brackets.
    if (/^:.*:$/s.test(this.#source.slice(start, this.#at))) throw new Doubt('a character class outside of brackets');
    this.#at++;
    return { kind: 'set', set: builder.build({ negated, ignoreCase: this.#options.ignoreCase }) };
  }

  /** GNU sed knows `\n`, `\t` … inside brackets; any other backslash there is literal. */
  #bracketChar(): number {
    const code = this.#source.codePointAt(this.#at) ?? 0;
    this.#at += code > 0xffff ? 2 : 1;
    if (code !== 92) return code;
    const next = this.#source.charAt(this.#at);
    const control = CONTROL[next];
    if (/^[cdox]$/.test(next)) throw new Doubt(`\\${next} in a bracket expression`);
    if (next === '\\' || control !== undefined) this.#at++;
    return control === undefined ? code : control.charCodeAt(0);
  }
}
