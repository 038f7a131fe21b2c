// One-liners of Python and JavaScript that only print literals and small arithmetic: `print(1+1)`, `console.log("a")`.
// Everything else is code, and so is what could fail: to show an error, Python imports modules from the current folder.

const MAX_LENGTH = 1_000;
const NUMBER = /^(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?![\w.])/;
/** Without escapes, and without a prefix. */
const STRING = /^(?:"[^"\\\n]*"|'[^'\\\n]*')/;

const LANGUAGES = {
  python: { print: /^print\(/, constant: /^(?:True|False|None)\b/ },
  javascript: { print: /^console\.(?:log|error)\(/, constant: /^(?:true|false|null|undefined)\b/ },
} as const;

export type LiteralLanguage = keyof typeof LANGUAGES;

export function isLiteralCode(text: string, language: LiteralLanguage): boolean {
  return text.length <= MAX_LENGTH && new Reader(text, language).isProgram();
}

class Reader {
  #rest: string;
  readonly #language: (typeof LANGUAGES)[LiteralLanguage];

  constructor(text: string, language: LiteralLanguage) {
    this.#rest = text;
    this.#language = LANGUAGES[language];
  }

  /** Statements, separated by `;`. */
  isProgram(): boolean {
    do {
      if (this.#rest.trim() === '') return true;
      if (!this.#isStatement()) return false;
    } while (this.#takes(/^;/));
    return this.#rest.trim() === '';
  }

  #isStatement(): boolean {
    if (!this.#takes(this.#language.print)) return this.#isValue();
    if (this.#takes(/^\)/)) return true;
    do if (!this.#isValue()) return false;
    while (this.#takes(/^,/));
    return this.#takes(/^\)/);
  }

  #isValue(): boolean {
    return this.#takes(STRING) || this.#takes(this.#language.constant) || this.#isSum();
  }

  #isSum(): boolean {
    do if (!this.#isTerm()) return false;
    while (this.#takes(/^(?:[-+]|\*(?!\*))(?!\s*[-+])/) || this.#isDivided());
    return true;
  }

  /** By a number that is not zero, which ends the sum or continues it. */
  #isDivided(): boolean {
    return this.#takes(/^[/%]\s*[1-9]\d{0,14}(?![\w.])\s*(?:[-+](?!\s*[-+])|\*(?!\*))/);
  }

  #isTerm(): boolean {
    this.#takes(/^-(?!-)/);
    const isTerm = this.#takes(NUMBER) || (this.#takes(/^\(/) && this.#isSum() && this.#takes(/^\)/));
    // `10/2`, with nothing after it.
    if (isTerm) this.#takes(/^[/%]\s*[1-9]\d{0,14}(?![\w.])(?!\s*[-+*/%])/);
    return isTerm;
  }

  #takes(token: RegExp): boolean {
    const rest = this.#rest.replace(/^[ \t]+/, '');
    const found = token.exec(rest);
    if (found !== null) this.#rest = rest.slice(found[0].length);
    return found !== null;
  }
}
