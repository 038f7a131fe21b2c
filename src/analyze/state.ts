// What is known about the shell at one point: variables, folder, functions, positional parameters.
// Immutable: every change creates a new state, so branches share common parts and `===` means "unchanged".

import type { Reason, ReasonId, Shell, Span, WordValue } from '../core/facts.ts';
import type { Function as FunctionNode } from '../parse/tree.ts';
import { areSameDescriptors, type Descriptors, joinDescriptors, NO_DESCRIPTORS } from './descriptors.ts';

/**
 * `path`: some absolute path; `integer`: some whole number; `digits` and `number`: the output of a program that
 * prints numbers, without or with signs, which may be empty or have blanks around it; `any`: anything, including unset.
 */
export type Value =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'unset' | 'integer' | 'digits' | 'number' | 'path' | 'keyed' | 'any' };

export const ANY: Value = { kind: 'any' };
export const INTEGER: Value = { kind: 'integer' };
export const DIGITS: Value = { kind: 'digits' };
export const NUMBER: Value = { kind: 'number' };
export const UNSET: Value = { kind: 'unset' };
export const ABSOLUTE_PATH: Value = { kind: 'path' };

export interface FunctionBody {
  readonly node: FunctionNode;
  readonly source: string;
  readonly span: Span | null;
  readonly shell: Shell;
}

export interface FunctionValue {
  readonly bodies: readonly FunctionBody[];
  /** On some paths the function is not defined, so the name may also mean a program. */
  readonly maybeAbsent: boolean;
}

export interface State {
  readonly variables: ReadonlyMap<string, Value>;
  readonly functions: ReadonlyMap<string, FunctionValue>;
  /** Folders in which the shell may be; `null` if unknown. */
  readonly folders: readonly string[] | null;
  /** The folder was changed at some point, known or not. */
  readonly hasMoved: boolean;
  /** `null` if not even their number is known. */
  readonly positional: readonly WordValue[] | null;
  /** Attributes that a variable may have, by name, and those of functions by `name()`; see variables.ts. */
  readonly attributes: ReadonlyMap<string, string>;
  /** `temporary`: by an assignment before the current command. */
  readonly splitting: 'default' | 'temporary' | 'changed';
  readonly lookup: 'default' | 'temporary' | 'path-changed';
  readonly lastPipe: boolean;
  /** `set -a`: everything assigned is exported. */
  readonly exportsAll: boolean;
  /** While a trap is walked: whether it changed anything visible to other commands. */
  readonly watch: 'off' | 'on' | 'changed';
  /** Something that makes every later command of this shell uncertain; without a later command it has no effect. */
  readonly doubt: Reason | null;
  /** Exported names that are not known to be harmless for programs. */
  readonly exported: ReadonlyMap<string, 'lasting' | 'temporary'>;
  /** Files opened by the shell: a path like /dev/fd/3 leads there. */
  readonly descriptors: Descriptors;
}

/** More variables than any real command uses; beyond it the analysis gives up. */
export const MAX_VARIABLES = 256;
const MAX_FOLDERS = 4;

const NO_VARIABLES: ReadonlyMap<string, Value> = new Map();
const NO_FUNCTIONS: ReadonlyMap<string, FunctionValue> = new Map();
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();
const NOT_EXPORTED: State['exported'] = new Map();

export function initialState(folder: string, variables: Readonly<Record<string, string>> | undefined): State {
  return {
    variables: variables ? knownVariables(variables) : NO_VARIABLES,
    functions: NO_FUNCTIONS,
    folders: [folder],
    hasMoved: false,
    positional: [],
    attributes: NO_ATTRIBUTES,
    splitting: 'default',
    lookup: 'default',
    lastPipe: false,
    exportsAll: false,
    watch: 'off',
    doubt: null,
    exported: NOT_EXPORTED,
    descriptors: NO_DESCRIPTORS,
  };
}

function knownVariables(variables: Readonly<Record<string, string>>): ReadonlyMap<string, Value> {
  return new Map(Object.entries(variables).map(([name, text]) => [name, { kind: 'text', text }]));
}

