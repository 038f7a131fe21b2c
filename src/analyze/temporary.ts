// `A=1 command`: assignments before a command end with it, but its own changes of the shell stay.

import type { Assignment } from '../parse/tree.ts';
import { ANY, type State, setVariable } from './state.ts';
import { addAttributes, isArray, removeAttribute } from './variables.ts';

/** The state in which the command runs: the effects of the assignments are marked, to distinguish them from its own. */
export function markTemporary(entered: State, before: State, assignments: readonly Assignment[]): State {
  const names = assignments.map(({ name }) => name);
  const ofIfs = entered.splitting !== before.splitting && names.includes('IFS');
  const ofPath = entered.lookup !== before.lookup && (names.includes('PATH') || names.includes('EXECIGNORE'));
  let state: State = {
    ...entered,
    splitting: ofIfs ? 'temporary' : entered.splitting,
    lookup: ofPath ? 'temporary' : entered.lookup,
    exported: markExported(names, entered.exported, before.exported),
  };
  for (const { name, value } of assignments) {
    // A command gets an array before it as the text of the assignment; a text hides an array of that name.
    if (value.type === 'ArrayValue' || isArray(name, before)) state = setVariable(state, name, ANY);
    state = addAttributes(state, name, 't');
  }
  return state;
}

function markExported(
  names: readonly string[],
  entered: State['exported'],
  before: State['exported'],
): State['exported'] {
  if (entered === before) return entered;
  const marked = new Map(entered);
  for (const name of names) if (entered.has(name)) marked.set(name, before.get(name) ?? 'temporary');
  return marked;
}

/** After the command. In sh some builtins keep the assignments: then they are unknown. */
export function endTemporary(
  after: State,
  assignments: readonly Assignment[],
  states: { readonly before: State; readonly entered: State; readonly forget: boolean },
): State {
  const { before, entered, forget } = states;
  // One by one: side effects of the assignments themselves, `n=$((i++))`, stay.
  let state = forget ? keepAll(after) : dropMarked(after, before);
  for (const { name } of assignments) {
    const isMarked = after.attributes.get(name)?.includes('t') === true;
    const isKept = !forget && isMarked && after.variables.get(name) === entered.variables.get(name);
    state = setVariable(state, name, isKept ? (before.variables.get(name) ?? ANY) : ANY);
    if (!before.attributes.get(name)?.includes('t')) state = removeAttribute(state, name, 't');
  }
  return state;
}

function dropMarked(after: State, before: State): State {
  const isUnmarked =
    after.splitting !== 'temporary' && after.lookup !== 'temporary' && after.exported === before.exported;
  if (isUnmarked) return after;
  const exported = [...after.exported].filter(([name, how]) => how === 'lasting' || before.exported.has(name));
  return {
    ...after,
    splitting: after.splitting === 'temporary' ? before.splitting : after.splitting,
    lookup: after.lookup === 'temporary' ? before.lookup : after.lookup,
    exported: isAsBefore(exported, before.exported) ? before.exported : new Map(exported),
  };
}

function isAsBefore(exported: readonly (readonly [string, string])[], before: State['exported']): boolean {
  return exported.length === before.size && exported.every(([name, how]) => before.get(name) === how);
}

function keepAll(after: State): State {
  return {
    ...after,
    splitting: after.splitting === 'temporary' ? 'changed' : after.splitting,
    lookup: after.lookup === 'temporary' ? 'path-changed' : after.lookup,
    exported: new Map([...after.exported.keys()].map((name) => [name, 'lasting'])),
  };
}
