// `a=1`, `a+=x`, `a[i]=v`, `a=(x y)`: evaluates the value and changes the state.

import type { AssignmentFact } from '../../core/facts.ts';
import type { ArrayValue, Assignment, Word } from '../../parse/tree.ts';
import { type Expansion, spanOf } from '../machine.ts';
import { ANY, INTEGER, isIntegerValue, type State, type Value } from '../state.ts';
import { addAttributes, flagsOf, setByName } from '../variables.ts';
import { expandArgument, expandOperand, expandValue } from '../words/expand.ts';
import { knownText, lookup } from '../words/lookup.ts';
import { expandOutput, variableValue } from '../words/output.ts';
import { checkSubscript } from '../words/parameters.ts';

export function assign(node: Assignment, x: Expansion): AssignmentFact {
  const value = evaluateAssignment(node, x);
  const span = spanOf(x.scope, node);
  setByName(node.name, value, span, x);
  if (node.index !== undefined || node.value.type === 'ArrayValue') x.state = noteArray(node.name, x);
  const isScalar = node.index === undefined && value.kind !== 'list';
  return { name: node.name, value: isScalar ? knownText(value) : null, span };
}

/** From here on it is an array, of either kind. */
function noteArray(name: string, x: Expansion): State {
  return lookup(name, x.state).kind === 'keyed' ? x.state : addAttributes(x.state, name, 'a');
}

/** An invalid subscript, or a list for an element: the assignment is an error, which drops the rest of the line. */
function mayBeError(node: Assignment, before: Value): boolean {
  const isList = node.value.type === 'ArrayValue';
  if (node.index === undefined) return isList && before.kind === 'keyed';
  const subscript = node.index.text;
  return isList || (!/^[0-9]{1,9}$/.test(subscript) && !(before.kind === 'keyed' && /^\w+$/.test(subscript)));
}

/** The value of an assignment; commands inside it run, but nothing is assigned yet. */
export function evaluateAssignment(node: Assignment, x: Expansion): Value {
  const before = lookup(node.name, x.state);
  if (mayBeError(node, before)) x.machine.noteAbort(x.state);
  if (node.index !== undefined) {
    checkSubscript(node.index, node.name, x, expandOperand);
    if (node.value.type === 'ArrayValue') evaluateItems(node.value, before, x);
    else expandValue(node.value, x, 'value');
    return before.kind === 'keyed' ? before : ANY;
  }
  if (node.value.type === 'ArrayValue') {
    const items = evaluateItems(node.value, before, x);
    if (before.kind === 'keyed') return before;
    // `a=(k v)` is a key and its value if it may be an associative array.
    if (items === null || flagsOf(node.name, x.state).includes('A')) return ANY;
    if (!node.append) return { kind: 'list', items };
    return before.kind === 'list' ? { kind: 'list', items: [...before.items, ...items] } : ANY;
  }
  const mark = x.machine.recorder.mark();
  const word = expandValue(node.value, x, 'value');
  if (word.kind !== 'literal' && node.append) return ANY;
  if (word.kind !== 'literal') return word.head.startsWith('/') ? { kind: 'path' } : numberOrAny(node.value, x, mark);
  if (!node.append) return { kind: 'text', text: word.value };
  const added: Value = { kind: 'text', text: word.value };
  const isSum = isIntegerValue(before) && isIntegerValue(added) && flagsOf(node.name, x.state).includes('i');
  if (isSum) return INTEGER;
  const text = before.kind === 'text' ? before.text : null;
  return text === null ? ANY : { kind: 'text', text: text + word.value };
}

function numberOrAny(word: Word, x: Expansion, mark: number): Value {
  const parts = word.parts;
  const only = parts?.length === 1 ? parts[0] : undefined;
  const inner = only?.type === 'DoubleQuoted' && only.parts.length === 1 ? only.parts[0] : only;
  if (inner === undefined) return ANY;
  if (inner.type === 'SimpleExpansion') {
    const value = lookup(inner.text.slice(1), x.state);
    return value.kind === 'integer' || value.kind === 'digits' || value.kind === 'number' ? value : ANY;
  }
  if (inner.type === 'CommandExpansion') return variableValue(expandOutput(inner.script, x.machine.recorder, mark));
  return inner.type === 'ArithmeticExpansion' ? INTEGER : ANY;
}

function evaluateItems(array: ArrayValue, before: Value, x: Expansion): readonly string[] | null {
  const items: string[] = [];
  let isKnown = true;
  for (const element of array.elements) {
    const words = expandArgument(element, x);
    if (element.text.startsWith('[')) {
      isKnown = false;
      if (before.kind !== 'keyed' && !/^\[[0-9]+\]\+?=/.test(element.text)) {
        const message = 'the subscript of an array element is evaluated as arithmetic';
        x.machine.recorder.cannotTell('arithmetic-evaluates', message, spanOf(x.scope, element));
      }
    }
    for (const word of words) {
      if (word.kind === 'literal') items.push(word.value);
      else isKnown = false;
    }
  }
  return isKnown ? items : null;
}