export function setVariable(state: State, name: string, value: Value): State {
  const before = state.variables.get(name);
  if (before === value || (before === undefined && value.kind === 'any')) return noteChange(state);
  const variables = new Map(state.variables);
  if (value.kind === 'any') variables.delete(name);
  else variables.set(name, value);
  return noteChange({ ...state, variables });
}

/** A change of the shell, even one without new information. */
export function noteChange(state: State): State {
  return state.watch === 'on' ? { ...state, watch: 'changed' } : state;
}

/** From here on, commands may mean something else than their text shows. */
export function doubtLater(state: State, id: ReasonId, message: string, span: Span): State {
  return state.doubt ? state : { ...state, doubt: { id, message, span } };
}

/** Drops all knowledge about variables; functions, folder and options stay. */
export function forgetVariables(state: State): State {
  return noteChange({ ...state, variables: NO_VARIABLES, positional: null, splitting: 'changed' });
}

export function forgetFolder(state: State): State {
  return state.folders === null && state.hasMoved ? noteChange(state) : moveTo(state, null);
}

/** `cd`: the shell is now in one of these folders, and PWD is set to it, overriding any assignment. */
export function moveTo(state: State, folders: readonly string[] | null): State {
  const moved = noteChange({ ...state, folders, hasMoved: true });
  return moved.variables.has('PWD') ? setVariable(moved, 'PWD', ANY) : moved;
}

/** The common knowledge if control may have come from either of two states. */
export function join(a: State, b: State): State {
  if (a === b || isSameObject(a, b)) return a;
  return {
    variables: joinVariables(a.variables, b.variables),
    functions: joinFunctions(a.functions, b.functions),
    folders: joinFolders(a.folders, b.folders),
    hasMoved: a.hasMoved || b.hasMoved,
    positional: joinPositional(a.positional, b.positional),
    attributes: joinAttributes(a.attributes, b.attributes),
    splitting: a.splitting === 'default' || b.splitting === 'changed' ? b.splitting : a.splitting,
    lookup: a.lookup === 'default' || b.lookup === 'path-changed' ? b.lookup : a.lookup,
    lastPipe: a.lastPipe || b.lastPipe,
    exportsAll: a.exportsAll || b.exportsAll,
    watch: a.watch === 'changed' ? a.watch : b.watch,
    doubt: a.doubt ?? b.doubt,
    exported: joinExported(a.exported, b.exported),
    descriptors: joinDescriptors(a.descriptors, b.descriptors),
  };
}

/** Two states that were changed and changed back: equal parts in different objects. */
function isSameObject(a: State, b: State): boolean {
  return (
    a.variables === b.variables &&
    a.functions === b.functions &&
    a.folders === b.folders &&
    a.positional === b.positional &&
    a.attributes === b.attributes &&
    a.exported === b.exported &&
    a.splitting === b.splitting &&
    a.lookup === b.lookup &&
    a.hasMoved === b.hasMoved &&
    a.lastPipe === b.lastPipe &&
    a.exportsAll === b.exportsAll &&
    a.descriptors === b.descriptors &&
    a.watch === b.watch &&
    a.doubt === b.doubt
  );
}

function joinVariables(a: ReadonlyMap<string, Value>, b: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  if (a === b) return a;
  const joined = new Map<string, Value>();
  for (const [name, left] of a) {
    const right = b.get(name);
    if (right === undefined) continue;
    const value = joinValues(left, right);
    if (value.kind !== 'any') joined.set(name, value);
  }
  return joined;
}

function joinValues(a: Value, b: Value): Value {
  if (a === b || areSameValue(a, b)) return a;
  if (isIntegerValue(a) && isIntegerValue(b)) return INTEGER;
  return isNumberValue(a) && isNumberValue(b) ? NUMBER : ANY;
}

