// unset: removes variables, elements and functions.

import { describeProgram } from '../launch.ts';
import { ANY, type State, setVariable, UNSET } from '../state.ts';
import { makeOrdinary } from '../variables.ts';
import { VARIABLE_NAME } from '../words/lookup.ts';
import { type Builtin, doubtNames, splitOptions, unchanged } from './builtin.ts';

export const unset: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const split = splitOptions(call.words);
  if (split === null) return doubtNames(call);
  for (const word of split.operands) {
    if (word.kind !== 'literal' || !/^[A-Za-z_][A-Za-z_0-9]*(?:\[[0-9]+\])?$/.test(word.value)) {
      const isFunctionOnly = split.options.includes('f') && word.kind === 'literal';
      if (!isFunctionOnly) return doubtNames(call);
    }
    call.x.state = remove(call.x.state, word.kind === 'literal' ? word.value : '', split.options);
  }
  return unchanged(call);
};

function remove(state: State, name: string, options: string): State {
  const plain = VARIABLE_NAME.test(name);
  let next = state;
  if (!options.includes('f')) {
    const variable = name.replace(/\[.*/, '');
    if (variable === 'IFS') next = { ...next, splitting: 'changed' };
    if (variable === 'PATH') next = { ...next, lookup: 'path-changed' };
    // A read-only one stays; behind a local one, or one that was set for this call, the outer one appears.
    const isKept = /[rLt]/.test(state.attributes.get(variable) ?? '');
    // `unset -n` leaves what is not a name reference.
    const isGone = plain && !isKept && !options.includes('n');
    next = setVariable(makeOrdinary(next, variable), variable, isGone ? UNSET : ANY);
  }
  const existing = next.functions.get(name);
  if (existing && !options.includes('v')) {
    const functions = new Map(next.functions);
    const isReadOnly = state.attributes.get(`${name}()`)?.includes('r');
    if (options.includes('f') && !isReadOnly) functions.delete(name);
    else functions.set(name, { ...existing, maybeAbsent: true });
    next = { ...next, functions };
  }
  return next;
}
