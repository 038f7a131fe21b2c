// The text of an awk program (POSIX and gawk) → its tokens.
// Throws `AwkSyntaxError` for bad syntax, and wherever awk versions disagree on the end of a token.

import { wordSet } from '../../core/values/once.ts';

export class AwkSyntaxError extends Error {}

export interface AwkToken {
  readonly kind: 'name' | 'number' | 'string' | 'regex' | 'newline' | 'operator';
  readonly text: string;
  /** A string's value; `null` if awk versions decode its escapes differently. */
  readonly value?: string | null;
  /** A `)` that closes the head of `if`, `while`, `for`, `switch` or a function: a statement follows. */
  readonly endsHead?: boolean;
  /** `++` or `--` after its operand. */
  readonly isPostfix?: boolean;
}

/** Names followed by an operand or a statement, so they do not end an expression. */
const KEYWORDS =
  wordSet(`BEGIN BEGINFILE END ENDFILE break case continue default delete do else exit for func function if in next nextfile
  print printf return switch while`);
const HEADS = new Set(['if', 'while', 'for', 'switch']);
const OPERATORS = [
  '**=',
  ...['**', '^=', '+=', '-=', '*=', '/=', '%=', '==', '<=', '>=', '!=', '!~', '&&', '||', '|&', '++', '--', '>>'],
  ...'~|><=!+-*/%^?:,;{}()[]$@',
];
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

export function baseName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1);
}

/** Whether an expression can end with this token: a `/` after it divides. */
export function endsOperand(token: AwkToken | undefined): boolean {
  switch (token?.kind) {
    case 'name':
      return !KEYWORDS.has(token.text);
    case 'number':
    case 'string':
    case 'regex':
      return true;
    case 'operator':
      return (token.text === ')' && token.endsHead !== true) || token.text === ']' || token.isPostfix === true;
    default:
      return false;
  }
}

export function readAwkTokens(source: string): readonly AwkToken[] {
  return new AwkLexer(source).tokens();
}

class AwkLexer {
  readonly #source: string;
  readonly #tokens: AwkToken[] = [];
  /** For each open bracket: itself, and whether it opens the head of a statement. */
  readonly #open: { readonly bracket: string; readonly isHead: boolean }[] = [];
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  tokens(): readonly AwkToken[] {
    while (this.#at < this.#source.length) this.#next();
    if (this.#open.length > 0) throw new AwkSyntaxError(`unmatched ${this.#open.at(-1)?.bracket}`);
    return this.#tokens;
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #next(): void {
    if (this.#take(/[ \t]+|\\\r?\n|#[^\n]*|\r(?=\n)/y) !== null) return;
    const ch = this.#source.charAt(this.#at);
    if (ch === '\n') {
      this.#at++;
      this.#tokens.push({ kind: 'newline', text: '\n' });
      return;
    }
    if (ch === '"') {
      this.#string();
      return;
    }
    const name = this.#take(/[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*/y);
    if (name !== null) {
      this.#tokens.push({ kind: 'name', text: name });
      return;
    }
    const number = this.#take(/0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y);
    if (number !== null) {
      // `0x1system("id")` is a call in some versions and a variable in others.
      if (/[\w.]/.test(this.#source.charAt(this.#at))) throw new AwkSyntaxError('letters directly after a number');
      this.#tokens.push({ kind: 'number', text: number });
      return;
    }
    if (ch === '/' && this.#isRegexStart()) {
      this.#regex();
      return;
    }
    this.#operator();
  }

  #isRegexStart(): boolean {
    const previous = this.#tokens.at(-1);
    // mawk decides by the previous token alone, others by their grammar; here they disagree.
    const isUnclear =
      previous?.endsHead === true ||
      (previous?.kind === 'operator' && (previous.text === '++' || previous.text === '--') && !previous.isPostfix) ||
      (previous?.kind === 'name' && ['getline', 'length'].includes(baseName(previous.text)));
    if (isUnclear) throw new AwkSyntaxError(`/ after ${previous?.text}`);
    return !endsOperand(previous);
  }

  #string(): void {
    let value: string | null = '';
    let at = this.#at + 1;
    for (; ; at++) {
      const ch = this.#source.charAt(at);
      if (ch === '' || ch === '\n') throw new AwkSyntaxError('unterminated string');
      if (ch === '"') break;
      if (ch !== '\\') {
        if (value !== null) value += ch;
        continue;
      }
      const escaped = this.#source.charAt(++at);
      if (escaped === '') throw new AwkSyntaxError('unterminated string');
      const decoded = SIMPLE_ESCAPES[escaped];
      value = value === null || decoded === undefined ? null : value + decoded;
    }
    this.#tokens.push({ kind: 'string', text: this.#source.slice(this.#at, at + 1), value });
    this.#at = at + 1;
  }

  /** To the next `/` outside brackets; inside brackets it belongs to the expression, or awk rejects it. */
  #regex(): void {
    const start = this.#at++;
    for (;;) {
      const ch = this.#source.charAt(this.#at++);
      if (ch === '' || ch === '\n') throw new AwkSyntaxError('unterminated regular expression');
      if (ch === '/') break;
      if (ch === '\\' && this.#source.charAt(this.#at++) === '\n') throw new AwkSyntaxError('\\ at the end of a line');
      if (ch === '[') this.#bracket();
    }
    this.#tokens.push({ kind: 'regex', text: this.#source.slice(start, this.#at) });
  }

  #bracket(): void {
    this.#take(/\^?\]?/y);
    let hasSlash = false;
    let hasBracket = false;
    for (;;) {
      if (this.#take(/\[:[a-z]+:\]|\\[^\n]/y) !== null) continue;
      const ch = this.#source.charAt(this.#at++);
      if (ch === '' || ch === '\n' || ch === '\\') throw new AwkSyntaxError('unterminated [');
      if (ch === ']') break;
      // gawk counts `[:` as another bracket to close, regardless of the text after it.
      if (ch === '[' && /[:.=]/.test(this.#source.charAt(this.#at)))
        throw new AwkSyntaxError('malformed character class');
      hasSlash ||= ch === '/';
      hasBracket ||= ch === '[';
    }
    // awk versions count an unescaped `[` inside differently, so a `/` may or may not end the expression.
    if (hasSlash && hasBracket) throw new AwkSyntaxError('/ and [ inside of a bracket expression');
  }

  #operator(): void {
    const text = OPERATORS.find((operator) => this.#source.startsWith(operator, this.#at));
    if (text === undefined) throw new AwkSyntaxError(`unexpected ${this.#source.charAt(this.#at)}`);
    this.#at += text.length;
    if (text === '(' || text === '[' || text === '{') {
      this.#open.push({ bracket: text, isHead: text === '(' && this.#opensHead() });
    }
    if (text === ')' || text === ']' || text === '}') {
      const open = this.#open.pop();
      if (open === undefined || !['()', '[]', '{}'].includes(open.bracket + text)) {
        throw new AwkSyntaxError(`unmatched ${text}`);
      }
      this.#tokens.push({ kind: 'operator', text, endsHead: open.isHead });
      return;
    }
    const isPostfix = (text === '++' || text === '--') && endsOperand(this.#tokens.at(-1));
    this.#tokens.push({ kind: 'operator', text, isPostfix });
  }

  #opensHead(): boolean {
    const previous = this.#tokens.at(-1);
    const before = this.#tokens.at(-2);
    if (previous?.kind !== 'name') return false;
    return HEADS.has(previous.text) || (before?.kind === 'name' && /^func(tion)?$/.test(before.text));
  }
}
