// Shell text → how each character is quoted, and the quoted or expanded units of words; one linear pass.
// Only for questions about how text looks. Effects come from the facts, never from this file.

import type { Span } from '../../../../core/facts.ts';

export const PLAIN = 0;
const SINGLE = 1;
export const DOUBLE = 2;
const ANSI = 3;
export const ESCAPED = 4;
export const COMMENT = 5;
/** The body of a here-document: `LIVE` if bash expands it. */
const BODY = 6;
export const LIVE = 7;

export type UnitKind = 'single' | 'double' | 'ansi' | 'escape' | 'parameter' | 'substitution' | 'backquote';

export interface Unit {
  readonly kind: UnitKind;
  readonly start: number;
  readonly end: number;
  /** How many quotes and expansions are around it. */
  readonly depth: number;
  /** The quoting around it. */
  readonly around: number;
}

export interface Heredoc {
  /** As written, including quotes. */
  readonly delimiter: string;
  readonly isQuoted: boolean;
  readonly span: Span;
  readonly body: Span;
  readonly isClosed: boolean;
}

export interface Scan {
  readonly text: string;
  readonly states: Uint8Array;
  readonly units: readonly Unit[];
  readonly heredocs: readonly Heredoc[];
}

interface Frame {
  readonly kind: UnitKind | 'top' | 'arithmetic';
  readonly start: number;
  readonly close: string;
  readonly mark: number;
  parens: number;
}

