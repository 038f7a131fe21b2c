// `$x`, `${x…}`: the known part of the value goes into the fields; operands are walked for the commands they run.
// Does not follow expansions that can evaluate text as code: `${!x}`, `${x@P}`, subscripts and offsets that are not numbers.

import type { ParameterExpansionPart, ParameterOperation, SimpleExpansionPart, Word } from '../../parse/tree.ts';
import { type ExpandOperand, type Expansion, spanOf } from '../machine.ts';
import { ANY, type Value } from '../state.ts';
import { addAttributes, setByName } from '../variables.ts';
import { evaluateArithmeticWord } from './arithmetic.ts';
import type { Fields } from './fields.ts';
import { knownText, lookup, VARIABLE_NAME } from './lookup.ts';

const EXPANDED_TWICE = /\$["']|\$[A-Za-z_][A-Za-z_0-9]*"+[A-Za-z_0-9]/;
const ALL = new Set(['@', '*']);
const PARAMETER = /^(?:[A-Za-z_][A-Za-z_0-9]*|[0-9]+|[@*#?$!-])$/;

export function expandSimple(part: SimpleExpansionPart, quoted: boolean, fields: Fields, x: Expansion): void {
  const name = part.text.includes('\\') ? part.text.replaceAll('\\\n', '').slice(1) : part.text.slice(1);
  if (ALL.has(name)) addPositional(name, quoted, fields, x);
  else addValue(lookup(name, x.state), quoted, fields, x);
}

export function expandParameter(
  part: ParameterExpansionPart,
  quoted: boolean,
  fields: Fields,
  x: Expansion,
  expandOperand: ExpandOperand,
): void {
  const { parameter: name, operation } = part;
  if (quoted && EXPANDED_TWICE.test(part.text)) {
    // Bash removes inner quotes and decodes `$'…'` first, and only then expands: `"${x-"$y"z}"` refers to yz.
    const message = 'a string inside a quoted expansion is expanded twice';
    x.machine.recorder.cannotTell('dynamic-code', message, spanOf(x.scope, part));
  }
  // A subscript, an offset, an invalid name: each may be an error, which drops the rest of the line.
  const mayBeError = part.index !== undefined || part.prefix === '!' || operation?.type === 'Slice';
  if (mayBeError || !PARAMETER.test(name)) x.machine.noteAbort(x.state);
  if (part.prefix === '!') {
    expandIndirect(part, quoted, fields, x, expandOperand);
    return;
  }
  const all = part.index !== undefined && ALL.has(part.index.text);
  if (part.index !== undefined && !all) checkSubscript(part.index, name, x, expandOperand);
  if (part.prefix === '#') {
    if (operation) visitOperation(operation, name, x, expandOperand);
    fields.unknown();
    return;
  }
  if (operation === undefined) {
    if (ALL.has(name)) addPositional(name, quoted, fields, x);
    else if (all) addList(lookup(name, x.state), part.index?.text === '@', quoted, fields, x);
    else if (part.index === undefined) addValue(lookup(name, x.state), quoted, fields, x);
    else addElement(lookup(name, x.state), part.index, quoted, fields, x);
    return;
  }
  if (part.index === undefined && !ALL.has(name) && operation.type === 'Default') {
    expandDefault(part, operation, quoted, fields, x, expandOperand);
    return;
  }
  visitOperation(operation, name, x, expandOperand);
  if (quoted && !(all || ALL.has(name))) fields.unknown();
  else fields.unknownMany();
}

function addValue(value: Value, quoted: boolean, fields: Fields, x: Expansion): void {
  const text = knownText(value);
  if (text !== null) {
    if (quoted) fields.literal(text);
    else if (x.scope.shell === 'zsh' || (x.state.splitting !== 'default' && text !== '')) fields.unknownMany();
    else fields.split(text);
  } else if (value.kind === 'integer' && x.state.splitting === 'default') fields.unknown();
  else if (quoted) fields.unknown(value.kind === 'path' ? '/' : '', value.kind === 'digits');
  else fields.unknownMany(value.kind === 'path' ? '/' : '', value.kind === 'digits');
}

function addElement(value: Value, index: Word, quoted: boolean, fields: Fields, x: Expansion): void {
  const position = /^[0-9]{1,4}$/.test(index.text) ? Number(index.text) : null;
  if (value.kind === 'list' && position !== null) {
    addValue({ kind: 'text', text: value.items[position] ?? '' }, quoted, fields, x);
  } else addValue(ANY, quoted, fields, x);
}

function addPositional(name: string, quoted: boolean, fields: Fields, x: Expansion): void {
  const items = x.state.positional?.map((word) => (word.kind === 'literal' ? word.value : null)) ?? null;
  addItems(items, name === '@', quoted, fields, x);
}

function addList(value: Value, separate: boolean, quoted: boolean, fields: Fields, x: Expansion): void {
  if (value.kind === 'list') addItems(value.items, separate, quoted, fields, x);
  else if (value.kind === 'text') addItems([value.text], separate, quoted, fields, x);
  else fields.unknownMany();
}

/** An item that is `null` is one word with an unknown value. */
function addItems(
  items: readonly (string | null)[] | null,
  separate: boolean,
  quoted: boolean,
  fields: Fields,
  x: Expansion,
): void {
  // `"$x$@"` with nothing in it is one empty word or none, depending on its neighbours: not followed.
  const isNone = quoted && separate && items?.length === 0;
  if (items === null || isNone || x.state.splitting !== 'default' || x.scope.shell === 'zsh') fields.unknownMany();
  else if (quoted && !separate) {
    if (items.includes(null)) fields.unknown();
    else fields.literal(items.join(' '));
  } else {
    items.forEach((item, i) => {
      if (i > 0) fields.boundary();
      if (item === null) addValue(ANY, quoted, fields, x);
      else if (quoted) fields.literal(item);
      else fields.split(item);
    });
  }
}

function expandDefault(
  part: ParameterExpansionPart,
  operation: Extract<ParameterOperation, { type: 'Default' }>,
  quoted: boolean,
  fields: Fields,
  x: Expansion,
  expandOperand: ExpandOperand,
): void {
  const before = x.state;
  checkAssignable(part.parameter, operation, x);
  const value = lookup(part.parameter, before);
  const operand = expandOperand(operation.operand, x);
  const symbol = operation.operator.at(-1);
  if (symbol === '=') {
    setByName(part.parameter, ANY, spanOf(x.scope, part), x);
  }
  const text = value.kind === 'unset' || value.kind === 'text' ? knownText(value) : null;
  // Quoting inside the operand decides how it is split; only a plain known value that is used unchanged can be kept.
  const isUsed = text !== null && text !== '' && value.kind === 'text' && symbol !== '+';
  if (isUsed) addValue(value, quoted, fields, x);
  else if (quoted && operand.kind === 'literal' && value.kind === 'unset' && (symbol === '-' || symbol === '=')) {
    fields.literal(operand.value);
  } else if (quoted) fields.unknown();
  else fields.unknownMany();
}

/** `${1:=x}` is an error, which drops the rest of the line. */
function checkAssignable(name: string, { operator }: { readonly operator: string }, x: Expansion): void {
  if (operator.endsWith('=') && !VARIABLE_NAME.test(name)) x.machine.noteAbort(x.state);
}

function expandIndirect(
  part: ParameterExpansionPart,
  quoted: boolean,
  fields: Fields,
  x: Expansion,
  expandOperand: ExpandOperand,
): void {
  const isNames = part.operation?.type === 'Names';
  const isKeys = part.index !== undefined && ALL.has(part.index.text);
  if (!isNames && !isKeys) {
    const name = knownText(lookup(part.parameter, x.state));
    const isPlain = part.index === undefined && name !== null && VARIABLE_NAME.test(name);
    if (!isPlain) {
      const message = 'an indirect expansion may evaluate a subscript as code';
      x.machine.recorder.cannotTell('indirect-expansion', message, spanOf(x.scope, part));
    }
  }
  if (part.index !== undefined && !isKeys) checkSubscript(part.index, part.parameter, x, expandOperand);
  if (part.operation) visitOperation(part.operation, part.parameter, x, expandOperand);
  if (quoted && !isNames && !isKeys) fields.unknown();
  else fields.unknownMany();
}

/** Walks the operands of an operation for the commands they run; the result of the operation is not computed. */
function visitOperation(operation: ParameterOperation, name: string, x: Expansion, expandOperand: ExpandOperand): void {
  switch (operation.type) {
    case 'Default':
      checkAssignable(name, operation, x);
      expandOperand(operation.operand, x);
      if (operation.operator.endsWith('=')) {
        setByName(name, ANY, spanOf(x.scope, operation), x);
        x.state = addAttributes(x.state, name, 'a');
      }
      return;
    case 'Remove':
      expandOperand(operation.operand, x);
      return;
    case 'Replace':
      expandOperand(operation.pattern, x);
      expandOperand(operation.replacement, x);
      return;
    case 'Slice':
      evaluateArithmeticWord(operation.offset, x, expandOperand);
      if (operation.length) evaluateArithmeticWord(operation.length, x, expandOperand);
      return;
    case 'CaseModification':
      if (operation.operand) expandOperand(operation.operand, x);
      return;
    case 'Transform':
      expandOperand(operation.operand, x);
      if (!/^[QUuLEAaKk]$/.test(operation.operand.text)) {
        const message = '@P expands the value as a prompt, which runs the substitutions in it';
        x.machine.recorder.cannotTell('prompt-expansion', message, spanOf(x.scope, operation));
      }
      return;
    case 'Names':
      return;
    case 'Unknown':
      x.machine.recorder.cannotTell('unsupported-syntax', 'unknown parameter expansion', spanOf(x.scope, operation));
      return;
    default:
      operation satisfies never;
  }
}

/** The subscript of an ordinary array is arithmetic, and arithmetic evaluates the values of the names in it. */
export function checkSubscript(index: Word, name: string, x: Expansion, expandOperand: ExpandOperand): void {
  if (lookup(name, x.state).kind === 'keyed') expandOperand(index, x);
  else evaluateArithmeticWord(index, x, expandOperand);
}
