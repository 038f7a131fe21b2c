// Text → the same without secrets; a placeholder names the kind of each. In linear time, for any text.
// Removes too much rather than too little. A reference to a secret (`$TOKEN`) is not a secret, and stays.

import { isSecretName, isSurelySecretName } from '../../core/names/secret-names.ts';
import { SHAPES } from './shapes.ts';

export interface Redactor {
  text(text: string): string;
  /** Words of a command: the one after `--password` is a secret too. */
  words(words: readonly string[]): string[];
}

/** Shorter values would match everywhere by chance. */
const MIN_VALUE = 6;
/** Shorter text has no room for a name and a secret. */
const MIN_TEXT = 6;

export function createRedactor(environment: Readonly<Record<string, string | undefined>>): Redactor {
  const values = secretValues(environment);
  const clean = new CleanTexts();
  const text = (input: string) => {
    if (clean.has(input)) return input;
    const redacted = redact(input, values);
    if (redacted === input) clean.add(input);
    return redacted;
  };
  return {
    text,
    words: (words) => words.map((word, at) => redactWord(word, words[at - 1], text)),
  };
}

/**
 * Folders, sessions, names of guarantees and repeated commands are frequent. Only texts without a secret are
 * cached: no secret is kept here longer than by the caller.
 */
class CleanTexts {
  static readonly #MOST = 2_000;
  static readonly #LONGEST = 1_000;
  readonly #texts = new Set<string>();

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  add(text: string): void {
    if (text.length > CleanTexts.#LONGEST) return;
    if (this.#texts.size >= CleanTexts.#MOST) this.#texts.clear();
    this.#texts.add(text);
  }
}

function mark(kind: string): string {
  return `[redacted:${kind}]`;
}

const MARK = /^\[redacted:[\w .-]+\]$/;

/** Longest first: one secret may be a prefix of another. */
function secretValues(environment: Readonly<Record<string, string | undefined>>): [name: string, value: string][] {
  const found: [string, string][] = [];
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined && value.length >= MIN_VALUE && isSecretName(name) && !isPlainValue(name, value))
      found.push([name, value]);
  return found.sort(([, a], [, b]) => b.length - a.length);
}

/** A path or a number with a secret's name would be removed from all text. */
function isPlainValue(name: string, value: string): boolean {
  return /^(?:~?\/[\w./-]*|true|false|\d{1,6})$/.test(value) || (!isSurelySecretName(name) && !looksRandom(value));
}

function redact(input: string, values: readonly (readonly [string, string])[]): string {
  if (input.length < MIN_TEXT) return input;
  let text = input;
  for (const [name, value] of values) if (text.includes(value)) text = text.replaceAll(value, mark(`variable ${name}`));
  if (text.includes('-----BEGIN')) text = withoutPrivateKeys(text);
  if (text.includes('://')) text = text.replace(CREDENTIALS, replaceCredentials);
  if (ANY_SHAPE.test(text)) for (const { kind, pattern } of SHAPES) text = text.replace(pattern, mark(kind));
  text = text.replace(HEADER, replaceHeader);
  if (LOGIN_TOOL.test(text)) text = text.replace(LOGIN, (_, before: string) => `${before}${mark('password')}`);
  if (text.includes('-p')) text = text.replace(GLUED_PASSWORD, (_, before: string) => `${before}${mark('password')}`);
  return /[=:]|--/.test(text) ? withoutAssigned(text) : text;
}

const ANY_SHAPE = new RegExp(SHAPES.map(({ pattern }) => pattern.source).join('|'));

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** One without an end marker extends to the end of the text: the rest may be part of the key. */
function withoutPrivateKeys(text: string): string {
  let out = '';
  let at = 0;
  for (;;) {
    KEY_BEGIN.lastIndex = at;
    const begin = KEY_BEGIN.exec(text);
    if (begin === null) return out + text.slice(at);
    out += text.slice(at, begin.index) + mark('private-key');
    KEY_END.lastIndex = KEY_BEGIN.lastIndex;
    if (KEY_END.exec(text) === null) return out;
    at = KEY_END.lastIndex;
  }
}

/** `scheme://user:password@`. A password may contain an @: the last one before the path counts. */
const CREDENTIALS = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)([^\s/?#'"<>`]{1,512})@/gi;

function replaceCredentials(whole: string, scheme: string, info: string): string {
  if (MARK.test(info)) return whole;
  const colon = info.indexOf(':');
  if (colon !== -1) {
    const password = info.slice(colon + 1);
    return isReference(password) ? whole : `${scheme}${info.slice(0, colon)}:${mark('url-password')}@`;
  }
  // `ssh://git@host` is a user name; over http a lone name is a token.
  return /^https?:/i.test(scheme) && !isReference(info) ? `${scheme}${mark('url-user')}@` : whole;
}

const HEADER =
  /((?:authorization|(?:set-)?cookie)["'\\]{0,3}\s{0,3}[:=]\s{0,3}["'\\]{0,3})((?:basic|bearer|token|digest|negotiate|apikey|aws4-hmac-sha256)\s{1,3})?(?!\s)([^"'\r\n\\]{1,8192})/gi;

function replaceHeader(whole: string, name: string, scheme: string | undefined, value: string): string {
  return isReference(value) || MARK.test(value) ? whole : `${name}${scheme ?? ''}${mark('header')}`;
}

const LOGIN_TOOL = /\b(?:curl|wget|https?|xh)\b/;
/** `curl -u name:password`, not `-u 1000:1000`. */
const LOGIN =
  /((?<!\S)(?:-u|-U|--user|--proxy-user)[\s=]{0,3}["']?[^\s:"'$]{1,128}:)(?!\d{1,6}(?:\s|$))(?!\$)[^\s"']{1,512}/g;
/** `mysql -psecret`, `sshpass -p secret`. */
const GLUED_PASSWORD =
  /(\b(?:mysql|mysqldump|mysqladmin|mariadb|sshpass)\s(?:[^\n|;&]{0,200}?\s)?-p(?:(?<=sshpass\s{1,3}-p)\s{0,3})?["']?)(?![\s$"'[])[^\s"']{1,256}/g;

const NAME_AND_SEPARATOR = /(?<![\w.-])(--?)?([A-Za-z_][\w.-]{1,80})(["'\\]{0,3}\s{0,3}[=:]\s{0,3}|\s{1,3})/g;
const VALUE =
  /(?:\[redacted:[\w .-]+\]|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\\["'][^\s"'\\]*\\["']|\\[^\n]|[^\s"'\\&;|<>(),}\]])+|["'][^\n]*/y;

/** `NAME=value`, `"name": "value"`, `?name=value&`, `--name value`. */
function withoutAssigned(text: string): string {
  let out = '';
  let copied = 0;
  NAME_AND_SEPARATOR.lastIndex = 0;
  for (let found = NAME_AND_SEPARATOR.exec(text); found !== null; found = NAME_AND_SEPARATOR.exec(text)) {
    const start = NAME_AND_SEPARATOR.lastIndex;
    const isNextWord = (found[3] as string).trim() === '';
    if (isNextWord && found[1] === undefined) continue;
    const name = (found[2] as string).replace(/[.-]/g, '_');
    if (!isSecretName(name) && !isSurelySecretName(name)) continue;
    VALUE.lastIndex = start;
    const value = VALUE.exec(text)?.[0];
    if (value === undefined || !isSecretValue(name, value, isNextWord)) continue;
    const quote = /^["']/.exec(value)?.[0] ?? '';
    out += `${text.slice(copied, start)}${quote}${mark('value')}${quote}`;
    copied = start + value.length;
    NAME_AND_SEPARATOR.lastIndex = copied;
  }
  return out + text.slice(copied);
}

function isSecretValue(name: string, written: string, isNextWord: boolean): boolean {
  const value = written.replace(/^\\?["']|\\?["']$/g, '');
  if (value === '' || MARK.test(value)) return false;
  if (isReference(value) && !written.startsWith("'")) return false;
  if (isNextWord && written.startsWith('-')) return false;
  if (/TOKENS$/i.test(name) && /^\d{1,9}$/.test(value)) return false;
  if (/_(?:FILE|PATH|DIR|SOCK)$/i.test(name) && /^[~./]/.test(value)) return false;
  return isSurelySecretName(name) ? !isNextWord || !/^[|;&]/.test(value) : looksRandom(value);
}

function isReference(value: string): boolean {
  return /^\$[A-Za-z_{(]/.test(value);
}

/** Eight characters or more, of many kinds, and not a path. */
function looksRandom(value: string): boolean {
  if (value.length < 8 || /^[~./]/.test(value)) return false;
  const sample = value.slice(0, 256);
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^\sA-Za-z0-9]/].filter((kind) => kind.test(sample)).length;
  return kinds >= 2 && new Set(sample).size >= Math.min(10, sample.length / 2 + 2);
}

const SECRET_OPTION = /^--?([A-Za-z][\w-]*)$/;

function redactWord(word: string, before: string | undefined, text: (input: string) => string): string {
  const option = SECRET_OPTION.exec(before ?? '')?.[1];
  if (option === undefined || word.startsWith('-') || isReference(word)) return text(word);
  if (isSurelySecretName(option.replaceAll('-', '_'))) return mark('value');
  const colon = word.indexOf(':');
  const isLogin = /^(?:u|U|user|proxy-user)$/.test(option) && colon > 0 && !/^\d+:\d+$/.test(word);
  return isLogin ? `${word.slice(0, colon + 1)}${mark('password')}` : text(word);
}
