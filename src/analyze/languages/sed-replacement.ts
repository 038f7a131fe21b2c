// The right side of `s///` → the replacement of a match: `&`, `\1`, `\n`, and the case conversions `\U \L \u \l \E`.
// Throws `Doubt` for uncertain escapes and the case of non-ASCII characters.

import { Doubt } from './regex/char-set.ts';

type Case = 'as-is' | 'upper' | 'lower';

interface Piece {
  readonly text: string;
  /** Group that follows the text; 0 is the whole match, -1 none. */
  readonly group: number;
  readonly letters: Case;
  /** `\u` or `\l`: for the first character only. */
  readonly firstLetter: Case;
}

export interface Replacement {
  readonly pieces: readonly Piece[];
  readonly highestGroup: number;
}

const CONTROL: Readonly<Record<string, string>> = { a: '\x07', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

export function parseReplacement(source: string): Replacement {
  const pieces: Piece[] = [];
  let text = '';
  let letters: Case = 'as-is';
  let firstLetter: Case = 'as-is';
  const flush = (group: number) => {
    pieces.push({ text, group, letters, firstLetter });
    text = '';
    firstLetter = 'as-is';
  };
  for (let i = 0; i < source.length; i++) {
    const ch = source.charAt(i);
    if (ch === '&') {
      flush(0);
      continue;
    }
    if (ch !== '\\') {
      text += ch;
      continue;
    }
    const escaped = source.charAt(++i);
    if (escaped >= '0' && escaped <= '9') {
      flush(Number(escaped));
    } else if (/^[LUEul]$/.test(escaped)) {
      if (text === '' && firstLetter !== 'as-is') throw new Doubt(`\\${escaped} directly after \\u or \\l`);
      // Even an empty piece counts: a pending `\u` is lost there.
      flush(-1);
      if (escaped === 'u' || escaped === 'l') firstLetter = escaped === 'u' ? 'upper' : 'lower';
      else letters = escaped === 'L' ? 'lower' : escaped === 'U' ? 'upper' : 'as-is';
    } else if (escaped === 'x') {
      const digits = /^[0-9a-fA-F]{2}/.exec(source.slice(i + 1))?.[0] ?? '0';
      const code = Number.parseInt(digits, 16);
      if (code < 32 || code > 126 || code === 92) throw new Doubt(`\\x${digits} in the replacement`);
      text += String.fromCharCode(code);
      i += 2;
    } else if (CONTROL[escaped] !== undefined) {
      text += CONTROL[escaped];
    } else if (escaped === '\n' || /^[ -/:-@[-`{-~]$/.test(escaped)) {
      text += escaped;
    } else {
      throw new Doubt(`\\${escaped} in the replacement`);
    }
  }
  if (text !== '') flush(-1);
  if (firstLetter !== 'as-is') throw new Doubt('\\u or \\l at the end of the replacement');
  return { pieces, highestGroup: Math.max(0, ...pieces.map((piece) => piece.group)) };
}

export function expandReplacement(replacement: Replacement, match: string, groups: readonly string[]): string {
  let out = '';
  let waiting: Case = 'as-is';
  for (const piece of replacement.pieces) {
    let first: Case = piece.firstLetter === 'as-is' ? waiting : piece.firstLetter;
    waiting = 'as-is';
    if (piece.text !== '') {
      out += convertCase(piece.text, piece.letters, first);
      first = 'as-is';
    }
    if (piece.group < 0) continue;
    const value = piece.group === 0 ? match : (groups[piece.group - 1] ?? '');
    // `\u` before an empty group waits for the next part.
    if (value === '') waiting = piece.firstLetter === 'as-is' ? 'as-is' : first;
    else out += convertCase(value, piece.letters, first);
  }
  return out;
}

function convertCase(text: string, letters: Case, first: Case): string {
  if (letters === 'as-is' && first === 'as-is') return text;
  const changed = letters === 'as-is' && first !== 'as-is' ? text.charAt(0) : text;
  if (/[^\0-\x7f]/.test(changed)) throw new Doubt('case of non-ASCII characters');
  const rest = letters === 'upper' ? text.toUpperCase() : letters === 'lower' ? text.toLowerCase() : text;
  if (first === 'as-is') return rest;
  return (first === 'upper' ? text.charAt(0).toUpperCase() : text.charAt(0).toLowerCase()) + rest.slice(1);
}
