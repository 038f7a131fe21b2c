// Assignment to a variable by name: the one place that knows which names mean something to the shell.

import { ANY, MAX_VARIABLES, type State, setVariable, type Value } from './state.ts';
import { isSpecialVariable } from './words/special-variables.ts';

/** Names that change how commands are found or how this shell reads text. */
export function assignVariable(state: State, name: string, value: Value): State {
  if (name === 'IFS') return state.splitting === 'changed' ? state : { ...state, splitting: 'changed' };
  if (name === 'PWD') return addAttributes(setVariable(state, name, value), name, 'w');
  if (isSpecialVariable(name) && name !== 'OLDPWD') return state;
  const flags = state.attributes.get(name);
  let next = name === 'HOME' || name === 'CDPATH' ? addAttributes(state, name, 'w') : state;
  if (name === 'PATH' && next.lookup === 'default') next = { ...next, lookup: 'path-changed' };
  // Read-only variables keep their value, upper- and lower-casing ones change what they are given.
  const kept = flags !== undefined && /[rulcn]/.test(flags) ? ANY : value;
  if (next.variables.size >= MAX_VARIABLES && !next.variables.has(name)) return next;
  return setVariable(next, name, kept);
}

export function addAttributes(state: State, name: string, flags: string): State {
  const before = state.attributes.get(name) ?? '';
  const after = [...new Set(before + flags)].sort().join('');
  if (after === before) return state;
  return { ...state, attributes: new Map(state.attributes).set(name, after) };
}
