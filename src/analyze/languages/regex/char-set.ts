// Sets of characters in POSIX regular expressions: `a`, `.`, `[^[:space:]x-z]`, `\w`.
// Exact for ASCII in every locale; for other characters `Doubt` is thrown if the result depends on the locale.

/** The result is uncertain; the message explains why. */
export class Doubt extends Error {}

export interface CharSet {
  readonly ascii: Uint8Array;
  /** Non-ASCII characters that were named literally, and whether they belong. */
  readonly named: ReadonlySet<number>;
  readonly namedBelong: boolean;
  /** Whether all other non-ASCII characters belong. */
  readonly restBelongs: boolean;
  /** Characters that depend on the locale. */
  readonly doubtful: readonly RegExp[];
}

type AsciiTest = (code: number) => boolean;
interface CharClass {
  readonly test: AsciiTest;
  readonly doubtful: RegExp | null;
}

const LETTERS = /[\p{L}\p{M}\p{N}\p{S}]/u;
const SPACES = /[\p{Z}\p{C}]/u;
const ANY = /./su;
const isUpper: AsciiTest = (c) => c >= 65 && c <= 90;
const isLower: AsciiTest = (c) => c >= 97 && c <= 122;
const isDigit: AsciiTest = (c) => c >= 48 && c <= 57;
const isAlpha: AsciiTest = (c) => isUpper(c) || isLower(c);
const isAlnum: AsciiTest = (c) => isAlpha(c) || isDigit(c);
const isWord: AsciiTest = (c) => isAlnum(c) || c === 95;
const isSpace: AsciiTest = (c) => c === 32 || (c >= 9 && c <= 13);
const isGraph: AsciiTest = (c) => c > 32 && c < 127;

const CHAR_CLASSES: Readonly<Record<string, CharClass>> = {
  alpha: { test: isAlpha, doubtful: LETTERS },
  digit: { test: isDigit, doubtful: null },
  alnum: { test: isAlnum, doubtful: LETTERS },
  upper: { test: isUpper, doubtful: LETTERS },
  lower: { test: isLower, doubtful: LETTERS },
  space: { test: isSpace, doubtful: SPACES },
  blank: { test: (c) => c === 32 || c === 9, doubtful: SPACES },
  punct: { test: (c) => isGraph(c) && !isAlnum(c), doubtful: ANY },
  print: { test: (c) => isGraph(c) || c === 32, doubtful: ANY },
  graph: { test: isGraph, doubtful: ANY },
  cntrl: { test: (c) => c < 32 || c === 127, doubtful: ANY },
  xdigit: { test: (c) => isDigit(c) || (c >= 65 && c <= 70) || (c >= 97 && c <= 102), doubtful: null },
};
const WORD: CharClass = { test: isWord, doubtful: LETTERS };

export class CharSetBuilder {
  readonly #ascii = new Uint8Array(128);
  readonly #named = new Set<number>();
  readonly #doubtful: RegExp[] = [];

  addChar(code: number): this {
    if (code < 128) this.#ascii[code] = 1;
    else this.#named.add(code);
    return this;
  }

  addClass(name: string): this {
    const found = name === 'word' ? WORD : Object.hasOwn(CHAR_CLASSES, name) ? CHAR_CLASSES[name] : undefined;
    if (found === undefined) throw new Doubt(`unknown character class ${name}`);
    for (let code = 0; code < 128; code++) if (found.test(code)) this.#ascii[code] = 1;
    if (found.doubtful !== null) this.#doubtful.push(found.doubtful);
    return this;
  }

  /** Only ranges with the same meaning in every collation. */
  addRange(from: number, to: number): this {
    const sameKind = [isDigit, isLower, isUpper].some((test) => test(from) && test(to));
    if (!sameKind || from > to) throw new Doubt('a range whose meaning depends on the locale');
    for (let code = from; code <= to; code++) this.#ascii[code] = 1;
    this.#doubtful.push(LETTERS);
    return this;
  }

  build(options: { readonly negated: boolean; readonly ignoreCase: boolean }): CharSet {
    const ascii = new Uint8Array(this.#ascii);
    if (options.ignoreCase) {
      if (this.#named.size > 0) throw new Doubt('case of non-ASCII characters');
      for (let code = 65; code <= 90; code++) {
        const either = (ascii[code] ?? 0) | (ascii[code + 32] ?? 0);
        ascii[code] = either;
        ascii[code + 32] = either;
      }
    }
    if (options.negated) for (let code = 0; code < 128; code++) ascii[code] = 1 - (ascii[code] ?? 0);
    return {
      ascii,
      named: this.#named,
      namedBelong: !options.negated,
      restBelongs: options.negated,
      doubtful: this.#doubtful,
    };
  }
}

export const ANY_CHAR: CharSet = new CharSetBuilder().build({ negated: true, ignoreCase: false });

export function hasChar(set: CharSet, code: number): boolean {
  if (code < 128) return set.ascii[code] === 1;
  if (set.named.has(code)) return set.namedBelong;
  if (set.doubtful.length > 0) {
    const ch = String.fromCodePoint(code);
    if (set.doubtful.some((test) => test.test(ch)))
      throw new Doubt(`whether ${ch} is in a class depends on the locale`);
  }
  return set.restBelongs;
}

export function isWordChar(code: number): boolean {
  if (code < 128) return isWord(code);
  if (LETTERS.test(String.fromCodePoint(code))) throw new Doubt('word boundary next to a non-ASCII character');
  return false;
}
