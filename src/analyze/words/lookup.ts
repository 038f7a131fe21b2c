// Name of a parameter → what is known about its value.

import { ABSOLUTE_PATH, ANY, type State, UNSET, type Value } from '../state.ts';
import { specialVariable } from './special-variables.ts';

/** A name without a subscript: using it evaluates nothing. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z_0-9]*$/;

const POSITION = /^[1-9][0-9]*$/;

export function lookup(name: string, state: State): Value {
  if (POSITION.test(name)) return positionalValue(state, Number(name));
  const special = specialVariable(name, state);
  if (special) return special;
  const known = state.variables.get(name);
  if (known) return known;
  return name === 'HOME' && !state.attributes.has(name) ? ABSOLUTE_PATH : ANY;
}

function positionalValue(state: State, position: number): Value {
  if (state.positional === null) return ANY;
  const word = state.positional[position - 1];
  if (word === undefined) return UNSET;
  return word.kind === 'literal' ? { kind: 'text', text: word.value } : ANY;
}

/** The text of a scalar use of a value; `null` if unknown. A list stands for its first item. */
export function knownText(value: Value): string | null {
  if (value.kind === 'text') return value.text;
  if (value.kind === 'list') return value.items[0] ?? '';
  return value.kind === 'unset' ? '' : null;
}