function areSameValue(a: Value, b: Value): boolean {
  if (a.kind === 'text') return b.kind === 'text' && a.text === b.text;
  if (a.kind === 'list') {
    return b.kind === 'list' && a.items.length === b.items.length && a.items.every((item, i) => item === b.items[i]);
  }
  return a.kind === b.kind;
}

const DECIMAL = /^-?(0|[1-9][0-9]{0,17})$/;

/** Nothing that arithmetic would evaluate again. */
export function isNumberValue(value: Value): boolean {
  return value.kind === 'digits' || value.kind === 'number' || isIntegerValue(value);
}

export function isIntegerValue(value: Value): boolean {
  return value.kind === 'integer' || (value.kind === 'text' && DECIMAL.test(value.text));
}

function joinFunctions(
  a: ReadonlyMap<string, FunctionValue>,
  b: ReadonlyMap<string, FunctionValue>,
): ReadonlyMap<string, FunctionValue> {
  if (a === b) return a;
  const joined = new Map<string, FunctionValue>();
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const left = a.get(name);
    const right = b.get(name);
    const bodies = [...new Set([...(left?.bodies ?? []), ...(right?.bodies ?? [])])];
    const maybeAbsent = !left || !right || left.maybeAbsent || right.maybeAbsent;
    joined.set(name, left === right && left ? left : { bodies, maybeAbsent });
  }
  return joined;
}

function joinFolders(a: readonly string[] | null, b: readonly string[] | null): readonly string[] | null {
  if (a === b) return a;
  if (a === null || b === null) return null;
  const all = [...new Set([...a, ...b])];
  return all.length > MAX_FOLDERS ? null : all;
}

function joinPositional(a: readonly WordValue[] | null, b: readonly WordValue[] | null): readonly WordValue[] | null {
  if (a === b) return a;
  if (a === null || b === null || a.length !== b.length) return null;
  const same = a.every((word, i) => word.kind === 'literal' && b[i]?.kind === 'literal' && word.value === b[i].value);
  return same ? a : null;
}

function joinExported(a: State['exported'], b: State['exported']): State['exported'] {
  if (a === b) return a;
  const joined = new Map([...a, ...b]);
  for (const [name, how] of a) if (how === 'lasting') joined.set(name, how);
  return joined;
}

function joinAttributes(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (a === b) return a;
  const joined = new Map(a);
  for (const [name, flags] of b) joined.set(name, [...new Set((joined.get(name) ?? '') + flags)].sort().join(''));
  return joined;
}

/** Whether two states are equivalent for everything that runs after them. */
export function isSameState(a: State, b: State): boolean {
  if (a === b) return true;
  return (
    a.splitting === b.splitting &&
    a.lookup === b.lookup &&
    a.lastPipe === b.lastPipe &&
    a.exportsAll === b.exportsAll &&
    a.hasMoved === b.hasMoved &&
    a.doubt === b.doubt &&
    a.positional === b.positional &&
    a.exported.size === b.exported.size &&
    areSameFolders(a.folders, b.folders) &&
    areSameDescriptors(a.descriptors, b.descriptors) &&
    areSameMaps(a.variables, b.variables, areSameValue) &&
    areSameMaps(a.functions, b.functions, areSameFunctions) &&
    areSameMaps(a.attributes, b.attributes, (x, y) => x === y)
  );
}

function areSameFunctions(a: FunctionValue, b: FunctionValue): boolean {
  return (
    a === b ||
    (a.maybeAbsent === b.maybeAbsent &&
      a.bodies.length === b.bodies.length &&
      a.bodies.every((x, i) => x === b.bodies[i]))
  );
}

function areSameFolders(a: readonly string[] | null, b: readonly string[] | null): boolean {
  if (a === b) return true;
  return a !== null && b !== null && a.length === b.length && a.every((folder) => b.includes(folder));
}

function areSameMaps<V>(
  a: ReadonlyMap<string, V>,
  b: ReadonlyMap<string, V>,
  isSame: (x: V, y: V) => boolean,
): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [name, value] of a) {
    const other = b.get(name);
    if (other === undefined || !isSame(value, other)) return false;
  }
  return true;
}
