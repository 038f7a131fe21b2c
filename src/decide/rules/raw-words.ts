// Raw text of a command → the words in it, regardless of how the shell would parse them.
// Used only to let bans match if the analysis is uncertain: it splits too much rather than too little.

import type { Span } from '../../core/facts.ts';

export interface RawWord {
  readonly text: string;
  readonly span: Span;
}

const MAX_WORDS = 4000;
const BREAKS = new Set([...' \t\r\n;&|()<>`']);
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  v: '\v',
};

/** Quotes and backslashes are removed, `$'…'` is decoded, and `$IFS` counts as a blank. */
export function rawWords(text: string, offset = 0): readonly RawWord[] {
  const hasBraces = /\{[^}]*,/.test(text);
  const words: RawWord[] = [];
  let word = '';
  let start = 0;
  let ansi = false;
  const finish = (end: number) => {
    if (word !== '' && words.length < MAX_WORDS) words.push({ text: word, span: [start + offset, end + offset] });
    word = '';
  };
  const add = (chars: string, at: number) => {
    for (const char of chars) {
      if (BREAKS.has(char)) finish(at);
      else {
        if (word === '') start = at;
        word += char;
      }
    }
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (char === '$' && text[i + 1] === "'") {
      ansi = true;
      i++;
    } else if (char === "'" || char === '"') {
      if (char === "'") ansi = false;
    } else if (char === '\\') {
      const decoded = ansi
        ? ansiEscape(text, i)
        : { value: text[i + 1] === '\n' ? '' : (text[i + 1] ?? ''), length: 2 };
      add(decoded.value, i);
      i += decoded.length - 1;
    } else if (char === '$') {
      const ifs = /^\$(?:IFS\b|\{IFS[^}]{0,40}\})/.exec(text.slice(i, i + 50))?.[0];
      if (ifs !== undefined) {
        finish(i);
        i += ifs.length - 1;
      } else if (text[i + 1] !== '"') add(char, i);
    } else if (hasBraces && (char === '{' || char === '}' || char === ',')) finish(i);
    else add(char, i);
  }
  finish(text.length);
  return words;
}

function ansiEscape(text: string, at: number): { value: string; length: number } {
  const match = /^\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.))/s.exec(
    text.slice(at, at + 10),
  );
  if (match === null) {
    const next = text[at + 1] ?? '';
    return { value: ESCAPES[next] ?? next, length: 2 };
  }
  const [all, x, u, long, octal, control] = match;
  const code =
    control !== undefined
      ? control.charCodeAt(0) & 31
      : Number.parseInt(x ?? u ?? long ?? octal ?? '0', octal === undefined ? 16 : 8);
  return { value: code <= 0x10ffff ? String.fromCodePoint(code) : '', length: all.length };
}

/** Quotes within quotes within quotes: every quote and backslash is removed, every escape is decoded. Empty if there are none. */
export function bareWords(text: string): readonly RawWord[] {
  if (!text.includes('\\')) return [];
  const decoded = text
    .replace(/\$(?=\\{0,9}['"])/g, '')
    .replace(
      /\\(?:x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3})/g,
      (code) => ansiEscape(code, 0).value,
    );
  const span: Span = [0, text.length];
  return rawWords(decoded.replace(/['"\\]/g, '')).map((word) => ({ text: word.text, span }));
}
