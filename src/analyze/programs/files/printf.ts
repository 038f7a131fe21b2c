// printf: inert, except that `-v name` sets a variable and evaluates a subscript in its name.

import type { WordValue } from '../../../core/facts.ts';
import { literal, type ProgramAnalyser } from '../program.ts';
import { headOf } from '../words/wrapper-words.ts';

export const printf: ProgramAnalyser = (args, sink) => {
  const [first, second] = args.words;
  if (first === undefined || literal(first) === '--') return;
  if (first.kind !== 'literal') {
    const mayBeOption = '-v'.startsWith(headOf(first)) || headOf(first).startsWith('-v');
    const hasMore = second !== undefined || (first.kind === 'dynamic' && first.many) || first.kind === 'pattern';
    if (mayBeOption && hasMore)
      sink.cannotTell('arithmetic-evaluates', 'this may be printf -v with any name', first.span);
    return;
  }
  if (!first.value.startsWith('-v')) return;
  const name: WordValue | undefined = first.value === '-v' ? second : { ...first, value: first.value.slice(2) };
  if (name === undefined) return;
  sink.changes('set a shell variable');
  const text = literal(name);
  if (text !== null && /^[A-Za-z_][A-Za-z0-9_]*(?:\[[0-9]+\])?$/.test(text)) return;
  sink.cannotTell('arithmetic-evaluates', 'printf -v evaluates the subscript of the name', name.span);
};
