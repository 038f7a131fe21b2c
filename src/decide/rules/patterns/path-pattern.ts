// Text of a path pattern → segments, and whether a path matches them: certainly, possibly, or not.
// Works on text alone; the caller handles symlinks. `..` is refused, never folded.

export type Anchor = 'root' | 'home' | 'base' | 'cwd';

/** `**`: any number of folders; a string: exactly that name; else a name with wildcards. */
export type Segment = '**' | { readonly name: string } | { readonly glob: readonly Piece[] };
type Piece =
  | string
  | '?'
  | '*'
  | { readonly isNegated: boolean; readonly ranges: readonly (readonly [string, string])[] };

export interface PathPattern {
  readonly anchor: Anchor;
  readonly segments: readonly Segment[];
}

export type PathSyntax = 'file' | 'word';
export type ParsedPath = { readonly path: PathPattern } | { readonly why: string; readonly hint: string | null };

const LITERAL = '\u0001';

/**
 * In `Read(…)` a single `/` means the folder of the settings file; in a word of `Bash(…)` it means the same as in a
 * shell. A backslash makes the next character literal.
 */
export function parsePath(text: string, syntax: PathSyntax): ParsedPath {
  if (text === '') return { why: 'The path is empty.', hint: 'Write `**` for every path.' };
  if (text.startsWith('!')) {
    return { why: 'A path pattern cannot be negated with `!`.', hint: 'Put the path into the deny list instead.' };
  }
  const { anchor, rest, isAnchored } = anchorOf(text, syntax);
  const names = rest.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) {
    return {
      why: 'A path pattern cannot contain `..`.',
      hint: 'Write the folder itself: `//absolute`, `~/…` or `./…`.',
    };
  }
  const segments: Segment[] = [];
  for (const name of names) {
    if (name === '**' && segments.at(-1) === '**') continue;
    segments.push(name === '**' ? '**' : segmentOf(name));
  }
  // As in gitignore: a bare name matches at any depth, and a final slash means everything below.
  if (!isAnchored && names.length === 1 && !rest.includes('/') && segments[0] !== '**') segments.unshift('**');
  if ((rest.endsWith('/') || segments.length === 0) && segments.at(-1) !== '**') segments.push('**');
  return { path: { anchor, segments } };
}

function anchorOf(text: string, syntax: PathSyntax): { anchor: Anchor; rest: string; isAnchored: boolean } {
  const isWord = syntax === 'word';
  if (text === '~' || text.startsWith('~/')) return { anchor: 'home', rest: text.slice(1), isAnchored: true };
  if (text.startsWith('//')) return { anchor: 'root', rest: text, isAnchored: true };
  if (text.startsWith('/')) return { anchor: isWord ? 'root' : 'base', rest: text, isAnchored: true };
  return { anchor: isWord ? 'base' : 'cwd', rest: text, isAnchored: isWord || text.startsWith('./') };
}

function segmentOf(name: string): Segment {
  const pieces: Piece[] = [];
  let literal = '';
  let isPlain = true;
  const flush = () => {
    if (literal !== '') pieces.push(LITERAL + literal);
    literal = '';
  };
  for (let i = 0; i < name.length; i++) {
    const char = name[i] as string;
    if (char === '\\' && i + 1 < name.length) literal += name[++i];
    else if (char === '*' || char === '?') {
      flush();
      isPlain = false;
      if (char === '?' || pieces.at(-1) !== '*') pieces.push(char);
    } else {
      const set = char === '[' ? classAt(name, i) : null;
      if (set === null) literal += char;
      else {
        flush();
        isPlain = false;
        pieces.push(set.piece);
        i = set.end;
      }
    }
  }
  if (isPlain) return { name: literal };
  flush();
  return { glob: pieces };
}

function classAt(name: string, start: number): { piece: Piece; end: number } | null {
  const isNegated = name[start + 1] === '!' || name[start + 1] === '^';
  const first = start + (isNegated ? 2 : 1);
  const end = name.indexOf(']', first + 1);
  if (end === -1) return null;
  const ranges: [string, string][] = [];
  for (let i = first; i < end; i++) {
    const from = name[i] as string;
    if (name[i + 1] === '-' && i + 2 < end) {
      ranges.push([from, name[i + 2] as string]);
      i += 2;
    } else ranges.push([from, from]);
  }
  return { piece: { isNegated, ranges }, end };
}

