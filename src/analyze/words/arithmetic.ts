// Arithmetic: walked for the commands it runs and the variables it sets; its value is never computed.
// A name in arithmetic is evaluated again as an expression, so a value that is not a number may run code
// (`x='a[$(rm y)]'; ((x))`): such names make the result uncertain.

import type { ArithmeticExpression, Word, WordPart } from '../../parse/tree.ts';
import { type ExpandOperand, type Expansion, spanOf, within } from '../machine.ts';
import { INTEGER, isIntegerValue, isNumberValue, join } from '../state.ts';
import { setByName } from '../variables.ts';
import { lookup, VARIABLE_NAME } from './lookup.ts';
import { expandOutput, isNumeric } from './output.ts';

const ASSIGNMENTS = new Set(['=', '+=', '-=', '*=', '/=', '%=', '<<=', '>>=', '&=', '^=', '|=']);
const NUMBER = /^(?:0[xX][0-9A-Fa-f]+|[0-9]+(?:#[0-9A-Za-z@_]+)?)$/;

export function evaluateArithmetic(
  expression: ArithmeticExpression | undefined,
  x: Expansion,
  expandOperand: ExpandOperand,
): void {
  if (expression === undefined) return;
  switch (expression.type) {
    case 'ArithmeticBinary':
      if (ASSIGNMENTS.has(expression.operator)) {
        evaluateArithmetic(expression.right, x, expandOperand);
        if (expression.operator !== '=') evaluateArithmetic(expression.left, x, expandOperand);
        assign(expression.left, x, expandOperand);
      } else {
        evaluateArithmetic(expression.left, x, expandOperand);
        evaluateMaybe(expression.right, x, expandOperand);
      }
      return;
    case 'ArithmeticUnary':
      evaluateArithmetic(expression.operand, x, expandOperand);
      if (expression.operator === '++' || expression.operator === '--') assign(expression.operand, x, expandOperand);
      return;
    case 'ArithmeticTernary':
      evaluateArithmetic(expression.test, x, expandOperand);
      evaluateMaybe(expression.consequent, x, expandOperand);
      evaluateMaybe(expression.alternate, x, expandOperand);
      return;
    case 'ArithmeticGroup':
      evaluateArithmetic(expression.expression, x, expandOperand);
      return;
    case 'ArithmeticWord':
      evaluateLeaf(expression.value, expression.parts, expression, x, expandOperand);
      return;
    case 'ArithmeticCommandExpansion':
      if (expression.script) {
        const inner = {
          ...within(x.scope, '$( )'),
          ...(expression.script.source ? { source: expression.script.source, span: spanOf(x.scope, expression) } : {}),
        };
        const mark = x.machine.recorder.mark();
        x.machine.runScript(expression.script, x.state, inner);
        if (isNumeric(expandOutput(expression.script, x.machine.recorder, mark))) return;
      }
      doubt(expression, x, 'the output of a command is evaluated as arithmetic');
      return;
    default:
      expression satisfies never;
  }
}

/** An operand that may be skipped (`a && (x = 1)`). */
function evaluateMaybe(expression: ArithmeticExpression, x: Expansion, expandOperand: ExpandOperand): void {
  const before = x.state;
  evaluateArithmetic(expression, x, expandOperand);
  x.state = join(before, x.state);
}

/** An expansion with an arithmetic error drops the rest of the line; sums of known numbers have none. */
export function mayFail(expression: ArithmeticExpression | undefined, x: Expansion): boolean {
  if (expression === undefined) return true;
  switch (expression.type) {
    case 'ArithmeticBinary':
      return (
        !/^(?:[-+*<>=!&|^]|[<>=!]=|&&|\|\||[-+]=|,)$/.test(expression.operator) ||
        [expression.left, expression.right].some((side) => mayFail(side, x))
      );
    case 'ArithmeticUnary':
      return mayFail(expression.operand, x);
    case 'ArithmeticTernary':
      return [expression.test, expression.consequent, expression.alternate].some((part) => mayFail(part, x));
    case 'ArithmeticGroup':
      return mayFail(expression.expression, x);
    case 'ArithmeticWord': {
      const text = expression.value.replace(/^\$\{?(\w+)\}?$/, '$1');
      return !(
        /^[1-9][0-9]{0,8}$|^0$/.test(text) ||
        (VARIABLE_NAME.test(text) && isIntegerValue(lookup(text, x.state)))
      );
    }
    default:
      return true;
  }
}

/** A word that bash evaluates as arithmetic: a subscript, an offset, an operand of `let`. */
export function evaluateArithmeticWord(word: Word, x: Expansion, expandOperand: ExpandOperand): void {
  const mark = x.machine.recorder.mark();
  const value = expandOperand(word, x);
  if (value.kind !== 'literal') {
    if (!isIntegerExpansion(word.parts, x, mark)) doubt(word, x, 'an unknown value is evaluated as arithmetic');
    return;
  }
  evaluateText(value.value, word, x);
}

const TOKEN = /[A-Za-z_][A-Za-z_0-9]*|[0-9][0-9A-Za-z#@_]*|\s+|[^\s]/g;
const OPERATOR = /^[\s=+\-*/%<>!~&|^?:(),]+$/;

/** Text that reaches arithmetic evaluation as it is. Only numbers, names of numbers and operators are safe. */
export function evaluateText(text: string, at: { readonly pos: number; readonly end: number }, x: Expansion): void {
  const assigned: string[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const token = match[0];
    if (VARIABLE_NAME.test(token)) {
      const isAssigned = /^\s*=(?!=)/.test(text.slice(match.index + token.length));
      assigned.push(token);
      if (!isAssigned && !isNumberValue(lookup(token, x.state))) {
        doubt(at, x, `the value of ${token} is evaluated as arithmetic`);
      }
    } else if (!NUMBER.test(token) && !OPERATOR.test(token)) {
      doubt(at, x, 'text is evaluated as arithmetic');
      return;
    }
  }
  if (!/=|\+\+|--/.test(text)) return;
  for (const name of assigned) {
    const before = x.state;
    setByName(name, INTEGER, spanOf(x.scope, at), x);
    x.state = join(before, x.state);
  }
}

function isIntegerExpansion(parts: readonly WordPart[] | undefined, x: Expansion, mark: number): boolean {
  if (parts === undefined) return false;
  return parts.every((part) => {
    if (part.type === 'DoubleQuoted') return isIntegerExpansion(part.parts, x, mark);
    if (part.type === 'CommandExpansion') return isNumeric(expandOutput(part.script, x.machine.recorder, mark));
    if (part.type === 'SimpleExpansion') return isNumberValue(lookup(part.text.slice(1), x.state));
    if (part.type === 'ParameterExpansion') {
      const isPlain = part.operation === undefined && part.index === undefined && part.prefix === undefined;
      return part.prefix === '#' || (isPlain && isNumberValue(lookup(part.parameter, x.state)));
    }
    if (part.type === 'Literal') return /^[0-9+\-*/% ]+$/.test(part.text);
    return part.type === 'ArithmeticExpansion';
  });
}

function evaluateLeaf(
  text: string,
  parts: readonly WordPart[] | undefined,
  at: { readonly pos: number; readonly end: number },
  x: Expansion,
  expandOperand: ExpandOperand,
): void {
  if (parts === undefined) {
    evaluateText(text, at, x);
    return;
  }
  const word = { type: 'Word', text, value: text, pos: at.pos, end: at.end, parts } as const;
  evaluateArithmeticWord(word, x, expandOperand);
}

function assign(target: ArithmeticExpression, x: Expansion, expandOperand: ExpandOperand): void {
  if (target.type === 'ArithmeticWord' && VARIABLE_NAME.test(target.value) && target.parts === undefined) {
    setByName(target.value, INTEGER, spanOf(x.scope, target), x);
    return;
  }
  evaluateArithmetic(target, x, expandOperand);
  doubt(target, x, 'arithmetic assigns to a name that is not literal');
}

function doubt(at: { readonly pos: number; readonly end: number }, x: Expansion, message: string): void {
  x.machine.recorder.cannotTell('arithmetic-evaluates', message, spanOf(x.scope, at));
}
