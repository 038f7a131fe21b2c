// `[[ … ]]`: walked for commands inside its words. Arithmetic comparisons and `-v` evaluate their operands as code.

import type { TestExpression } from '../../parse/tree.ts';
import { type Expansion, spanOf } from '../machine.ts';
import { evaluateArithmeticWord } from '../words/arithmetic.ts';
import { expandOperand } from '../words/expand.ts';

const ARITHMETIC = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);
const PLAIN_VARIABLE = /^[A-Za-z_][A-Za-z_0-9]*(?:\[(?:[0-9]+|@|\*)\])?$/;

export function evaluateTest(expression: TestExpression, x: Expansion): void {
  switch (expression.type) {
    case 'TestUnary': {
      const operand = expandOperand(expression.operand, x);
      const namesVariable = expression.operator === '-v' || expression.operator === '-R';
      if (namesVariable && !(operand.kind === 'literal' && PLAIN_VARIABLE.test(operand.value))) {
        const message = 'a subscript in the operand is evaluated';
        x.machine.recorder.cannotTell('arithmetic-evaluates', message, spanOf(x.scope, expression));
      }
      return;
    }
    case 'TestBinary':
      if (ARITHMETIC.has(expression.operator)) {
        evaluateArithmeticWord(expression.left, x, expandOperand);
        evaluateArithmeticWord(expression.right, x, expandOperand);
      } else {
        expandOperand(expression.left, x);
        expandOperand(expression.right, x);
      }
      return;
    case 'TestLogical':
      for (const operand of expression.operands) evaluateTest(operand, x);
      return;
    case 'TestNot':
      evaluateTest(expression.operand, x);
      return;
    case 'TestGroup':
      evaluateTest(expression.expression, x);
      return;
    default:
      expression satisfies never;
  }
}
