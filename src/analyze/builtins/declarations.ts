// declare, typeset, local, export, readonly: names, values and attributes (bash, declare.def and setattr.def).

import type { Span, WordValue } from '../../core/facts.ts';
import { describeProgram } from '../launch.ts';
import type { Expansion, Flow } from '../machine.ts';
import { ANY, forgetVariables, INTEGER, isIntegerValue, setVariable, type Value } from '../state.ts';
import {
  addAttributes,
  flagsOf,
  isArray,
  makeOrdinary,
  noteEnvironment,
  removeAttribute,
  setByName,
} from '../variables.ts';
import { evaluateText } from '../words/arithmetic.ts';
import { lookup } from '../words/lookup.ts';
import { isSpecialText } from '../words/special-variables.ts';
import { type Builtin, type BuiltinCall, doubtNames, splitOptions, unchanged } from './builtin.ts';

interface Declaration {
  readonly name: string;
  readonly value: Value | null;
  /** `a=(x y)` as shell syntax, not in quotes. */
  readonly isList: boolean;
  readonly isElement: boolean;
  readonly span: Span;
}

interface Flags {
  readonly letters: string;
  readonly command: string;
  readonly operands: readonly WordValue[];
}

const NAME_AND_VALUE = /^([A-Za-z_][A-Za-z_0-9]*)(?:(\+?=)(.*))?$/s;

/** `readonly` and `export` have their own options; the others are one builtin. */
const OWN_OPTIONS = new Set(['readonly', 'export']);

export const declare: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const flags = readFlags(call);
  const { x } = call;
  if (flags === null) return doubtNames(call);
  const { letters, command } = flags;
  if (/[fF]/.test(letters)) return declareFunctions(call, flags);
  if (flags.operands.length === 0) {
    if (command !== 'local') call.draft.add('discloses', 'environment');
    return unchanged(call);
  }
  if (letters.includes('p')) {
    call.draft.add('discloses', 'environment');
    // `export -p x=1` still sets x.
    if (!OWN_OPTIONS.has(command)) return unchanged(call);
  }
  if (letters.includes('n')) {
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
    apply(declaration, flags, x);
  }
  return unchanged(call);
};

/** `null` also if an option is unknown, or `+` removes an attribute that matters here. */
function readFlags(call: BuiltinCall): Flags | null {
  const command = call.words[0]?.kind === 'literal' ? call.words[0].value : '';
  const isOwn = OWN_OPTIONS.has(command);
  const split = splitOptions(call.words, isOwn ? '-' : '-+');
  if (split === null || !(isOwn ? /^[aAfnp]*$/ : /^[acfgilnprtuxAFI]*$/).test(split.options)) return null;
  if (!/^[cilrtux]*$/.test(split.removed)) return null;
  // In other shells the same letters have other effects, or none.
  if (call.x.scope.shell !== 'bash' && split.options !== '' && split.operands.length > 0) return null;
  const implied = command === 'export' ? 'x' : command === 'readonly' ? 'r' : '';
  return { letters: split.options + implied, command, operands: split.operands };
}

function readDeclaration(word: WordValue, call: BuiltinCall): Declaration | null {
  const declared = call.declared.find((item) => item.word === word);
  if (declared) return { ...declared, span: word.span };
  const text = word.kind === 'literal' ? word.value : word.head;
  const match = NAME_AND_VALUE.exec(text);
  const name = match?.[1];
  if (name === undefined) return null;
  const rest = { name, isList: false, isElement: false, span: word.span };
  if (word.kind === 'literal') {
    if (match?.[2] === undefined) return { ...rest, value: null };
    return { ...rest, value: match[2] === '=' ? { kind: 'text', text: match[3] ?? '' } : ANY };
  }
  const isNamed = word.kind === 'dynamic' && !word.many && match?.[2] !== undefined;
  return isNamed ? { ...rest, value: ANY } : null;
}