/** One name of a path: known, or only its beginning, because it is a shell glob. */
export type PathName = string | { readonly head: string };

export type Containment = 'inside' | 'perhaps' | 'outside';

/** For a ban: does the pattern match this path, a parent folder or, for a whole tree, something below it? */
export function touches(segments: readonly Segment[], names: readonly PathName[], isTree: boolean): Containment {
  let states = start(segments);
  let isSure = true;
  for (const name of names) {
    if (typeof name !== 'string') isSure = false;
    states = step(segments, states, name);
    if (states.size === 0) return 'outside';
    if (states.has(segments.length)) return isSure ? 'inside' : 'perhaps';
  }
  return isTree ? 'perhaps' : 'outside';
}

/** For a permission: does the pattern match exactly this path, for any value of its unknown parts? */
export function covers(segments: readonly Segment[], names: readonly PathName[]): boolean {
  let states = start(segments);
  for (const name of names) {
    if (typeof name !== 'string') {
      const kept = [...states].filter((at) => isOpen(segments[at]));
      states = new Set(kept.flatMap((at) => (segments[at] === '**' ? [at, at + 1] : [at + 1])));
    } else states = step(segments, states, name);
    if (states.size === 0) return false;
  }
  return names.length > 0 && states.has(segments.length);
}

function isOpen(segment: Segment | undefined): boolean {
  if (segment === '**') return true;
  return segment !== undefined && 'glob' in segment && segment.glob.length === 1 && segment.glob[0] === '*';
}

/** States are positions in the pattern: no backtracking, so no pattern is slow. */
function start(segments: readonly Segment[]): Set<number> {
  return new Set(segments[0] === '**' && segments.length > 1 ? [0, 1] : [0]);
}

function step(segments: readonly Segment[], states: Set<number>, name: PathName): Set<number> {
  const next = new Set<number>();
  const enter = (at: number) => {
    next.add(at);
    // `a/**/b` matches `a/b` too; a final `**` needs at least one name.
    if (segments[at] === '**' && at + 1 < segments.length) next.add(at + 1);
  };
  for (const at of states) {
    const segment = segments[at];
    if (segment === undefined) continue;
    if (segment === '**') {
      // It may match more names or be done.
      enter(at);
      enter(at + 1);
    } else if (fits(segment, name)) enter(at + 1);
  }
  return next;
}

function fits(segment: Exclude<Segment, '**'>, name: PathName): boolean {
  if (typeof name === 'string') return 'name' in segment ? segment.name === name : matchesName(segment.glob, name);
  const known = 'name' in segment ? segment.name : literalHead(segment.glob);
  // A shell glob does not match hidden files unless it starts with a dot.
  if (name.head === '' && known.startsWith('.')) return false;
  return 'name' in segment ? known.startsWith(name.head) : known.startsWith(name.head) || name.head.startsWith(known);
}

function literalHead(pieces: readonly Piece[]): string {
  const first = pieces[0];
  return typeof first === 'string' && first.startsWith(LITERAL) ? first.slice(1) : '';
}

function matchesName(pieces: readonly Piece[], name: string): boolean {
  let piece = 0;
  let at = 0;
  let star = -1;
  let resume = 0;
  for (;;) {
    if (piece === pieces.length && at === name.length) return true;
    const width = piece < pieces.length ? widthAt(pieces[piece] as Piece, name, at) : -1;
    if (pieces[piece] === '*') {
      star = piece++;
      resume = at;
    } else if (width >= 0) {
      piece++;
      at += width;
    } else if (star !== -1 && resume < name.length) {
      at = ++resume;
      piece = star + 1;
    } else return false;
  }
}

function widthAt(piece: Piece, name: string, at: number): number {
  if (typeof piece === 'string' && piece.startsWith(LITERAL)) {
    return name.startsWith(piece.slice(1), at) ? piece.length - 1 : -1;
  }
  const char = name[at];
  if (char === undefined || piece === '*') return -1;
  if (typeof piece === 'string') return 1;
  return piece.ranges.some(([from, to]) => char >= from && char <= to) !== piece.isNegated ? 1 : -1;
}
