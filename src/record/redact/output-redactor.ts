// Output as it comes, cut anywhere → the same without secrets. A line that is not finished is held back, so that a secret
// which was cut in two is found; a private key is left out up to its end.

import { createRedactor, type Redactor } from './redactor.ts';

/** A line may be longer: then it is shown in parts. */
const MAX_HELD = 8192;
/** Longer than any key: what has no end by then was none. */
const MAX_KEY = 1 << 15;
const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/g;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

export class OutputRedactor {
  readonly #redactor: Redactor;
  #held = '';
  /** How much of a key was left out; null outside of one. */
  #keyLength: number | null = null;

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.#redactor = createRedactor(environment);
  }

  /** What was given and not shown yet. */
  get held(): string {
    return this.#held;
  }

  push(text: string): string {
    const whole = this.#held + text;
    const end = Math.max(whole.lastIndexOf('\n'), whole.lastIndexOf('\r')) + 1;
    const cut = end === 0 && whole.length > MAX_HELD ? whole.length : end;
    this.#held = whole.slice(cut);
    return this.#redact(whole.slice(0, cut));
  }

  /** Shows what was held back: at the end, or when nothing comes for a while. */
  flush(): string {
    const text = this.#held;
    this.#held = '';
    return this.#redact(text);
  }

  #redact(text: string): string {
    const rest = this.#keyLength === null ? text : this.#afterKey(text, this.#keyLength);
    if (rest === '') return '';
    const begin = [...rest.matchAll(KEY_BEGIN)].at(-1)?.index;
    const isOpen = begin !== undefined && rest.slice(begin).search(KEY_END) === -1;
    if (isOpen) this.#keyLength = rest.length - begin;
    return this.#redactor.text(rest);
  }

  #afterKey(text: string, length: number): string {
    const end = [...text.matchAll(KEY_END)][0];
    if (end === undefined && length + text.length <= MAX_KEY) {
      this.#keyLength = length + text.length;
      return '';
    }
    this.#keyLength = null;
    return end === undefined ? text : text.slice(end.index + end[0].length);
  }
}
