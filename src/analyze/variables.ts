// Assignment to a variable by name: the one place that knows which names are special to the shell.
// Attributes that a variable may have: those of `declare` (i r u l c x n), and a (an array), A (associative),
// L (was local somewhere), m (no longer special to the shell), t (assigned before the current command),
// w (its value is not the initial one).

import type { Span } from '../core/facts.ts';
import { wordSet } from '../core/values/once.ts';
import { CHARACTERS_CHANGED, environmentRisk, setsCharacters } from './environment.ts';
import type { Expansion } from './machine.ts';
import {
  ANY,
  doubtLater,
  INTEGER,
  isIntegerValue,
  MAX_VARIABLES,
  type State,
  setVariable,
  type Value,
} from './state.ts';
import { knownText } from './words/lookup.ts';
import { hasIntegerAttribute, isSpecialArray, isSpecialInteger, isSpecialVariable } from './words/special-variables.ts';

/** Sets a variable, with all consequences for the shell. */
export function setByName(name: string, value: Value, span: Span, x: Expansion): void {
  if (!hasMeaning(name) && !x.state.attributes.has(name)) {
    x.state = noteEnvironment(remember(x.state, name, value), name, value, x.state.exportsAll);
    return;
  }
  checkName(name, value, span, x);
  const flags = flagsOf(name, x.state);
  if (flags !== '') checkFlags(name, flags, value, span, x);
  else if (READ_ONLY.has(name)) x.machine.noteAbort(x.state);
  x.state = noteEnvironment(assignVariable(x.state, name, value), name, value, x.state.exportsAll);
}

const READ_ONLY = new Set(['UID', 'EUID', 'PPID', 'BASHOPTS', 'SHELLOPTS', 'BASH_VERSINFO']);

/** The attributes that a variable may have, including those set by bash. */
export function flagsOf(name: string, state: State): string {
  const flags = state.attributes.get(name) ?? '';
  return hasIntegerAttribute(name) ? `${flags}i` : flags;
}

function checkFlags(name: string, flags: string, value: Value, span: Span, x: Expansion): void {
  if (flags.includes('i') && !isIntegerValue(value)) {
    x.machine.recorder.cannotTell('arithmetic-evaluates', `the value of ${name} is evaluated as arithmetic`, span);
  }
  // Assigning to a read-only variable is an error that drops the rest of the line.
  if (flags.includes('r') || READ_ONLY.has(name)) x.machine.noteAbort(x.state);
}

export function isArray(name: string, state: State): boolean {
  return isSpecialArray(name) || /[aA]/.test(state.attributes.get(name) ?? '');
}

function assignVariable(state: State, name: string, value: Value): State {
  if (name === 'IFS') return state.splitting === 'changed' ? state : { ...state, splitting: 'changed' };
  if (name === 'PWD') return addAttributes(setVariable(state, name, value), name, 'w');
  if (isSpecialVariable(name) && name !== 'OLDPWD') {
    return isSpecialInteger(name) && !isIntegerValue(value) ? addAttributes(state, name, 'm') : state;
  }
  const flags = state.attributes.get(name);
  let next = WATCHED.has(name) ? addAttributes(state, name, 'w') : state;
  if ((name === 'PATH' || name === 'EXECIGNORE') && next.lookup !== 'path-changed')
    next = { ...next, lookup: 'path-changed' };
  const kept = flags === undefined ? value : keptValue(flags, value, state.variables.get(name));
  return remember(next, name, kept);
}

function remember(state: State, name: string, value: Value): State {
  if (state.variables.size >= MAX_VARIABLES && !state.variables.has(name)) return state;
  return setVariable(state, name, value);
}

/** Nearly all names have none: they take the fast path. */
function hasMeaning(name: string): boolean {
  return isSpecialVariable(name) || READ_ONLY.has(name) || OWN_MEANING.has(name);
}

const OWN_MEANING = wordSet(
  'PATH EXECIGNORE HOME CDPATH FUNCNEST BASH_ALIASES BASH_CMDS PS4 PS0 PROMPT_COMMAND TEXTDOMAIN TEXTDOMAINDIR ' +
    'HISTFILESIZE SHELLOPTS BASHOPTS POSIXLY_CORRECT BASH_COMPAT LC_ALL LC_CTYPE LANG',
);

