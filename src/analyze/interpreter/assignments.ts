// `a=1`, `a+=x`, `a[i]=v`, `a=(x y)`: evaluates the value and changes the state.

import type { AssignmentFact, WordValue } from '../../core/facts.ts';
import type { ArrayValue, Assignment, Word } from '../../parse/tree.ts';
import { type Expansion, spanOf } from '../machine.ts';
import { ANY, type Value } from '../state.ts';
import { setByName } from '../variables.ts';
import { evaluateArithmeticWord } from '../words/arithmetic.ts';
import { expandArgument, expandOperand, expandValue } from '../words/expand.ts';
import { knownText, lookup } from '../words/lookup.ts';
import { checkSubscript } from '../words/parameters.ts';

export function assign(node: Assignment, x: Expansion): AssignmentFact {
  const value = evaluateAssignment(node, x);
  const span = spanOf(x.scope, node);
  setByName(node.name, value, span, x);
  const isScalar = node.index === undefined && value.kind !== 'list';
  return { name: node.name, value: isScalar ? knownText(value) : null, span };
}

/** The value that an assignment would give; what is inside it runs, but nothing is assigned yet. */
export function evaluateAssignment(node: Assignment, x: Expansion): Value {
  const before = lookup(node.name, x.state);
  if (node.index !== undefined) {
    checkSubscript(node.index, node.name, x, expandOperand);
    if (node.value.type === 'ArrayValue') evaluateItems(node.value, before, x);
    else scalar(node.value, node.name, x);
    return before.kind === 'keyed' ? before : ANY;
  }
  if (node.value.type === 'ArrayValue') {
    const items = evaluateItems(node.value, before, x);
    if (before.kind === 'keyed') return before;
    if (items === null) return ANY;
    if (!node.append) return { kind: 'list', items };
    return before.kind === 'list' ? { kind: 'list', items: [...before.items, ...items] } : ANY;
  }
  const word = scalar(node.value, node.name, x);
  if (word.kind !== 'literal')
    return word.head.startsWith('/') ? { kind: 'path' } : integerOrAny(node.value, node.append);
  if (!node.append) return { kind: 'text', text: word.value };
  const text = before.kind === 'text' ? before.text : null;
  return text === null ? ANY : { kind: 'text', text: text + word.value };
}

function scalar(word: Word, name: string, x: Expansion): WordValue {
  if (x.state.attributes.get(name)?.includes('i')) {
    evaluateArithmeticWord(word, x, expandOperand);
    return { kind: 'dynamic', head: '', many: false, span: spanOf(x.scope, word) };
  }
  return expandValue(word, x, 'value');
}

function integerOrAny(word: Word, append: boolean | undefined): Value {
  const parts = word.parts;
  const only = parts?.length === 1 ? parts[0] : undefined;
  const inner = only?.type === 'DoubleQuoted' && only.parts.length === 1 ? only.parts[0] : only;
  return inner?.type === 'ArithmeticExpansion' && !append ? { kind: 'integer' } : ANY;
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
