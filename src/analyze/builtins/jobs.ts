// jobs: lists jobs, except that `jobs -x` runs a command, with process ids in place of job numbers.

import type { WordValue } from '../../core/facts.ts';
import { describeProgram } from '../launch.ts';
import { type Builtin, splitOptions, unchanged } from './builtin.ts';
import { runPastFunctions } from './control.ts';

export const jobs: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const { x, draft } = call;
  const split = splitOptions(call.words);
  if (split === null) {
    x.machine.recorder.cannotTell('dynamic-command', 'jobs gets words that may be -x and a command', draft.span);
    return unchanged(call);
  }
  if (!split.options.includes('x')) return unchanged(call);
  const name = split.operands[0];
  if (name?.kind === 'literal' && x.state.functions.has(name.value)) {
    x.machine.recorder.cannotTell('dynamic-command', 'jobs -x runs a function', draft.span);
  }
  const operands = split.operands.map(asProcess);
  const words = [...call.words.slice(0, call.words.length - operands.length), ...operands];
  return runPastFunctions({ ...call, words }, 'jobs -x');
};

function asProcess(word: WordValue): WordValue {
  if (word.kind !== 'literal' || !word.value.startsWith('%')) return word;
  return { kind: 'dynamic', head: '', many: false, span: word.span };
}
