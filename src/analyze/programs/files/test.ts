// test and [: conditions change nothing, except that `-v name[subscript]` evaluates the subscript, which may run code.

import type { WordValue } from '../../../core/facts.ts';
import { literal, type ProgramAnalyser } from '../program.ts';
import { headOf } from '../words/wrapper-words.ts';

export const test: ProgramAnalyser = (args, sink) => {
  const { words } = args;
  for (const [index, word] of words.entries()) {
    // Unquoted text may bring `-v` and its operand along.
    const isRisky = isMany(word) || (mayBeOperator(word) && evaluates(words[index + 1]));
    if (isRisky) {
      sink.cannotTell('arithmetic-evaluates', 'test -v evaluates the subscript of a name that is not known', word.span);
      return;
    }
  }
};

function isMany(word: WordValue): boolean {
  return word.kind === 'dynamic' && word.many && !word.isPlain;
}

function mayBeOperator(word: WordValue): boolean {
  const head = headOf(word);
  if (word.kind === 'dynamic' && word.isPlain) return false;
  return word.kind === 'literal' ? head === '-v' || head === '-R' : '-v'.startsWith(head) || '-R'.startsWith(head);
}

/** Safe subscripts are numbers and all elements; a name would be looked up, and its value evaluated again. */
function evaluates(operand: WordValue | undefined): boolean {
  if (operand === undefined) return false;
  const text = literal(operand);
  if (text === null) return true;
  const subscript = /^[A-Za-z_][A-Za-z0-9_]*\[(.*)$/s.exec(text)?.[1];
  return subscript !== undefined && !/^(?:[0-9]+|[@*])\]$/.test(subscript);
}
