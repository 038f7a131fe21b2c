// Brace expansion, as bash does it: on the raw text of a word, before everything else.
// `null`: nothing to expand. `'unknown'`: bash would expand, but the result is not followed (too many, unusual characters).

const MAX_WORDS = 256;

export function expandBraces(text: string): readonly string[] | 'unknown' | null {
  if (!text.includes('{')) return null;
  try {
    const words = expand(text, 0);
    return words.length === 1 && words[0] === text ? null : words;
  } catch (error) {
    if (error instanceof Unfollowed) return 'unknown';
    throw error;
  }
}

class Unfollowed extends Error {}

function expand(text: string, depth: number): string[] {
  if (depth > 32) throw new Unfollowed();
  const open = findOpening(text);
  if (open === -1) return [text];
  const start = open + 1;
  const end = gobble(text, start, '}');
  if (end === -1) return [text];
  const amble = text.slice(start, end);
  let middle: string[];
  if (hasSeparator(amble)) {
    middle = expandAmble(amble, depth);
  } else {
    const sequence = expandSequence(amble);
    if (sequence) middle = sequence;
    else if (end + 1 < text.length) middle = [text.slice(open, end + 1)];
    else return [text];
  }
  const before = text.slice(0, open);
  let words = middle.map((word) => before + word);
  if (end + 1 < text.length) words = product(words, expand(text.slice(end + 1), depth + 1));
  if (words.length > MAX_WORDS) throw new Unfollowed();
  return words;
}

function product(heads: readonly string[], tails: readonly string[]): string[] {
  if (heads.length * tails.length > MAX_WORDS) throw new Unfollowed();
  return heads.flatMap((head) => tails.map((tail) => head + tail));
}

function findOpening(text: string): number {
  let i = 0;
  for (;;) {
    const open = gobble(text, i, '{');
    if (open === -1) return -1;
    if (gobble(text, open + 1, '}') !== -1) return open;
    i = open + 1;
  }
}

function expandAmble(amble: string, depth: number): string[] {
  const words: string[] = [];
  let start = 0;
  for (;;) {
    const comma = gobble(amble, start, ',');
    words.push(...expand(comma === -1 ? amble.slice(start) : amble.slice(start, comma), depth + 1));
    if (words.length > MAX_WORDS) throw new Unfollowed();
    if (comma === -1) return words;
    start = comma + 1;
  }
}

/** Bash ignores quotes when it looks for the comma here; only a backslash hides one. */
function hasSeparator(amble: string): boolean {
  for (let i = 0; i < amble.length; i++) {
    if (amble[i] === '\\') i++;
    else if (amble[i] === ',') return true;
  }
  return false;
}

/** The next `wanted` at this level outside quotes and substitutions; a `}` only counts after `,` or `..`. */
function gobble(text: string, from: number, wanted: '{' | '}' | ','): number {
  let level = 0;
  let quoted = '';
  let separators = wanted === '}' ? 0 : 1;
  let i = from;
  while (i < text.length) {
    const char = text[i] as string;
    const next = text[i + 1];
    if (char === '\\' && quoted !== "'") {
      i += 2;
      continue;
    }
    if (char === '$' && next === "'" && quoted === '') {
      i = skipAnsiString(text, i + 2);
      continue;
    }
    if (char === '$' && next === '{' && quoted !== "'") {
      if (quoted === '') level++;
      i += 2;
      continue;
    }
    const opensSubstitution = next === '(' && (char === '$' || (quoted === '' && (char === '<' || char === '>')));
    if (opensSubstitution && (quoted === '' || quoted === '"')) {
      i = skipSubstitution(text, i + 2);
      continue;
    }
    if (quoted !== '') {
      if (char === quoted) quoted = '';
      i++;
      continue;
    }
    if (char === '"' || char === "'" || char === '`') {
      quoted = char;
      i++;
      continue;
    }
    if (char === wanted && level === 0 && separators > 0) {
      if (char !== '{' || !isLoneBrace(text, i)) return i;
      i++;
      continue;
    }
    if (char === '{') level++;
    else if (char === '}' && level > 0) level--;
    else if (wanted === '}' && level === 0) {
      if (char === ',') separators++;
      else if (char === '.' && next === '.' && text[i + 2] !== '}') separators++;
    }
    i++;
  }
  return -1;
}

function isLoneBrace(text: string, i: number): boolean {
  const before = text[i - 1];
  const after = text[i + 1];
  return (i === 0 || isBlank(before)) && (isBlank(after) || after === '}');
}

function isBlank(char: string | undefined): boolean {
  return char === undefined || char === ' ' || char === '\t' || char === '\n';
}

/** Skips to after the quote that closes `$'…'`, in which a backslash hides one. */
function skipAnsiString(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === "'") return i + 1;
  }
  return text.length;
}

/** Skips to after the `)` that closes a substitution; quotes inside are respected, here-documents are not followed. */
function skipSubstitution(text: string, from: number): number {
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    const char = text[i];
    if (char === '\\') i++;
    else if (char === "'") {
      i = text.indexOf("'", i + 1);
      if (i === -1) throw new Unfollowed();
    } else if (char === '#' || (char === '<' && text[i + 1] === '<')) throw new Unfollowed();
    else if (char === 'c' && text.startsWith('case', i)) throw new Unfollowed();
    else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) return i + 1;
  }
  throw new Unfollowed();
}

const INTEGER = /^[+-]?[0-9]{1,9}$/;
const SEQUENCE = /^(.+?)\.\.([^.]+)(?:\.\.([+-]?[0-9]{1,9}))?$/s;

function expandSequence(amble: string): string[] | null {
  const match = SEQUENCE.exec(amble);
  if (!match) return null;
  const [, left = '', right = '', step = '1'] = match;
  const increment = Math.abs(Number(step)) || 1;
  if (INTEGER.test(left) && INTEGER.test(right)) {
    const numbers = count(Number(left), Number(right), increment);
    const width = paddedWidth(left, right);
    return numbers.map((n) => pad(n, width));
  }
  if (/^[A-Za-z]$/.test(left) && /^[A-Za-z]$/.test(right)) {
    const letters = count(left.charCodeAt(0), right.charCodeAt(0), increment).map((n) => String.fromCharCode(n));
    // Between Z and a are a backslash and a backquote, which are special in the resulting word.
    if (letters.some((letter) => !/[A-Za-z]/.test(letter))) throw new Unfollowed();
    return letters;
  }
  if (/[0-9]{10}/.test(amble)) throw new Unfollowed();
  return null;
}

function count(first: number, last: number, increment: number): number[] {
  const total = Math.floor(Math.abs(last - first) / increment) + 1;
  if (total > MAX_WORDS) throw new Unfollowed();
  const direction = first > last ? -increment : increment;
  return Array.from({ length: total }, (_, i) => first + i * direction);
}

function paddedWidth(left: string, right: string): number {
  const isPadded = (term: string) => /^-?0./.test(term);
  return isPadded(left) || isPadded(right) ? Math.max(left.length, right.length) : 0;
}

function pad(n: number, width: number): string {
  const digits = String(Math.abs(n));
  return n < 0 ? `-${digits.padStart(width - 1, '0')}` : digits.padStart(width, '0');
}
