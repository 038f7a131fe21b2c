// Hints: `<claude-code-hint a="b" />` in the output of a command is removed from the text and passed to the host.
// Anything except a complete, well-formed tag stays in the text. Hints are written by the command: never trust them.

export interface Hint {
  readonly attributes: Readonly<Record<string, string>>;
}

export interface HintedText {
  readonly text: string;
  readonly hints: readonly Hint[];
}

const OPENING = '<claude-code-hint';
/** Longer tags stay text: an open quote must not delay the rest of the output. */
const MAX_TAG_LENGTH = 4_096;
const MAX_ATTRIBUTES = 32;
/** Further tags stay text, so that unlimited output cannot be hidden in them. */
const MAX_HINTS = 64;

export function extractHints(text: string): HintedText {
  const filter = new HintFilter();
  const first = filter.push(text);
  const last = filter.end();
  return { text: first.text + last.text, hints: [...first.hints, ...last.hints] };
}

/** The same for text in chunks, split anywhere. Buffers at most one unfinished tag. */
export class HintFilter {
  #tag: TagReader | null = null;
  /** The tag started a line; then the line break after it is removed too. */
  #isAtLineStart = true;
  #swallow: 'no' | 'line-break' | 'line-feed' = 'no';
  #count = 0;

  push(chunk: string): HintedText {
    const text: string[] = [];
    const hints: Hint[] = [];
    let at = 0;
    if (this.#swallow !== 'no' && chunk !== '') at = this.#swallowLineBreak(chunk, text);
    while (at < chunk.length) {
      if (this.#tag === null) {
        const start = this.#count >= MAX_HINTS ? -1 : findOpening(chunk, at);
        const end = start === -1 ? chunk.length : start;
        this.#emit(text, chunk.slice(at, end));
        at = end;
        if (start !== -1) this.#tag = new TagReader();
        continue;
      }
      const state = this.#tag.read(chunk.charAt(at));
      if (state === 'more') at++;
      else if (state === 'broken') this.#giveUp(text);
      else {
        hints.push({ attributes: this.#tag.attributes });
        this.#tag = null;
        this.#count++;
        at++;
        if (this.#isAtLineStart) this.#swallow = 'line-break';
        if (this.#isAtLineStart && at < chunk.length) at += this.#swallowLineBreak(chunk.slice(at, at + 2), text);
      }
    }
    return { text: text.join(''), hints };
  }

  /** End of the output: buffered text is text. */
  end(): HintedText {
    const text: string[] = [];
    if (this.#tag !== null) this.#giveUp(text);
    if (this.#swallow === 'line-feed') text.push('\r');
    this.#swallow = 'no';
    return { text: text.join(''), hints: [] };
  }

  #emit(text: string[], piece: string): void {
    if (piece === '') return;
    text.push(piece);
    this.#isAtLineStart = piece.endsWith('\n');
  }

  /** The character that broke the tag is read again: it may start another. */
  #giveUp(text: string[]): void {
    this.#emit(text, this.#tag?.text ?? '');
    this.#tag = null;
  }

  /** Number of characters of `rest` that are removed with the tag; a CR alone stays in the text. */
  #swallowLineBreak(rest: string, text: string[]): number {
    const hasReturn = this.#swallow === 'line-feed';
    this.#swallow = 'no';
    if (rest.startsWith('\n')) return 1;
    if (hasReturn) this.#emit(text, '\r');
    else if (rest.startsWith('\r\n')) return 2;
    else if (rest === '\r') {
      this.#swallow = 'line-feed';
      return 1;
    }
    return 0;
  }
}

/** Where a tag starts, or may start once the next chunk is known; -1 if none does. At most one pass per character. */
function findOpening(chunk: string, from: number): number {
  const whole = chunk.indexOf(OPENING, from);
  if (whole !== -1) return whole;
  for (let length = Math.min(OPENING.length - 1, chunk.length - from); length > 0; length--)
    if (chunk.endsWith(OPENING.slice(0, length))) return chunk.length - length;
  return -1;
}

type Place = 'opening' | 'between' | 'name' | 'equals' | 'quote' | 'value' | 'space-needed' | 'slash';

/** One tag, one character at a time, so that text in chunks costs no more than text in one piece. */
class TagReader {
  text = '';
  readonly #attributes = new Map<string, string>();
  #place: Place = 'opening';
  #name = '';
  #value = '';
  #quote = '';

  get attributes(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#attributes);
  }

  /** `broken` does not consume the character. */
  read(char: string): 'more' | 'done' | 'broken' {
    if (this.#place === 'slash') return char === '>' && this.#attributes.size > 0 ? 'done' : 'broken';
    const next = this.text.length < MAX_TAG_LENGTH ? this.#step(char) : null;
    if (next === null) return 'broken';
    this.#place = next;
    this.text += char;
    return 'more';
  }

  #step(char: string): Place | null {
    switch (this.#place) {
      case 'opening':
        if (char !== OPENING.charAt(this.text.length)) return null;
        return this.text.length + 1 === OPENING.length ? 'space-needed' : 'opening';
      case 'space-needed':
        return isSpace(char) ? 'between' : char === '/' ? 'slash' : null;
      case 'between':
        if (isSpace(char)) return 'between';
        if (char === '/') return 'slash';
        this.#name = char;
        return /[A-Za-z_]/.test(char) ? 'name' : null;
      case 'name':
        if (char === '=') return 'quote';
        if (isSpace(char)) return 'equals';
        this.#name += char;
        return /[\w.:-]/.test(char) ? 'name' : null;
      case 'equals':
        return isSpace(char) ? 'equals' : char === '=' ? 'quote' : null;
      case 'quote':
        if (isSpace(char)) return 'quote';
        this.#quote = char;
        this.#value = '';
        return char === '"' || char === "'" ? 'value' : null;
      case 'value':
        if (char !== this.#quote) return this.#addToValue(char);
        return this.#addAttribute() ? 'space-needed' : null;
      case 'slash':
        return null;
    }
  }

  /** `<` ends the attempt, as in XML: it may start the real tag. Control characters are not allowed in a hint. */
  #addToValue(char: string): Place | null {
    if (char === '<' || (char < ' ' && !isSpace(char)) || char === '\x7f') return null;
    this.#value += char;
    return 'value';
  }

  #addAttribute(): boolean {
    if (this.#attributes.has(this.#name) || this.#attributes.size >= MAX_ATTRIBUTES) return false;
    this.#attributes.set(this.#name, decodeEntities(this.#value));
    return true;
  }
}

function isSpace(char: string): boolean {
  return char === ' ' || char === '\t' || char === '\n' || char === '\r';
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] as string);
}
