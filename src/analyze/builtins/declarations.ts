// declare, typeset, local, export, readonly, unset: names, values and attributes.

import type { Span, WordValue } from '../../core/facts.ts';
import { describe } from '../interpreter/launch.ts';
import type { Expansion, Flow } from '../machine.ts';
import { ANY, forgetVariables, INTEGER, type State, setVariable, UNSET, type Value } from '../state.ts';
import { addAttributes, noteEnvironment, setByName } from '../variables.ts';
import { evaluateText } from '../words/arithmetic.ts';
import { VARIABLE_NAME } from '../words/lookup.ts';
import { type Builtin, type BuiltinCall, doubtNames, splitOptions, unchanged } from './builtin.ts';

interface Declaration {
  readonly name: string;
  readonly value: Value | null;
  readonly span: Span;
}

const NAME_AND_VALUE = /^([A-Za-z_][A-Za-z_0-9]*)(?:(\+?=)(.*))?$/s;

export const declare: Builtin = (call) => {
  describe(call.words, call.draft, call.x);
  const command = call.words[0]?.kind === 'literal' ? call.words[0].value : '';
  const flags = readFlags(call, command);
  const { x } = call;
  if (flags === null) return doubtNames(call);
  if (/[fF]/.test(flags.letters)) return declareFunctions(call, flags);
  if (flags.operands.length === 0) {
    if (command !== 'local') call.draft.add('discloses', 'environment');
    return unchanged(call);
  }
  if (flags.letters.includes('p')) {
    call.draft.add('discloses', 'environment');
    return unchanged(call);
  }
  if (flags.letters.includes('n')) {
    const message = 'a name reference makes another name stand for a variable';
    x.machine.recorder.cannotTell('indirect-expansion', message, call.draft.span);
    x.state = forgetVariables(x.state);
    return unchanged(call);
  }
  // Outside a function `local` only fails.
  if (command === 'local' && x.scope.locals === null) return unchanged(call);
  for (const word of flags.operands) {
    const declaration = readDeclaration(word, call);
    if (declaration === null) return doubtNames(call);
    apply(declaration, flags.letters, command, x);
  }
  return unchanged(call);
};

interface Flags {
  readonly letters: string;
  readonly operands: readonly WordValue[];
}

function readFlags(call: BuiltinCall, command: string): Flags | null {
  const split = splitOptions(call.words);
  if (split === null) return null;
  const implied = command === 'export' ? 'x' : command === 'readonly' ? 'r' : '';
  return { letters: split.options.replaceAll(/[-+]/g, '') + implied, operands: split.operands };
}

function readDeclaration(word: WordValue, call: BuiltinCall): Declaration | null {
  const declared = call.declared.find((item) => item.word === word);
  if (declared) return { name: declared.name, value: declared.value, span: word.span };
  const text = word.kind === 'literal' ? word.value : word.head;
  const match = NAME_AND_VALUE.exec(text);
  if (word.kind === 'literal') {
    if (!match?.[1]) return null;
    const value: Value | null =
      match[2] === undefined ? null : match[2] === '=' ? { kind: 'text', text: match[3] ?? '' } : ANY;
    return { name: match[1], value, span: word.span };
  }
  const isNamed = word.kind === 'dynamic' && !word.many && match?.[1] !== undefined && match[2] !== undefined;
  return isNamed && match?.[1] ? { name: match[1], value: ANY, span: word.span } : null;
}

function apply(declaration: Declaration, letters: string, command: string, x: Expansion): void {
  const { name, span } = declaration;
  const isLocal = x.scope.locals !== null && command !== 'export' && command !== 'readonly' && !letters.includes('g');
  if (isLocal) x.scope.locals?.add(name);
  const attributes = letters.replaceAll(/[^iulcrx]/g, '');
  let value = declaration.value;
  if (letters.includes('A')) value = { kind: 'keyed' };
  else if (letters.includes('i') && value !== null) value = integerValue(value, span, x);
  else if (value === null && (isLocal || letters.includes('a'))) value = ANY;
  if (attributes.includes('i') || /[ulc]/.test(attributes)) x.state = addAttributes(x.state, name, attributes);
  if (value !== null) setByName(name, value, span, x);
  if (attributes !== '') x.state = addAttributes(x.state, name, attributes);
  if (letters.includes('x')) x.state = noteEnvironment(x.state, name, value ?? ANY, true);
}

function integerValue(value: Value, span: Span, x: Expansion): Value {
  if (value.kind === 'text') evaluateText(value.text, { pos: span[0], end: span[1] }, x);
  else
    x.machine.recorder.cannotTell('arithmetic-evaluates', 'a value that is not known is evaluated as arithmetic', span);
  return INTEGER;
}

function declareFunctions(call: BuiltinCall, flags: Flags): Flow {
  if (flags.letters.includes('x')) {
    const message = 'an exported function changes what shells started from here run';
    call.x.machine.recorder.cannotTell('exported-function', message, call.draft.span);
  }
  return unchanged(call);
}

export const unset: Builtin = (call) => {
  describe(call.words, call.draft, call.x);
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
    const isReadOnly = state.attributes.get(variable)?.includes('r');
    next = setVariable(next, variable, plain && !isReadOnly ? UNSET : ANY);
  }
  const existing = next.functions.get(name);
  if (existing && !options.includes('v')) {
    const functions = new Map(next.functions);
    if (options.includes('f')) functions.delete(name);
    else functions.set(name, { ...existing, maybeAbsent: true });
    next = { ...next, functions };
  }
  return next;
}
