// The characters of a sed script, in the units that its commands use (GNU sed: labels, texts, delimited parts).
// Throws `SedSyntaxError` for bad syntax, and for text that versions of sed are known to parse differently.

export class SedSyntaxError extends Error {}

export interface Delimited {
  readonly text: string;
  /** The delimiter was inside, escaped, and lost its backslash. */
  readonly escapedDelimiter: boolean;
}

const BLANK = /^[ \t]$/;
const SPACE = /^[ \t\n\v\f\r]$/;
const DIGIT = /^[0-9]$/;
const CONTROL_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  f: '\f',
  n: '\n',
  '\n': '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const NUMBER_ESCAPES: Readonly<Record<string, { readonly base: number; readonly digits: RegExp }>> = {
  d: { base: 10, digits: /^[0-9]{1,3}/ },
  o: { base: 8, digits: /^[0-7]{1,3}/ },
  x: { base: 16, digits: /^[0-9a-fA-F]{1,2}/ },
};

/** The text of `a`, `i`, `c`, `e` and both halves of `y` after unescaping. */
export function unescapeText(text: string): string {
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const ch = text.charAt(i);
    if (ch !== '\\' || i + 1 >= text.length) {
      out += ch;
      continue;
    }
    const escaped = text.charAt(++i);
    const number = NUMBER_ESCAPES[escaped];
    if (escaped === 'c') throw new SedSyntaxError('\\c escape');
    if (number === undefined) {
      out += CONTROL_ESCAPES[escaped] ?? escaped;
      continue;
    }
    const digits = number.digits.exec(text.slice(i + 1))?.[0];
    if (digits === undefined) throw new SedSyntaxError(`\\${escaped} without digits`);
    const code = Number.parseInt(digits, number.base);
    // A byte from 128 up is half a character in UTF-8, and 256 wraps around.
    if (code === 0 || code > 127) throw new SedSyntaxError(`\\${escaped}${digits} is not an ASCII character`);
    out += String.fromCharCode(code);
    i += digits.length;
  }
  return out;
}

export class SedReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next character, or `''` at the end. */
  next(): string {
    return this.#text.charAt(this.#at++);
  }

  back(): void {
    this.#at--;
  }

  nextNonBlank(): string {
    let ch = this.next();
    while (BLANK.test(ch)) ch = this.next();
    return ch;
  }

  /** The first character of the next command. */
  nextCommand(): string {
    let ch = this.next();
    while (ch === ';' || SPACE.test(ch)) ch = this.next();
    return ch;
  }

  skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  endOfCommand(): void {
    const ch = this.nextNonBlank();
    if (ch === '}' || ch === '#') this.back();
    else if (ch !== '' && ch !== '\n' && ch !== ';') throw new SedSyntaxError('extra characters after command');
  }

  /** Digits starting with `first`; 0 if there are none, as in sed. */
  integer(first: string): number {
    let digits = '';
    let ch = first;
    while (DIGIT.test(ch)) {
      digits += ch;
      ch = this.next();
    }
    this.back();
    if (digits.length > 15) throw new SedSyntaxError('number too large');
    return Number(digits);
  }

  label(): string {
    let label = '';
    let ch = this.nextNonBlank();
    while (ch !== '' && ch !== '\n' && ch !== ';' && ch !== '}' && ch !== '#' && !BLANK.test(ch)) {
      label += ch;
      ch = this.next();
    }
    // Before 4.9 `#` is part of a label, and text after a `;` there is not a comment.
    if (ch === '#') throw new SedSyntaxError('comment directly after a label');
    this.back();
    return label;
  }

  /** To the end of the line, with any content: `w f;p` and `w f }` name unusual files. */
  fileName(): string {
    const first = this.nextNonBlank();
    this.back();
    const from = this.#at;
    this.skipLine();
    const name = this.#text.slice(from, this.#at);
    if (first === '' || name === '') throw new SedSyntaxError('missing file name');
    return name;
  }

  /** The text of `a`, `i`, `c` and `e`, which starts with `first`: one line, or more if each but the last ends in `\`. */
  textBlock(first: string): string {
    let raw = '';
    let ch = first;
    if (ch === '') throw new SedSyntaxError('expected \\ after a, c or i');
    if (ch === '\\') {
      ch = this.next();
      // `$a\` without any text is the known way to end a file with a newline.
      if (ch === '') return '';
      if (ch === '\\') throw new SedSyntaxError('incomplete text');
      if (ch !== '\n') raw = ch;
      ch = this.next();
    } else if (ch === '\n') {
      throw new SedSyntaxError('expected \\ after a, c or i');
    }
    while (ch !== '' && ch !== '\n') {
      raw += ch;
      if (ch === '\\') {
        ch = this.next();
        if (ch === '') throw new SedSyntaxError('incomplete text');
        raw += ch;
      }
      ch = this.next();
    }
    return `${unescapeText(raw)}\n`;
  }

  delimiter(): string {
    const ch = this.next();
    if (ch === '' || ch === '\n' || ch === '\\' || ch > '\x7e') throw new SedSyntaxError('delimiter');
    return ch;
  }

  delimited(delimiter: string, kind: 'regex' | 'text'): Delimited {
    let text = '';
    let escapedDelimiter = false;
    for (;;) {
      let ch = this.next();
      if (ch === '' || ch === '\n') throw new SedSyntaxError('unterminated command or address');
      if (ch === delimiter) return { text, escapedDelimiter };
      if (ch === '\\') {
        ch = this.next();
        if (ch === '') throw new SedSyntaxError('unterminated command or address');
        if (ch === delimiter) escapedDelimiter = true;
        if (ch !== '\n' && (ch !== delimiter || (kind === 'text' && ch === '&'))) text += '\\';
        text += ch;
      } else if (ch === '[' && kind === 'regex') {
        text += ch + this.#bracket();
      } else {
        text += ch;
      }
    }
  }

  /** The rest of a bracket expression, in which neither the delimiter nor a backslash is special. */
  #bracket(): string {
    let text = '';
    let ch = this.next();
    if (ch === '^') {
      text += ch;
      ch = this.next();
    }
    if (ch === ']') {
      text += ch;
      ch = this.next();
    }
    for (;;) {
      if (ch === '' || ch === '\n') throw new SedSyntaxError('unterminated [');
      text += ch;
      if (ch === ']') return text;
      const kind = this.next();
      if (ch === '[' && (kind === ':' || kind === '.' || kind === '=')) {
        const close = this.#text.indexOf(`${kind}]`, this.#at);
        const inside = close < 0 ? '\n' : this.#text.slice(this.#at, close);
        // `::]` does not close the class for sed.
        if (inside.includes('\n') || inside.includes(kind)) throw new SedSyntaxError('unterminated [');
        text += `${kind}${inside}${kind}]`;
        this.#at = close + 2;
        ch = this.next();
      } else {
        ch = kind;
      }
    }
  }
}
