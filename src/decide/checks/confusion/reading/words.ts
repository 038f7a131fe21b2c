// The text of one word → its pieces: bare text, quotes, escapes, expansions.

import type { Facts } from '../../../../core/facts.ts';
import { scanText, type Unit } from './text.ts';

export interface Piece {
  readonly kind: Unit['kind'] | 'bare';
  readonly text: string;
}

const BARE = /^[\w./:=,@%+-]+$/;
const known = new WeakMap<Facts, Map<string, readonly Piece[]>>();

/** The same word may belong to a thousand facts (a loop), and several checks inspect it. */
export function readPieces(written: string, facts: Facts): readonly Piece[] {
  if (BARE.test(written)) return [{ kind: 'bare', text: written }];
  const words = known.get(facts) ?? new Map<string, readonly Piece[]>();
  const pieces = words.get(written) ?? splitWord(written);
  known.set(facts, words.set(written, pieces));
  return pieces;
}

/** The parts of a word at its own level; quotes are left out of `text`. */
function splitWord(written: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { kind, start, end, depth } of scanText(written).units) {
    if (depth > 0) continue;
    if (start > at) pieces.push({ kind: 'bare', text: written.slice(at, start) });
    const opening = kind === 'ansi' ? 2 : kind === 'single' || kind === 'double' || kind === 'escape' ? 1 : 0;
    const closing = kind === 'escape' ? 0 : opening === 0 ? 0 : 1;
    pieces.push({ kind, text: written.slice(start + opening, end - closing) });
    at = end;
  }
  if (at < written.length) pieces.push({ kind: 'bare', text: written.slice(at) });
  return pieces;
}

/** A quoted part of the command for a message: short, and without confusing characters. */
export function showText(text: string, limit = 300): string {
  const short = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return short.replace(/[^ -~…]/gu, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);
}
