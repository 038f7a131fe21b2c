// Assignment to a variable by name: the one place that knows which names mean something to the shell.

import type { Span } from '../core/facts.ts';
import { environmentRisk } from './environment.ts';
import type { Expansion } from './machine.ts';
import { ANY, doubtLater, isIntegerValue, MAX_VARIABLES, type State, setVariable, type Value } from './state.ts';
import { knownText } from './words/lookup.ts';
import { isSpecialVariable } from './words/special-variables.ts';

/** Gives a variable a value, with everything that this means to the shell. */
export function setByName(name: string, value: Value, span: Span, x: Expansion): void {
  checkName(name, value, span, x);
  const flags = x.state.attributes.get(name) ?? '';
  if (flags.includes('i') && !isIntegerValue(value)) {
    x.machine.recorder.cannotTell('arithmetic-evaluates', `what ${name} is given is evaluated as arithmetic`, span);
  }
  // Giving a read-only variable a value is an error that drops the rest of the line.
  if (flags.includes('r') || READ_ONLY.has(name)) x.machine.noteAbort(x.state);
  x.state = noteEnvironment(assignVariable(x.state, name, value), name, value, false);
}

const READ_ONLY = new Set(['UID', 'EUID', 'PPID', 'BASHOPTS', 'SHELLOPTS', 'BASH_VERSINFO']);

function assignVariable(state: State, name: string, value: Value): State {
  if (name === 'IFS') return state.splitting === 'changed' ? state : { ...state, splitting: 'changed' };
  if (name === 'PWD') return addAttributes(setVariable(state, name, value), name, 'w');
  if (isSpecialVariable(name) && name !== 'OLDPWD') return state;
  const flags = state.attributes.get(name);
  let next = name === 'HOME' || name === 'CDPATH' ? addAttributes(state, name, 'w') : state;
  if (name === 'PATH' && next.lookup === 'default') next = { ...next, lookup: 'path-changed' };
  // Read-only variables keep their value, upper- and lower-casing ones change what they are given.
  const isChanged = flags !== undefined && (/[rulcn]/.test(flags) || (flags.includes('i') && value.kind !== 'integer'));
  const kept = isChanged ? ANY : value;
  if (next.variables.size >= MAX_VARIABLES && !next.variables.has(name)) return next;
  return setVariable(next, name, kept);
}

export function addAttributes(state: State, name: string, flags: string): State {
  const before = state.attributes.get(name) ?? '';
  const after = [...new Set(before + flags)].sort().join('');
  if (after === before) return state;
  return { ...state, attributes: new Map(state.attributes).set(name, after) };
}

/** Variables through which the shell itself runs or finds other things than the text says. */
function checkName(name: string, value: Value, span: Span, x: Expansion): void {
  if (name === 'BASH_ALIASES' || name === 'BASH_CMDS') {
    x.state = doubtLater(x.state, 'lookup-changed', `${name} changes what command names mean`, span);
  } else if (name === 'PS4' || name === 'PROMPT_COMMAND' || name === 'PS0') {
    const text = knownText(value);
    if (text === null || /[$`]/.test(text)) {
      x.state = doubtLater(
        x.state,
        'prompt-expansion',
        `${name} is expanded, which runs the substitutions in it`,
        span,
      );
    }
  } else if (name === 'SHELLOPTS' || name === 'BASHOPTS' || name === 'POSIXLY_CORRECT') {
    x.state = doubtLater(x.state, 'shell-option', `${name} changes how the shell reads commands`, span);
  }
}

/** Remembers a name that programs started later will see and that may make them run something else. */
export function noteEnvironment(state: State, name: string, value: Value, isExported: boolean): State {
  const risk = environmentRisk(name, knownText(value));
  const matters = risk === 'executes' || (risk === 'unknown' && isExported);
  if (!matters || state.exported.has(name)) return state;
  return { ...state, exported: new Set([...state.exported, name]) };
}