/** These values are needed later: the home folder, where `cd` looks, the maximum depth of function calls. */
const WATCHED = new Set(['HOME', 'CDPATH', 'FUNCNEST']);

/** Read-only variables keep their value, upper- and lower-casing ones change the assigned value. */
function keptValue(flags: string, value: Value, before: Value | undefined): Value {
  if (/[rulcn]/.test(flags)) return ANY;
  if (/[aA]/.test(flags) && value.kind !== 'list' && value.kind !== 'keyed') return withFirst(before, value);
  if (!flags.includes('i')) return value;
  return isIntegerValue(value) ? INTEGER : ANY;
}

/** A value without a subscript is the first element of an array; the others stay. */
function withFirst(before: Value | undefined, value: Value): Value {
  if (before?.kind === 'keyed' || before === undefined) return before ?? ANY;
  if (before.kind !== 'list') return value;
  return value.kind === 'text' ? { kind: 'list', items: [value.text, ...before.items.slice(1)] } : ANY;
}

export function addAttributes(state: State, name: string, flags: string): State {
  const before = state.attributes.get(name) ?? '';
  const after = [...new Set(before + flags)].sort().join('');
  if (after === before) return state;
  return { ...state, attributes: new Map(state.attributes).set(name, after) };
}

export function removeAttribute(state: State, name: string, flag: string): State {
  const before = state.attributes.get(name);
  if (!before?.includes(flag)) return state;
  const attributes = new Map(state.attributes);
  if (before === flag) attributes.delete(name);
  else attributes.set(name, before.replace(flag, ''));
  return { ...state, attributes };
}

/** Unset or local: a special variable of bash is then an ordinary one. */
export function makeOrdinary(state: State, name: string): State {
  return isSpecialInteger(name) ? addAttributes(state, name, 'm') : state;
}

const CHANGES_READING = new Set(['SHELLOPTS', 'BASHOPTS', 'POSIXLY_CORRECT', 'BASH_COMPAT']);

/** Variables that make the shell itself run, find or change something that is not in the text. */
function checkName(name: string, value: Value, span: Span, x: Expansion): void {
  if (name === 'BASH_ALIASES' || name === 'BASH_CMDS') {
    x.state = doubtLater(x.state, 'lookup-changed', `${name} changes what command names mean`, span);
  } else if (name === 'PS4' || name === 'PROMPT_COMMAND' || name === 'PS0') {
    const text = knownText(value);
    // A prompt is decoded first: `\044` is a `$`.
    if (text === null || /[$`\\]/.test(text)) {
      x.state = doubtLater(
        x.state,
        'prompt-expansion',
        `${name} is expanded, which runs the substitutions in it`,
        span,
      );
    }
  } else if (CHANGES_READING.has(name)) {
    x.state = doubtLater(x.state, 'shell-option', `${name} changes how the shell parses commands`, span);
  } else if (name === 'TEXTDOMAIN' || name === 'TEXTDOMAINDIR') {
    x.state = doubtLater(x.state, 'dynamic-code', 'a translation of $"…" is expanded again', span);
  } else if (setsCharacters(name, knownText(value))) {
    x.state = doubtLater(x.state, 'shell-option', CHARACTERS_CHANGED, span);
  } else if (name === 'HISTFILESIZE' && /[0-9]/.test(knownText(value) ?? '0')) {
    x.machine.recorder.cannotTell('shell-option', 'setting HISTFILESIZE truncates the history file', span);
  }
}

/** Records a name that later programs will see and that may make them run something else. */
export function noteEnvironment(state: State, name: string, value: Value, isExported: boolean): State {
  const risk = environmentRisk(name, knownText(value));
  const matters = risk === 'executes' || (risk === 'unknown' && isExported);
  if (!matters || state.exported.get(name) === 'lasting') return state;
  return { ...state, exported: new Map(state.exported).set(name, 'lasting') };
}
