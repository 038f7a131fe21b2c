// Globs over paths: a pattern (`*`, `?`, `[…]`, `**`) and a path → whether they match, or two patterns can match one path.
// Never builds a regular expression: work is at most pattern length × path length, for any pattern.

/** One character of a segment: itself, any, any number, or one of a set. */
type Token =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'many' }
  | {
      readonly kind: 'set';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [from: string, to: string])[];
    };

interface Segment {
  /** Set if it has no special characters. */
  readonly literal: string | null;
  readonly tokens: readonly Token[];
}

/** `'**'` stands for any number of segments, including none. */
export interface Glob {
  readonly text: string;
  readonly segments: readonly (Segment | '**')[];
}

const MANY: Token = { kind: 'many' };
const ANY: Token = { kind: 'any' };

export function compileGlob(text: string): Glob {
  const segments: (Segment | '**')[] = [];
  for (const part of splitPath(text)) {
    if (part !== '**') segments.push(compileSegment(part));
    else if (segments.at(-1) !== '**') segments.push('**');
  }
  return { text, segments };
}

/** Leading, trailing and doubled slashes are ignored: callers compare absolute paths. */
export function splitPath(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

export function matchesGlob(glob: Glob, path: string): boolean {
  return matchesSegments(glob, splitPath(path));
}

export function matchesSegments(glob: Glob, names: readonly string[]): boolean {
  const [first, second] = glob.segments;
  // The most common form in the tables: a name at any depth.
  if (glob.segments.length === 2 && first === '**' && second !== undefined && second !== '**')
    return names.length > 0 && matchesSegment(second, names.at(-1) as string);
  return matchList(glob.segments, names, (item) => item === '**', matchesSegment);
}

/** Whether some path is matched by both; the second one is a shell glob, whose `*` and `**` do not match names that start with a dot. */
export function overlaps(glob: Glob, shellGlob: Glob): boolean {
  const a = glob.segments;
  const b = shellGlob.segments;
  const [first, second] = a;
  const last = b.at(-1);
  if (
    a.length === 2 &&
    first === '**' &&
    second !== undefined &&
    second !== '**' &&
    last !== undefined &&
    last !== '**'
  )
    return segmentsOverlap(second, last);
  // reachable[j]: the first i segments of a and the first j of b can be the same path.
  let reachable = b.map(() => false);
  reachable.unshift(true);
  for (let j = 0; j < b.length; j++) if (b[j] === '**' && reachable[j] === true) reachable[j + 1] = true;
  for (const item of a) {
    const next: boolean[] = [item === '**' && reachable[0] === true];
    for (const [j, other] of b.entries()) {
      const stays = (item === '**' && reachable[j + 1] === true) || (other === '**' && next[j] === true);
      const takesOther =
        (item === '**' && next[j] === true) || (other === '**' && reachable[j + 1] === true && !isHidden(item));
      const both = item !== '**' && other !== '**' && reachable[j] === true && segmentsOverlap(item, other);
      next.push(stays || takesOther || both);
    }
    reachable = next;
  }
  return reachable[b.length] === true;
}

export function isGlob(text: string): boolean {
  return /[*?[]/.test(text);
}

/** The part of a glob before its first special segment: `/a` of `/a/b?/c`. */
export function literalFolder(path: string): string {
  const parts = path.split('/');
  const first = parts.findIndex(isGlob);
  if (first === -1) return path;
  return parts.slice(0, first).join('/') || '/';
}

export function matchesName(pattern: string, name: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  return matchesSegment(compileSegment(pattern), name);
}

/** Whether a segment has more than literal characters. */
export function isSpecial(part: string): boolean {
  return /[*?[\\]/.test(part);
}

function compileSegment(part: string): Segment {
  if (!isSpecial(part)) return { literal: part, tokens: [] };
  const tokens: Token[] = [];
  const chars = [...part];
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] as string;
    if (char === '*') {
      if (tokens.at(-1) !== MANY) tokens.push(MANY);
    } else if (char === '?') tokens.push(ANY);
    else if (char === '\\' && i + 1 < chars.length) tokens.push({ kind: 'char', char: chars[++i] as string });
    else if (char === '[') {
      const set = readSet(chars, i);
      if (set === null) tokens.push({ kind: 'char', char });
      else {
        tokens.push(set.token);
        i = set.end;
      }
    } else tokens.push({ kind: 'char', char });
  }
  return { literal: null, tokens };
}

function readSet(chars: readonly string[], start: number): { token: Token; end: number } | null {
  let i = start + 1;
  const negated = chars[i] === '!' || chars[i] === '^';
  if (negated) i++;
  const ranges: [string, string][] = [];
  for (let first = true; i < chars.length; first = false) {
    const char = chars[i] as string;
    if (char === ']' && !first) return { token: { kind: 'set', negated, ranges }, end: i };
    // A class such as [:alpha:] is read as "any character": wider, never narrower.
    if (char === '[' && chars[i + 1] === ':') {
      const close = chars.indexOf(']', i + 2);
      if (close === -1) return null;
      const end = chars.indexOf(']', close + 1);
      return end === -1 ? null : { token: ANY, end };
    }
    const from = char === '\\' && i + 1 < chars.length ? (chars[++i] as string) : char;
    if (chars[i + 1] === '-' && i + 2 < chars.length && chars[i + 2] !== ']') {
      ranges.push([from, chars[i + 2] as string]);
      i += 3;
    } else {
      ranges.push([from, from]);
      i++;
    }
  }
  return null;
}

function matchesSegment(segment: Segment | '**', name: string): boolean {
  if (segment === '**') return true;
  if (segment.literal !== null) return segment.literal === name;
  return matchList(segment.tokens, [...name], (token) => token.kind === 'many', matchesToken);
}

function matchesToken(token: Token, char: string): boolean {
  if (token.kind === 'char') return token.char === char;
  if (token.kind !== 'set') return true;
  return token.ranges.some(([from, to]) => from <= char && char <= to) !== token.negated;
}

/** On a mismatch only the last "many" is widened: earlier ones need never change. */
function matchList<P, N>(
  pattern: readonly P[],
  items: readonly N[],
  isMany: (item: P) => boolean,
  matchesOne: (item: P, name: N) => boolean,
): boolean {
  let p = 0;
  let retryPattern = -1;
  let retryItem = 0;
  for (let i = 0; i < items.length; ) {
    const item = pattern[p];
    if (p < pattern.length && isMany(item as P)) {
      retryPattern = ++p;
      retryItem = i;
    } else if (p < pattern.length && matchesOne(item as P, items[i] as N)) {
      p++;
      i++;
    } else if (retryPattern !== -1) {
      p = retryPattern;
      i = ++retryItem;
    } else return false;
  }
  while (p < pattern.length && isMany(pattern[p] as P)) p++;
  return p === pattern.length;
}

function isHidden(item: Segment | '**'): boolean {
  if (item === '**') return false;
  const [first] = tokensOf(item);
  return first?.kind === 'char' && first.char === '.';
}

function segmentsOverlap(a: Segment, b: Segment): boolean {
  if (a.literal !== null && b.literal !== null) return a.literal === b.literal;
  const left = tokensOf(a);
  const right = tokensOf(b);
  if (isHidden(a) && !isHidden(b)) return false;
  let reachable = [true, ...right.map(() => false)];
  for (let j = 0; j < right.length && right[j]?.kind === 'many'; j++) reachable[j + 1] = true;
  for (const x of left) {
    const next: boolean[] = [x.kind === 'many' && reachable[0] === true];
    for (const [j, y] of right.entries()) {
      const skip = (x.kind === 'many' && reachable[j + 1]) || (y.kind === 'many' && next[j]);
      const grow = (x.kind === 'many' && next[j]) || (y.kind === 'many' && reachable[j + 1]);
      next.push(skip === true || grow === true || (reachable[j] === true && tokensMeet(x, y)));
    }
    reachable = next;
  }
  return reachable[right.length] === true;
}

function tokensOf({ literal, tokens }: Segment): readonly Token[] {
  return literal === null ? tokens : [...literal].map((char) => ({ kind: 'char', char }));
}

function tokensMeet(x: Token, y: Token): boolean {
  if (x.kind === 'many' || y.kind === 'many') return false;
  if (x.kind === 'char') return matchesToken(y, x.char);
  if (y.kind === 'char') return matchesToken(x, y.char);
  return true;
}