function apply(declaration: Declaration, { letters, command }: Flags, x: Expansion): void {
  const { name, span } = declaration;
  const isLocal = x.scope.locals !== null && !OWN_OPTIONS.has(command) && !letters.includes('g');
  if (isLocal) {
    x.scope.locals?.add(name);
    x.state = addAttributes(makeOrdinary(x.state, name), name, 'L');
  }
  // `declare -g` sets the global variable, and the name may still mean a local one.
  const isHidden = letters.includes('g') && /[Lt]/.test(flagsOf(name, x.state));
  const attributes = letters.replaceAll(/[^iulcrx]/g, '');
  const value = declaredValue(declaration, letters, command, isLocal, x);
  if (letters.includes('i') && isSpecialText(name))
    doubtValue(`the value that the shell gives ${name} is evaluated`, span, x);
  if (attributes.includes('i') || /[ulc]/.test(attributes)) x.state = addAttributes(x.state, name, attributes);
  // A local variable is a new one: nothing of the outer one stays.
  if (isLocal) x.state = setVariable(x.state, name, ANY);
  // Without a value nothing is evaluated.
  const isGiven = declaration.value !== null || !flagsOf(name, x.state).includes('i');
  if (value !== null && isGiven) setByName(name, value, span, x);
  else if (value !== null) x.state = setVariable(x.state, name, value);
  if (isHidden) x.state = setVariable(x.state, name, ANY);
  const isAssociative = value?.kind === 'keyed' && !isHidden;
  if (isAssociative) x.state = addAttributes(x.state, name, 'A');
  else if (letters.includes('a') || declaration.isList || declaration.isElement)
    x.state = addAttributes(x.state, name, 'a');
  if (attributes !== '') x.state = addAttributes(x.state, name, attributes);
  if (letters.includes('x')) x.state = noteEnvironment(x.state, name, value ?? ANY, true);
  // `A=1 export A`: the assignment before the command stays.
  if (flagsOf(name, x.state).includes('t')) {
    setByName(name, ANY, span, x);
    x.state = removeAttribute(x.state, name, 't');
  }
}

/** `null`: it keeps its value. */
function declaredValue(
  declaration: Declaration,
  letters: string,
  command: string,
  isLocal: boolean,
  x: Expansion,
): Value | null {
  const { name, value, span } = declaration;
  const before = lookup(name, x.state);
  if (value !== null) checkQuotedList(declaration, letters, command, x);
  if (letters.includes('A')) return becomesAssociative(name, value, letters, command, x) ? { kind: 'keyed' } : ANY;
  if (declaration.isElement) return before.kind === 'keyed' && !isLocal ? before : ANY;
  if (letters.includes('i') && value !== null) return integerValue(value, span, x);
  if (value === null) return isLocal || letters.includes('a') ? ANY : null;
  if (declaration.isList) return value;
  // A list in quotes is a list if the variable is an array.
  const mayBeList = letters.includes('a') && !(value.kind === 'text' && !value.text.startsWith('('));
  return mayBeList || isArray(name, x.state) ? ANY : value;
}

/** `declare -A` fails on an existing indexed array, and `export -A x` alone does not create an array. */
function becomesAssociative(
  name: string,
  value: Value | null,
  letters: string,
  command: string,
  x: Expansion,
): boolean {
  if (OWN_OPTIONS.has(command) && value === null) return false;
  const flags = flagsOf(name, x.state);
  // In a function `declare -g` refers to the global variable, while the name may refer to a local one.
  const isGlobal = letters.includes('g') || OWN_OPTIONS.has(command);
  return !/[art]/.test(flags) && !(isGlobal && flags.includes('L')) && !letters.includes('a');
}

const MAY_EVALUATE = /[$`[<>\\]/;

/** `declare -a 'a=($(rm x))'`: the list in quotes is parsed and expanded like any other. */
function checkQuotedList(declaration: Declaration, letters: string, command: string, x: Expansion): void {
  const { name, value, span } = declaration;
  const isForArray = /[aA]/.test(letters) || (!OWN_OPTIONS.has(command) && isArray(name, x.state));
  if (!isForArray || declaration.isList || value === null || isIntegerValue(value) || value.kind === 'path') return;
  if (value.kind === 'text' && !(/^\(.*\)$/s.test(value.text) && MAY_EVALUATE.test(value.text))) return;
  x.machine.recorder.cannotTell('dynamic-code', `the value of ${name} may be a list, which is expanded again`, span);
}

function integerValue(value: Value, span: Span, x: Expansion): Value {
  if (value.kind === 'text') evaluateText(value.text, { pos: span[0], end: span[1] }, x);
  else if (!isIntegerValue(value)) doubtValue('an unknown value is evaluated as arithmetic', span, x);
  return INTEGER;
}

function doubtValue(message: string, span: Span, x: Expansion): void {
  x.machine.recorder.cannotTell('arithmetic-evaluates', message, span);
}

/** A read-only function cannot be redefined or unset: its attribute is stored under `name()`. */
function declareFunctions(call: BuiltinCall, { letters, operands }: Flags): Flow {
  const { x } = call;
  if (letters.includes('x')) {
    const message = 'an exported function changes what child shells run';
    x.machine.recorder.cannotTell('exported-function', message, call.draft.span);
  }
  if (!letters.includes('r')) return unchanged(call);
  for (const word of operands) {
    if (word.kind !== 'literal') return doubtNames(call);
    x.state = addAttributes(x.state, `${word.value}()`, 'r');
  }
  return unchanged(call);
}
