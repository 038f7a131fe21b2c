// Builds the words that one shell word expands to: pieces in, fields out.
// After a piece with unknown splitting, the rest of the word is one dynamic value.

import type { Span, WordValue } from '../../core/facts.ts';

/** `a=$a$a` doubles with each repetition: values longer than any real word are not followed. */
const MAX_TEXT = 20_000;
const MAX_WORDS = 1_000;
const GLOB_SPECIAL = /[\\*?[\]]/g;
const BLANKS = /[ \t\n]+/;

export class Fields {
  readonly words: WordValue[] = [];
  private readonly span: Span;
  private text = '';
  private glob = '';
  /** The certain prefix of the field, after something uncertain. */
  private head: string | null = null;
  private started = false;
  private hasGlob = false;
  private isDynamic = false;
  private isMany = false;
  /** Nothing added so far can make a word that starts with `-`. */
  private isPlain = false;

  constructor(span: Span) {
    this.span = span;
  }

  literal(text: string): void {
    this.started = true;
    if (this.text.length + text.length > MAX_TEXT) {
      this.unknown();
      return;
    }
    // The text before it may be empty.
    if (this.isDynamic && text.startsWith('-')) this.isPlain = false;
    this.text += text;
    if (this.hasGlob) this.glob += escapeGlob(text);
  }

  pattern(source: string): void {
    this.started = true;
    this.isPlain = false;
    this.head ??= this.text;
    if (!this.hasGlob) this.glob = escapeGlob(this.text);
    this.hasGlob = true;
    this.text += source;
    this.glob += source;
  }

  /** An unknown value that is one piece of this field. */
  unknown(head = '', isPlain = false): void {
    this.isPlain = isPlain && (!this.started || this.isPlain);
    this.started = true;
    this.head ??= this.text + head;
    this.isDynamic = true;
  }

  /** An unquoted unknown value: it may vanish, split or match files. */
  unknownMany(head = '', isPlain = false): void {
    this.unknown(head, isPlain);
    this.isMany = true;
  }

  /** An unquoted expansion of known text: split at blanks, then matched against files. */
  split(text: string): void {
    if (text === '') return;
    if (text.includes('\\')) {
      this.unknownMany();
      return;
    }
    const pieces = text.split(BLANKS);
    pieces.forEach((piece, i) => {
      if (i > 0) this.boundary();
      if (piece === '') return;
      if (/[*?[]/.test(piece)) this.pattern(piece);
      else this.literal(piece);
    });
  }

  boundary(): void {
    if (this.words.length >= MAX_WORDS) this.unknownMany();
    if (!this.isMany) this.flush();
  }

  finish(): WordValue[] {
    this.flush();
    return this.words;
  }

  private flush(): void {
    if (this.started) this.words.push(this.field());
    this.text = '';
    this.glob = '';
    this.head = null;
    this.started = false;
    this.hasGlob = false;
    this.isDynamic = false;
    this.isPlain = false;
  }

  private field(): WordValue {
    if (this.isDynamic) {
      const plain = this.isPlain ? ({ isPlain: true } as const) : {};
      return { kind: 'dynamic', head: this.head ?? '', many: this.isMany, ...plain, span: this.span };
    }
    if (this.hasGlob) return { kind: 'pattern', glob: this.glob, head: this.head ?? '', span: this.span };
    return { kind: 'literal', value: this.text, span: this.span };
  }
}

function escapeGlob(text: string): string {
  return text.replace(GLOB_SPECIAL, '\\$&');
}