const BEFORE_WORD = ' \t\n;&|()`';
const AFTER_WORD = ' \t\n;&|()<>';
const SPECIAL_PARAMETER = /[A-Za-z0-9_@*#?$!-]/;
/** Characters without a special meaning anywhere. */
const ORDINARY = /[\w./:=,@%+ \t-]+/y;
const NAME_CHARACTER = /[A-Za-z0-9_]/;

class Scanner {
  readonly states: Uint8Array;
  readonly units: Unit[] = [];
  readonly heredocs: Heredoc[] = [];
  private readonly stack: Frame[] = [{ kind: 'top', start: 0, close: '', mark: PLAIN, parens: 0 }];
  private pending: { delimiter: string; isQuoted: boolean; strip: boolean; span: Span }[] = [];
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
    this.states = new Uint8Array(text.length);
  }

  run(): Scan {
    while (this.at < this.text.length) {
      const frame = this.stack[this.stack.length - 1] as Frame;
      ORDINARY.lastIndex = this.at;
      if (ORDINARY.test(this.text)) this.mark(ORDINARY.lastIndex, frame.mark);
      else this.step(frame);
    }
    while (this.stack.length > 1) this.pop();
    this.units.sort((a, b) => a.start - b.start || b.end - a.end);
    return { text: this.text, states: this.states, units: this.units, heredocs: this.heredocs };
  }

  private step(frame: Frame): void {
    const c = this.text[this.at] as string;
    if (frame.close !== '' && frame.parens === 0 && this.text.startsWith(frame.close, this.at)) {
      this.mark(this.at + frame.close.length, frame.kind === 'double' ? DOUBLE : frame.mark);
      this.pop();
      return;
    }
    if (c === '\\') return this.escape(frame);
    if (c === '$' && this.expansion(frame)) return;
    if (c === '`') return this.push('backquote', 1, '`', PLAIN);
    if (c === '"' && frame.kind !== 'double') return this.push('double', 1, '"', DOUBLE);
    if (frame.kind !== 'double' && c === "'" && !(frame.kind === 'parameter' && frame.mark === DOUBLE)) {
      return this.quoted('single', SINGLE, 1, frame);
    }
    if (frame.kind === 'double' || frame.kind === 'parameter') return this.mark(this.at + 1, frame.mark);
    if (frame.kind !== 'arithmetic' && this.shellOnly(c)) return;
    if (c === '(') frame.parens++;
    else if (c === ')' && frame.parens > 0) frame.parens--;
    this.mark(this.at + 1, frame.mark);
  }

  /** Characters with a meaning only in command position. */
  private shellOnly(c: string): boolean {
    const { text, at } = this;
    const startsWord = at === 0 || BEFORE_WORD.includes(text[at - 1] as string);
    if (c === '#' && startsWord) {
      this.comment();
      return true;
    }
    if (c === '(' && startsWord && text[at + 1] === '(') {
      this.push('arithmetic', 2, '))', PLAIN);
      return true;
    }
    if (c === '<' && text[at + 1] === '<') {
      if (text[at + 2] === '<') this.mark(at + 3, PLAIN);
      else this.delimiter();
      return true;
    }
    if (c === '\n' && this.pending.length > 0) {
      this.mark(at + 1, PLAIN);
      for (const heredoc of this.pending) this.body(heredoc);
      this.pending = [];
      return true;
    }
    return false;
  }

  /** Backquotes end before a comment inside them does. */
  private comment(): void {
    const isInBackquotes = this.stack.some(({ kind }) => kind === 'backquote');
    let end = this.at;
    while (end < this.text.length && this.text[end] !== '\n' && !(isInBackquotes && this.text[end] === '`')) end++;
    this.mark(end, COMMENT);
  }

  private escape(frame: Frame): void {
    const isPlain = frame.kind !== 'double' && frame.mark === PLAIN;
    const end = Math.min(this.at + 2, this.text.length);
    if (isPlain) this.unit('escape', this.at, end, frame);
    this.mark(end, isPlain ? ESCAPED : frame.mark);
  }

  private expansion(frame: Frame): boolean {
    const next = this.text[this.at + 1] ?? '';
    const inside = frame.kind === 'double' || frame.mark === DOUBLE ? DOUBLE : PLAIN;
    if (next === '(' && this.text[this.at + 2] === '(') this.push('arithmetic', 3, '))', inside);
    else if (next === '(') this.push('substitution', 2, ')', PLAIN);
    else if (next === '{') this.push('parameter', 2, '}', inside);
    else if (next === "'" && inside === PLAIN) this.quoted('ansi', ANSI, 2, frame);
    else if (next === '"' && inside === PLAIN) this.push('double', 2, '"', DOUBLE);
    else if (SPECIAL_PARAMETER.test(next)) {
      let end = this.at + 2;
      if (/[A-Za-z_]/.test(next)) while (NAME_CHARACTER.test(this.text[end] ?? '')) end++;
      this.unit('parameter', this.at, end, frame);
      this.mark(end, frame.mark);
    } else return false;
    return true;
  }

  private quoted(kind: 'single' | 'ansi', state: number, opening: number, frame: Frame): void {
    const { text } = this;
    let end = this.at + opening;
    if (kind === 'single') end = text.indexOf("'", end);
    else while (end < text.length && text[end] !== "'") end += text[end] === '\\' ? 2 : 1;
    end = end === -1 ? text.length : Math.min(end + 1, text.length);
    this.unit(kind, this.at, end, frame);
    this.mark(end, state);
  }

  private delimiter(): void {
    const { text } = this;
    const start = this.at;
    let i = start + 2;
    const strip = text[i] === '-';
    if (strip) i++;
    while (text[i] === ' ' || text[i] === '\t') i++;
    const from = i;
    let word = '';
    while (i < text.length && !AFTER_WORD.includes(text[i] as string)) {
      const c = text[i] as string;
      const close = c === '"' || c === "'" ? text.indexOf(c, i + 1) : -1;
      if (close !== -1) {
        word += text.slice(i + 1, close);
        i = close + 1;
      } else {
        if (c === '\\') i++;
        word += text[i] ?? '';
        i++;
      }
    }
    const end = Math.min(i, text.length);
    const raw = text.slice(from, end);
    const isQuoted = /["'\\]/.test(raw);
    if (raw !== '') this.pending.push({ delimiter: word, isQuoted, strip, span: [from, end] });
    this.mark(end, PLAIN);
  }

  private body({ delimiter, isQuoted, strip, span }: (typeof this.pending)[number]): void {
    const { text } = this;
    const start = this.at;
    let isClosed = false;
    let bodyEnd = start;
    while (!isClosed && this.at < text.length) {
      bodyEnd = this.at;
      const newline = text.indexOf('\n', this.at);
      const lineEnd = newline === -1 ? text.length : newline;
      let from = this.at;
      if (strip) while (text[from] === '\t') from++;
      isClosed = lineEnd - from === delimiter.length && text.startsWith(delimiter, from);
      // The newline after the closing line belongs to the script again: it may start the next body.
      this.mark(isClosed ? lineEnd : Math.min(lineEnd + 1, text.length), isQuoted ? BODY : LIVE);
    }
    const body: Span = [start, isClosed ? bodyEnd : this.at];
    this.heredocs.push({ delimiter: text.slice(...span), isQuoted, span, body, isClosed });
    if (isClosed && this.pending.length > 1 && text[this.at] === '\n') this.mark(this.at + 1, PLAIN);
  }

  private push(kind: Frame['kind'], opening: number, close: string, mark: number): void {
    const outer = this.stack[this.stack.length - 1] as Frame;
    const start = this.at;
    this.mark(start + opening, kind === 'double' ? DOUBLE : outer.mark);
    this.stack.push({ kind, start, close, mark, parens: 0 });
  }

  private pop(): void {
    const frame = this.stack.pop() as Frame;
    const outer = this.stack[this.stack.length - 1] as Frame;
    const kind = frame.kind === 'arithmetic' ? 'parameter' : frame.kind;
    if (kind !== 'top') this.unit(kind, frame.start, this.at, outer);
  }

  private unit(kind: UnitKind, start: number, end: number, around: Frame): void {
    const depth = this.stack.length - 1;
    this.units.push({ kind, start, end, depth, around: around.mark });
  }

  private mark(end: number, state: number): void {
    if (state !== PLAIN) this.states.fill(state, this.at, end);
    this.at = end;
  }
}

export function scanText(text: string): Scan {
  return new Scanner(text).run();
}
