// `~`, `~/x`, `a=~/x`, `PATH=~/a:~/b`: the home folder if it is known.

import type { Shell } from '../../core/facts.ts';
import type { State } from '../state.ts';
import type { Fields } from './fields.ts';
import { knownText, lookup } from './lookup.ts';

/** The context of the text: an argument, the start or the rest of an assigned value, or one without tilde expansion. */
export type TildePlace = 'argument' | 'value' | 'continued-value' | 'none';

const ASSIGNMENT = /^[A-Za-z_][A-Za-z_0-9]*\+?=/;

/** Adds the text with its tildes expanded; false if there are none. `isWhole`: the word ends with this text. */
export function expandTilde(
  raw: string,
  value: string,
  isWhole: boolean,
  place: TildePlace,
  fields: Fields,
  state: State,
  shell: Shell,
): boolean {
  if (place === 'none' || !raw.includes('~')) return false;
  if (raw.includes('\\')) {
    if (!/(^|[=:])~/.test(raw)) return false;
    // A quoted character inside a tilde prefix disables it; not worth following.
    fields.unknown();
    return true;
  }
  const assignment = place === 'argument' ? ASSIGNMENT.exec(raw) : null;
  const isValue = place !== 'argument' || assignment !== null;
  let rest = value;
  if (assignment && shell !== 'bash') {
    // Only bash expands it in an argument that merely looks like an assignment.
    fields.unknown(assignment[0]);
    return true;
  }
  if (assignment) {
    fields.literal(assignment[0]);
    rest = value.slice(assignment[0].length);
  }
  const pieces = isValue ? rest.split(':') : [rest];
  pieces.forEach((piece, i) => {
    if (i > 0) fields.literal(':');
    const startsHere = i > 0 || place !== 'continued-value';
    const endsHere = i < pieces.length - 1 || isWhole;
    addPiece(piece, startsHere, endsHere, fields, state);
  });
  return true;
}

function addPiece(piece: string, startsHere: boolean, endsHere: boolean, fields: Fields, state: State): void {
  if (!startsHere || !piece.startsWith('~')) {
    fields.literal(piece);
    return;
  }
  const slash = piece.indexOf('/');
  const user = slash === -1 ? piece.slice(1) : piece.slice(1, slash);
  const rest = slash === -1 ? '' : piece.slice(slash);
  if (slash === -1 && !endsHere) {
    // `~"x"`, `~$x`: the prefix continues into something quoted or expanded, so it stays unchanged.
    fields.literal(piece);
    return;
  }
  const home = user === '' ? knownText(lookup('HOME', state)) : null;
  if (home !== null) fields.literal(home);
  else fields.unknown(user === '' ? '/' : '');
  if (rest !== '') fields.literal(rest);
}
